#include "shoal/cover/cover_refine.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "common/parallel.hpp"
#include "cover/cover_region.hpp"
#include "scan/cells.hpp"
#include "shoal/common/clock.hpp"

namespace shoal {

namespace {

// Beyond this share of the budget the search goes downhill only.
constexpr double noisy_part = 0.9;
// Noise at the start, in shares of what a member of a released record costs on average: the more
// often each slot has its turn, the more pays, and with few turns none does.
constexpr double noise_share = 0.105;
constexpr double turns_without_noise = 10.0;
constexpr double noise_of_tenfold_turns = 0.75;
constexpr double most_noise = 2.0;
constexpr double guessed_blocks_a_second = 15'000.0;
// Slots that a block of a round stands for: regions are drawn anew when each slot had its turn.
constexpr std::int64_t slots_a_block = 16;
constexpr std::int64_t least_rounds = 20;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

class Rounds {
  public:
    Rounds(const Records& records, CoverMembers& cover_members, const CoverRefinement& refinement,
           Control& control)
        : records_(records),
          cover_members_(cover_members),
          refinement_(refinement),
          control_(control),
          start_(Clock::now()),
          random_(refinement.seed) {}

    std::vector<std::int32_t> run() {
        std::vector<std::int32_t> before(cover_members_.all().begin(), cover_members_.all().end());
        const std::int64_t first = total_ = cover_members_.total(control_);
        tell();
        if (spent() < 1.0) {
            NeighbourSearch nearest;
            nearest.width = static_cast<std::size_t>(refinement_.block) * 3 / 2;
            nearest.threads = refinement_.threads;
            nearest.path = refinement_.path;
            neighbours_ = find_neighbours(records_, nearest, random_, control_);
        }
        search_ = Clock::now();
        const double mean =
            static_cast<double>(total_) / static_cast<double>(cover_members_.all().size());
        for (double share; (share = spent()) < 1.0;) {
            const double left = std::max(0.0, 1.0 - share / noisy_part);
            round(refinement_.heat * noise_share * mean * noise_factor() * left);
            tell();
        }
        control_.report(1.0);
        if (total_ <= first)
            before.assign(cover_members_.all().begin(), cover_members_.all().end());
        return before;
    }

  private:
    bool timed() const { return refinement_.steps < 0; }
    double spent() const {
        if (!timed()) {
            return refinement_.steps == 0
                       ? 1.0
                       : static_cast<double>(steps_) / static_cast<double>(refinement_.steps);
        }
        return seconds_since(start_) / std::max(refinement_.seconds, 1e-9);
    }
    double noise_factor() const {
        double blocks = static_cast<double>(refinement_.steps);
        if (timed()) {
            const double speed = steps_ == 0 ? guessed_blocks_a_second
                                             : static_cast<double>(steps_) / seconds_since(search_);
            blocks = speed * refinement_.seconds;
        }
        const double turns =
            blocks * refinement_.block / static_cast<double>(cover_members_.all().size());
        return std::clamp(noise_of_tenfold_turns * std::log10(turns / turns_without_noise), 0.0,
                          most_noise);
    }
    void tell() {
        control_.steps.store(steps_, std::memory_order_relaxed);
        control_.loss.store(static_cast<double>(total_) * cover_members_.losses().unit() /
                                static_cast<double>(cover_members_.size()),
                            std::memory_order_relaxed);
        control_.report(std::min(spent(), 1.0));
    }

    // Whatever the number of threads, a table that is worth several has two regions or more.
    std::int64_t region() const {
        if (refinement_.region > 0) return refinement_.region;
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(cover_members_.size()) * 11 / 20,
                                        2'048, 65'536);
    }

    void round(double noise) {
        auto blocks = static_cast<std::int64_t>(cover_members_.all().size()) / slots_a_block + 1;
        if (!timed()) {
            blocks = std::min(blocks, refinement_.steps / least_rounds + 1);
            blocks = std::min(blocks, refinement_.steps - steps_);
        }
        const std::size_t size = cover_members_.size();
        std::vector<std::int32_t> row(size);
        const std::vector<std::int64_t> weight(size, 1);
        for (std::size_t i = 0; i < size; ++i) {
            row[i] = cover_members_.members(i)[random_.below(cover_members_.k())];
        }
        const Cells cells = divide_into_cells(records_, row, weight, region(), random_, control_);
        const std::uint64_t seed = random_.next();
        std::vector<std::int64_t> gain(cells.size(), 0), taken(cells.size(), 0);
        const auto until = [&](std::size_t records) {
            return blocks * static_cast<std::int64_t>(records) / static_cast<std::int64_t>(size);
        };
        parallel_for(
            cells.size(), refinement_.threads,
            [&](std::size_t) {
                return CoverRegion(cover_members_, records_.counts, neighbours_, refinement_.block);
            },
            [&](CoverRegion& region, std::size_t cell) {
                region.enter(cells.of(cell), Random(seed + cell).next());
                const std::int64_t wanted =
                    until(cells.starts[cell + 1]) - until(cells.starts[cell]);
                for (; taken[cell] < wanted; ++taken[cell]) {
                    if (taken[cell] % 16 == 0) {
                        if (control_.cancelled()) throw Cancelled();
                        if (timed() && spent() >= 1.0) break;
                    }
                    gain[cell] += region.step(noise);
                }
            });
        for (std::size_t cell = 0; cell < cells.size(); ++cell) {
            total_ -= gain[cell];
            steps_ += taken[cell];
        }
    }

    const Records& records_;
    CoverMembers& cover_members_;
    const CoverRefinement& refinement_;
    Control& control_;
    Clock::time_point start_, search_;
    Random random_;
    Neighbours neighbours_;
    std::int64_t total_ = 0, steps_ = 0;
};

}  // namespace

void refine_cover(Cover& cover, const CoverRefinement& refinement, Control& control) {
    if (control.cancelled()) throw Cancelled();
    std::vector<std::int32_t> members;
    for (std::size_t i = 0; i < cover.size(); ++i) {
        members.insert(members.end(), cover.members(i).begin(), cover.members(i).end());
    }
    CoverMembers cover_members(cover.losses(), static_cast<std::size_t>(cover.k()), members,
                               control);
    cover.set(Rounds(cover.records(), cover_members, refinement, control).run());
}

}  // namespace shoal
