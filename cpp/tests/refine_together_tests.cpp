// Threads that search one region at once.
#include <algorithm>
#include <vector>

#include "harness.hpp"
#include "refine_cases.hpp"
#include "shoal/refine/refine.hpp"

namespace {

using harness::all_hold;
using harness::make_objective;
using harness::make_start;
using harness::near;

}  // namespace

TEST_CASE("threads that search together keep every record, k and the models") {
    for (std::uint32_t which = 0; which < 6; ++which) {
        harness::Random random(70 + which);
        // Several records a row, so that rows lie in classes of different threads.
        const shoal::Records records = harness::random_records(random, 900, 4, 40, 5);
        const shoal::Objective objective = make_objective(records, which % 4, random);
        shoal::Models models;
        models.rows = records.rows();
        if (which % 2 == 1) models = harness::make_models(records, random);
        if (which == 4) models = harness::make_personal_sizes(records, random, 12.0);
        shoal::Refinement refinement;
        refinement.k = 4;
        for (const int threads : {2, 5}) {
            refinement.threads = threads;
            shoal::Control control;
            shoal::Refined refined;
            // A busy machine may need longer until there is a step at all.
            for (refinement.seconds = 0.1; refined.steps == 0 && refinement.seconds < 100;
                 refinement.seconds *= 4) {
                refined = shoal::refine(objective, models, make_start(records, models, 4),
                                        refinement, control);
            }
            harness::check_partition(records, refined.partition, 4);
            CHECK(all_hold(models, refined.partition));
            CHECK(refined.steps > 0);
            CHECK(refined.total <= refined.start);
            CHECK(near(refined.total, harness::recomputed(objective, refined.partition)));
        }
    }
}
