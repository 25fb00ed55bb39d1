#include "shoal/scan/neighbours.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "common/parallel.hpp"
#include "scan/block_scores.hpp"
#include "scan/cells.hpp"

namespace shoal {

std::span<const std::uint64_t> NearestKeys::find(const Alive& alive, const Query& query,
                                                 std::size_t first_block) {
    constexpr std::size_t block = Alive::block;
    const ScoreBlock score = score_block(path_);
    const BlockTask task{query.layout(), alive.columns(), query.planes()};
    const std::size_t blocks = (alive.size() + block - 1) / block;
    alignas(64) std::array<std::uint16_t, block> scores;
    keys_.clear();
    limit_ = 0xFFFF;
    for (std::size_t i = 0; i < blocks && limit_ > 0; ++i) {
        const std::size_t begin = (first_block + i) % blocks * block;
        BlockMask mask = score(task, begin, limit_ - 1, scores.data());
        mask.keep(alive.size() - begin);
        if (!mask.any()) continue;
        mask.for_each([&](std::size_t p) {
            if (scores[p] >= limit_) return;  // the limit has fallen since
            const std::uint32_t rounded = query.rounded(alive, begin + p, scores[p], limit_ - 1);
            if (rounded >= limit_) return;
            keys_.push_back(std::uint64_t{rounded} << 32 | (i * block + p));
            if (keys_.size() >= 2 * width_) shrink();
        });
    }
    shrink();
    std::sort(keys_.begin(), keys_.end());
    return keys_;
}

void NearestKeys::shrink() {
    if (keys_.size() <= width_) return;
    const auto last = keys_.begin() + static_cast<std::ptrdiff_t>(width_ - 1);
    std::nth_element(keys_.begin(), last, keys_.end());
    limit_ = static_cast<std::uint32_t>(*last >> 32);
    keys_.resize(width_);
}

namespace {

// The lists of rows of one cell, from that cell alone.
class Asking {
  public:
    Asking(const Records& records, const Layout& layout, const NeighbourSearch& nearest,
           Control& control)
        : control_(control),
          nearest_(nearest),
          query_(records, layout, Query::Aim::nearest),
          keys_(nearest.width + 1, nearest.path) {}  // a row finds itself, too

    // Rows [begin, end) of the cell ask, all of them answer. `scores` are those of `found`.
    void run(const Alive& alive, std::span<const std::int32_t> cell, std::size_t begin,
             std::size_t end, Neighbours& found, BulkVector<std::uint16_t>& scores) {
        for (std::size_t at = begin; at < end; ++at) {
            if ((at - begin) % 64 == 0) {
                if (control_.cancelled()) throw Cancelled();
                if (nearest_.deadline.passed()) return;
            }
            ask(alive, cell, at, found, scores);
        }
    }

  private:
    void ask(const Alive& alive, std::span<const std::int32_t> cell, std::size_t at,
             Neighbours& found, BulkVector<std::uint16_t>& scores) {
        const auto row = static_cast<std::size_t>(cell[at]);
        query_.open(row);
        const std::size_t first = at / Alive::block;
        const std::size_t blocks = (alive.size() + Alive::block - 1) / Alive::block;
        near_.clear();
        std::int32_t* list = found.rows.data() + row * found.width;
        std::uint16_t* listed = scores.data() + row * found.width;
        for (std::size_t i = 0; i < found.width && list[i] >= 0; ++i) {
            near_.emplace_back(listed[i], list[i]);
        }
        const std::size_t known = near_.size();
        for (const std::uint64_t key : keys_.find(alive, query_, first)) {
            const std::size_t arrival = key & 0xFFFFFFFFu;
            const std::size_t place =
                (first + arrival / Alive::block) % blocks * Alive::block + arrival % Alive::block;
            const std::int32_t other = cell[place];
            const auto mine = near_.begin() + static_cast<std::ptrdiff_t>(known);
            if (static_cast<std::size_t>(other) == row) continue;
            if (std::any_of(near_.begin(), mine, [&](auto& e) { return e.second == other; })) {
                continue;
            }
            near_.emplace_back(static_cast<std::uint16_t>(key >> 32), other);
        }
        std::stable_sort(near_.begin(), near_.end(),
                         [](auto& a, auto& b) { return a.first < b.first; });
        for (std::size_t i = 0; i < std::min(found.width, near_.size()); ++i) {
            listed[i] = near_[i].first;
            list[i] = near_[i].second;
        }
    }

    Control& control_;
    const NeighbourSearch& nearest_;
    Query query_;
    NearestKeys keys_;
    std::vector<std::pair<std::uint16_t, std::int32_t>> near_;
};

}  // namespace

Neighbours find_neighbours(const Records& records, const NeighbourSearch& nearest, Random& random,
                           Control& control) {
    const std::size_t rows = records.rows();
    Neighbours found;
    found.width = std::min(nearest.width, rows > 0 ? rows - 1 : 0);
    if (found.width == 0) return found;
    found.rows.resize(rows * found.width);
    BulkVector<std::uint16_t> scores;
    scores.resize(found.rows.size());  // read only where a list has a row
    // Gigabytes, for many rows: the first touch of their pages alone takes seconds.
    Poll poll(control);
    for (std::size_t row = 0; row < rows; ++row) {
        poll();
        std::fill_n(found.rows.begin() + static_cast<std::ptrdiff_t>(row * found.width),
                    found.width, -1);
    }
    const Layout layout(records);
    const auto make = [&](std::size_t) { return Asking(records, layout, nearest, control); };
    std::vector<std::int32_t> all(rows);
    std::iota(all.begin(), all.end(), 0);
    const std::vector<std::int64_t> ones(rows, 1);
    if (rows <= nearest.all_pairs) {
        // In the order of cells similar rows are neighbours, so that the first blocks to be scored
        // lower the limit and the others mostly pass.
        const Cells cells =
            divide_into_cells(records, all, ones, 64, random, control, nearest.deadline);
        const Alive alive(records, layout, cells.items);
        constexpr std::size_t chunk = 256;
        parallel_for((rows + chunk - 1) / chunk, nearest.threads, make,
                     [&](Asking& asking, std::size_t i) {
                         asking.run(alive, cells.items, i * chunk, std::min(rows, (i + 1) * chunk),
                                    found, scores);
                     });
        return found;
    }
    for (int cutting = 0; cutting < nearest.cuttings && !nearest.deadline.passed(); ++cutting) {
        const Cells cells =
            divide_into_cells(records, all, ones, static_cast<std::int64_t>(nearest.cell), random,
                              control, nearest.deadline);
        parallel_for(cells.size(), nearest.threads, make, [&](Asking& asking, std::size_t i) {
            if (nearest.deadline.passed()) return;
            const Alive alive(records, layout, cells.of(i));
            asking.run(alive, cells.of(i), 0, cells.of(i).size(), found, scores);
        });
    }
    return found;
}

}  // namespace shoal
