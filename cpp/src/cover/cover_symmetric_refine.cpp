// A local search on symmetric covers: pairs (a, b) and (c, d) become (a, c) and (b, d). Every
// record keeps its number of partners, and what one record covers covers it too.
#include <algorithm>
#include <cmath>

#include "cover/cover_candidates.hpp"
#include "shoal/common/clock.hpp"
#include "shoal/common/random.hpp"
#include "shoal/cover/cover.hpp"

namespace shoal {

namespace {

constexpr std::size_t near = 24;
constexpr std::int64_t between_looks = 256;
// The temperature at the start, as a share of the mean loss of a record.
constexpr double first_temperature = 0.02;

class SymmetricSearch {
  public:
    SymmetricSearch(const Cover& cover, const SymmetricRefinement& refinement, Control& control)
        : losses_(cover.losses()),
          k_(static_cast<std::size_t>(cover.k())),
          size_(cover.size()),
          refinement_(refinement),
          control_(control),
          random_(refinement.seed),
          start_(Clock::now()),
          hull_(losses_.attributes()) {
        for (std::size_t i = 0; i < size_; ++i) {
            members_.insert(members_.end(), cover.members(i).begin(), cover.members(i).end());
        }
        for (std::size_t i = 0; i < size_; ++i) loss_.push_back(loss_of(i));
        for (const std::int32_t loss : loss_) total_ += loss;
        find_neighbours(cover.records());
    }

    // The members of the best cover met.
    std::vector<std::int32_t> run() {
        std::vector<std::int32_t> best = members_;
        std::int64_t least = total_;
        const double warm = refinement_.heat * first_temperature * static_cast<double>(total_) /
                            static_cast<double>(size_);
        for (std::int64_t step = 0; refinement_.steps < 0 || step < refinement_.steps; ++step) {
            if (step % between_looks == 0) {
                if (control_.cancelled()) break;
                const double spent = share_spent(step);
                control_.report(std::min(1.0, spent));
                control_.steps.store(step, std::memory_order_relaxed);
                if (spent >= 1.0) break;
                // The last third goes downhill only.
                temperature_ = warm * std::max(0.0, 1.0 - 1.5 * spent);
            }
            propose();
        }
        if (control_.abandoned()) throw Cancelled();
        if (total_ < least) best = members_;
        return best;
    }

  private:
    double share_spent(std::int64_t step) const {
        double spent = refinement_.steps < 0
                           ? 0.0
                           : static_cast<double>(step) / static_cast<double>(refinement_.steps);
        if (refinement_.seconds >= 0) {
            const std::chrono::duration<double> taken = Clock::now() - start_;
            spent = std::max(spent, taken.count() / std::max(refinement_.seconds, 1e-9));
        }
        return spent;
    }

    void find_neighbours(const Records& records) {
        const Cover alone(records, 1);
        const std::vector<std::int64_t> free_of_charge(size_, 0);
        CandidateScan scan(alone);
        for (std::size_t i = 0; i < size_; ++i) {
            if (i % 16 == 0 && control_.cancelled()) throw Cancelled();
            const auto& found =
                scan.least(i, free_of_charge, near, no_bound,
                           [&](std::int32_t row) { return static_cast<std::size_t>(row) == i; });
            starts_.push_back(neighbours_.size());
            for (const RowCost& one : found) neighbours_.push_back(one.row);
        }
        starts_.push_back(neighbours_.size());
    }

    std::span<std::int32_t> members(std::size_t record) {
        return {members_.data() + record * k_, k_};
    }
    std::int32_t loss_of(std::size_t record) {
        losses_.close(hull_.data(), members(record));
        return losses_.loss(hull_.data());
    }
    bool are(std::size_t a, std::size_t b) {
        const auto held = members(a);
        return std::find(held.begin(), held.end(), static_cast<std::int32_t>(b)) != held.end();
    }
    void replace(std::size_t record, std::size_t old, std::size_t fresh) {
        for (std::int32_t& one : members(record)) {
            if (one == static_cast<std::int32_t>(old)) {
                one = static_cast<std::int32_t>(fresh);
                return;
            }
        }
    }

    void propose() {
        const std::size_t a = random_.below(size_);
        const std::size_t choices = starts_[a + 1] - starts_[a];
        if (choices == 0) return;
        const auto c = static_cast<std::size_t>(neighbours_[starts_[a] + random_.below(choices)]);
        const auto b = static_cast<std::size_t>(members(a)[random_.below(k_)]);
        const auto d = static_cast<std::size_t>(members(c)[random_.below(k_)]);
        if (b == a || d == c || b == c || d == a || b == d || are(a, c) || are(b, d)) return;
        const std::size_t who[4] = {a, b, c, d}, gave[4] = {b, a, d, c}, got[4] = {c, d, a, b};
        std::int32_t now[4];
        std::int64_t change = 0;
        for (int place = 0; place < 4; ++place) {
            replace(who[place], gave[place], got[place]);
            now[place] = loss_of(who[place]);
            change += now[place] - loss_[who[place]];
        }
        if (change <= 0 || accepts(change)) {
            for (int place = 0; place < 4; ++place) loss_[who[place]] = now[place];
            total_ += change;
            return;
        }
        for (int place = 0; place < 4; ++place) replace(who[place], got[place], gave[place]);
    }

    bool accepts(std::int64_t rise) {
        if (temperature_ <= 0.0) return false;
        const double drawn = static_cast<double>(random_.next() >> 11) * 0x1.0p-53;
        return drawn < std::exp(-static_cast<double>(rise) / temperature_);
    }

    const CoverLoss& losses_;
    std::size_t k_, size_;
    const SymmetricRefinement& refinement_;
    Control& control_;
    Random random_;
    Clock::time_point start_;
    std::vector<HullPart> hull_;
    std::vector<std::int32_t> members_, loss_, neighbours_;
    std::vector<std::size_t> starts_;
    std::int64_t total_ = 0;
    double temperature_ = 0.0;
};

}  // namespace

void refine_symmetrically(Cover& cover, const SymmetricRefinement& refinement, Control& control) {
    cover.set(SymmetricSearch(cover, refinement, control).run());
}

}  // namespace shoal
