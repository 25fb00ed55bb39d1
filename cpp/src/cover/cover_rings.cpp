// Rings inside classes, as non-homogeneous generalization makes them.
#include <algorithm>
#include <numeric>

#include "shoal/cover/cover.hpp"

namespace shoal {

namespace {

// From the first row on, always to the row of least common loss with the last one.
void chain(const CoverLoss& losses, std::vector<std::int32_t>& rows) {
    std::vector<HullPart> hull(losses.attributes());
    for (std::size_t i = 0; i + 2 < rows.size(); ++i) {
        losses.open(hull.data(), rows[i]);
        std::size_t best = i + 1;
        std::int32_t least = INT32_MAX;
        for (std::size_t j = i + 1; j < rows.size(); ++j) {
            const std::int32_t loss =
                losses.loss_adding(hull.data(), std::span(rows).subspan(i, 1), rows[j]);
            if (loss < least) {
                least = loss;
                best = j;
            }
        }
        std::swap(rows[i + 1], rows[best]);
    }
}

}  // namespace

void cover_by_rings(Cover& cover, const Partition& classes, const CoverSettings& settings,
                    bool chained, Control& control) {
    const Records& records = cover.records();
    const auto k = static_cast<std::size_t>(cover.k());
    std::vector<std::int32_t> rank(records.rows());
    for (std::size_t p = 0; p < settings.order.size(); ++p) {
        rank[static_cast<std::size_t>(settings.order[p])] = static_cast<std::int32_t>(p);
    }
    std::vector<std::size_t> next(records.rows() + 1, 0);  // of each row: its next released record
    for (std::size_t row = 0; row < records.rows(); ++row) {
        next[row + 1] = next[row] + static_cast<std::size_t>(records.counts[row]);
    }
    std::vector<std::size_t> entries(classes.row.size());
    std::iota(entries.begin(), entries.end(), 0);
    std::sort(entries.begin(), entries.end(), [&](std::size_t a, std::size_t b) {
        if (classes.klass[a] != classes.klass[b]) return classes.klass[a] < classes.klass[b];
        return rank[static_cast<std::size_t>(classes.row[a])] <
               rank[static_cast<std::size_t>(classes.row[b])];
    });
    std::vector<std::int32_t> members(cover.size() * k);
    std::vector<std::int32_t> ring;
    for (std::size_t first = 0, last; first < entries.size(); first = last) {
        if (control.cancelled()) throw Cancelled();
        ring.clear();
        for (last = first;
             last < entries.size() && classes.klass[entries[last]] == classes.klass[entries[first]];
             ++last) {
            ring.insert(ring.end(), static_cast<std::size_t>(classes.count[entries[last]]),
                        classes.row[entries[last]]);
        }
        if (chained) chain(cover.losses(), ring);
        for (std::size_t i = 0; i < ring.size(); ++i) {
            const std::size_t released = next[static_cast<std::size_t>(ring[i])]++;
            for (std::size_t m = 0; m < k; ++m) {
                members[released * k + m] = ring[(i + m) % ring.size()];
            }
        }
    }
    cover.set(members);
}

}  // namespace shoal
