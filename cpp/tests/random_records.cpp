#include <algorithm>

#include "harness.hpp"

namespace harness {

std::uint64_t Random::next() {
    std::uint64_t value = state_ += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

namespace {

// Levels of consecutive groups of two to four, up to one root.
shoal::Tree random_tree(Random& random, std::uint32_t leaves) {
    shoal::Tree tree;
    std::vector<std::pair<std::int32_t, std::int32_t>> groups;
    for (std::uint32_t code = 0; code < leaves; ++code) {
        groups.emplace_back(static_cast<std::int32_t>(code), static_cast<std::int32_t>(code));
    }
    for (;;) {
        for (const auto& [first, last] : groups) {
            const auto node = static_cast<std::int32_t>(tree.node_first.size());
            tree.node_first.push_back(first);
            tree.node_last.push_back(last);
            tree.node_loss.push_back(leaves == 1 ? 0.0 : (last - first) / (leaves - 1.0));
            tree.ancestors.insert(tree.ancestors.end(), static_cast<std::size_t>(last - first + 1),
                                  node);
        }
        ++tree.levels;
        if (groups.size() == 1) return tree;
        std::vector<std::pair<std::int32_t, std::int32_t>> above;
        for (std::size_t begin = 0; begin < groups.size();) {
            const std::size_t end =
                std::min<std::size_t>(begin + 2 + random.below(3), groups.size());
            above.emplace_back(groups[begin].first, groups[end - 1].second);
            begin = end;
        }
        groups = above;
    }
}

}  // namespace

shoal::Records random_records(Random& random, std::size_t rows, std::size_t attributes,
                              std::uint32_t most_codes, std::int32_t most_copies) {
    std::vector<std::int32_t> counts(rows);
    for (auto& count : counts) {
        count =
            1 + static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(most_copies)));
    }
    shoal::Records records(counts);
    for (std::size_t j = 0; j < attributes; ++j) {
        shoal::Attribute attribute;
        attribute.code_count = 1 + random.below(most_codes);
        attribute.weight = random.unit() / static_cast<double>(attributes);
        std::vector<std::uint32_t> codes(rows);
        for (auto& code : codes) {
            code = std::min(random.below(attribute.code_count), random.below(attribute.code_count));
        }
        attribute.codes =
            shoal::narrow(std::span<const std::uint32_t>(codes), attribute.code_count);
        switch (random.below(4)) {
            case 0: {
                attribute.kind = shoal::Kind::interval;
                double position = 0.0;
                for (std::uint32_t code = 0; code < attribute.code_count; ++code) {
                    attribute.positions.push_back(position);
                    position += random.unit() * 2.0 / attribute.code_count;
                }
                if (random.below(3) == 0) attribute.positions.back() += 2.0;
                break;
            }
            case 1:
                attribute.kind = shoal::Kind::set;
                attribute.step = 1.0 / std::max(1u, attribute.code_count - 1);
                break;
            case 2:
                attribute.kind = shoal::Kind::tree;
                attribute.tree = random_tree(random, attribute.code_count);
                break;
            default:
                attribute.kind = shoal::Kind::all_or_nothing;
        }
        records.attributes.push_back(std::move(attribute));
    }
    return records;
}

void check_partition(const shoal::Records& records, const shoal::Partition& partition,
                     std::int64_t k) {
    std::vector<std::int64_t> placed(records.rows());
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < partition.row.size(); ++i) {
        CHECK(partition.count[i] > 0);
        placed[static_cast<std::size_t>(partition.row[i])] += partition.count[i];
        const auto klass = static_cast<std::size_t>(partition.klass[i]);
        if (sizes.size() <= klass) sizes.resize(klass + 1);
        sizes[klass] += partition.count[i];
    }
    CHECK(std::equal(placed.begin(), placed.end(), records.counts.begin(), records.counts.end()));
    for (const std::int64_t size : sizes) CHECK(size >= k);
}

}  // namespace harness
