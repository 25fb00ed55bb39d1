#include "shoal/mondrian.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <thread>
#include <vector>

#include "shoal/split_columns.hpp"

namespace shoal {

namespace {

// The records in the order of the nodes; two of them, and every cut copies from one to the other.
struct Buffer {
    std::vector<Codes> columns;
    std::vector<std::uint32_t> row;
    std::vector<std::uint32_t> count;  // empty when every row is one record
};

struct Node {
    std::size_t begin;
    std::size_t size;    // entries: rows or parts of rows
    std::int64_t total;  // records
    int side;            // which buffer holds it
};

// Codes up to `code` go left, but of `code` itself only `tied` records if that is not negative.
struct Cut {
    std::size_t attribute;
    std::uint32_t code;
    std::int64_t left_total;
    std::int64_t tied;
};

// What one thread needs beside the buffers.
struct Workspace {
    std::vector<std::uint64_t> left;
    std::vector<std::int64_t> histogram;
    std::vector<std::uint8_t> seen;
    std::vector<Extent> extents;
    std::vector<double> widths;
    std::vector<std::size_t> ranking;
};

class Cutter {
  public:
    Cutter(const Records& records, const Cutting& cutting, Control& control)
        : records_(records),
          cutting_(cutting),
          control_(control),
          spare_threads_(cutting.threads - 1) {
        const bool single = std::all_of(records.counts.begin(), records.counts.end(),
                                        [](std::int32_t count) { return count == 1; });
        // A relaxed cut may part a row, which takes an entry more; a node of t records is cut at
        // most t / k - 1 times.
        const std::size_t capacity = records.rows() + (single ? 0 : slack(records.total));
        for (Buffer& buffer : buffers_) {
            buffer.row.resize(capacity);
            if (!single) buffer.count.resize(capacity);
            for (const Attribute& attribute : records.attributes) {
                std::visit(
                    [&](const auto& codes) {
                        std::decay_t<decltype(codes)> column(capacity);
                        buffer.columns.emplace_back(std::move(column));
                    },
                    attribute.codes);
            }
        }
        Buffer& first = buffers_[0];
        std::iota(first.row.begin(),
                  first.row.begin() + static_cast<std::ptrdiff_t>(records.rows()), 0u);
        if (!single) std::copy(records.counts.begin(), records.counts.end(), first.count.begin());
        for (std::size_t j = 0; j < records.attributes.size(); ++j) {
            std::visit(
                [&](const auto& codes) {
                    auto& column = std::get<std::decay_t<decltype(codes)>>(first.columns[j]);
                    std::copy(codes.begin(), codes.end(), column.begin());
                },
                records.attributes[j].codes);
        }
        leaf_size_.resize(capacity);
        leaf_row_.resize(capacity);
        if (!single) leaf_count_.resize(capacity);
    }

    Partition run() {
        Workspace workspace;
        descend({0, records_.rows(), records_.total, 0}, workspace);
        if (control_.cancelled()) throw Cancelled();
        Partition result;
        std::int32_t classes = 0;
        for (std::size_t begin = 0; begin < leaf_size_.size();) {
            const std::size_t size = leaf_size_[begin];
            if (size == 0) {
                ++begin;  // room kept for parted rows
                continue;
            }
            for (std::size_t i = begin; i < begin + size; ++i) {
                const std::uint32_t count = leaf_count_.empty() ? 1u : leaf_count_[i];
                result.place(static_cast<std::int32_t>(leaf_row_[i]), classes,
                             static_cast<std::int32_t>(count));
            }
            ++classes;
            begin += size;
        }
        control_.report(1.0);
        return result;
    }

  private:
    std::size_t slack(std::int64_t total) const {
        if (cutting_.strict) return 0;
        return static_cast<std::size_t>(std::max<std::int64_t>(total / cutting_.k - 1, 0));
    }

    // Recursion on the smaller side, iteration on the larger one: the stack stays shallow.
    void descend(Node node, Workspace& workspace) {
        while (!control_.cancelled()) {
            Cut cut;
            if (node.total < 2 * cutting_.k || !find_cut(node, workspace, cut)) {
                finish(node);
                return;
            }
            auto [left, right] = apply(node, cut, workspace);
            const Node& smaller = left.size < right.size ? left : right;
            node = left.size < right.size ? right : left;
            constexpr std::size_t worth_a_thread = 1u << 15;
            if (smaller.size > worth_a_thread && spare_threads_.fetch_sub(1) > 0) {
                std::thread helper([this, smaller] {
                    Workspace own;
                    descend(smaller, own);
                });
                descend(node, workspace);
                helper.join();
                spare_threads_.fetch_add(1);
                return;
            }
            if (smaller.size > worth_a_thread) spare_threads_.fetch_add(1);
            descend(smaller, workspace);
        }
    }

    void finish(const Node& node) {
        const Buffer& buffer = buffers_[node.side];
        leaf_size_[node.begin] = static_cast<std::uint32_t>(node.size);
        std::copy_n(buffer.row.data() + node.begin, node.size, leaf_row_.data() + node.begin);
        if (!leaf_count_.empty()) {
            std::copy_n(buffer.count.data() + node.begin, node.size,
                        leaf_count_.data() + node.begin);
        }
        const std::int64_t done =
            placed_.fetch_add(node.total, std::memory_order_relaxed) + node.total;
        control_.report(static_cast<double>(done) / static_cast<double>(records_.total));
    }

    bool find_cut(const Node& node, Workspace& workspace, Cut& cut) {
        const std::size_t attributes = records_.attributes.size();
        workspace.extents.resize(attributes);
        workspace.widths.resize(attributes);
        workspace.ranking.clear();
        for (std::size_t j = 0; j < attributes; ++j) {
            workspace.widths[j] = width(node, j, workspace);
            if (workspace.extents[j].low != workspace.extents[j].high) {
                workspace.ranking.push_back(j);
            }
        }
        std::stable_sort(workspace.ranking.begin(), workspace.ranking.end(),
                         [&](std::size_t a, std::size_t b) {
                             return workspace.widths[a] > workspace.widths[b];
                         });
        for (const std::size_t j : workspace.ranking) {
            count_codes(node, j, workspace);
            cut.attribute = j;
            if (cut_between_codes(node, workspace, cut)) return true;
        }
        if (cutting_.strict || workspace.ranking.empty()) return false;
        cut.attribute = workspace.ranking.front();
        count_codes(node, cut.attribute, workspace);
        cut_within_code(node, workspace, cut);
        return true;
    }

    // Weighted loss of attribute j in this node.
    double width(const Node& node, std::size_t j, Workspace& workspace) const {
        const Attribute& attribute = records_.attributes[j];
        Extent& extent = workspace.extents[j];
        double loss = 0.0;
        std::visit(
            [&](const auto& column) {
                const auto* codes = column.data() + node.begin;
                std::uint32_t distinct = 0;
                if (attribute.kind != Kind::set) {
                    extent = shoal::extent(codes, node.size);
                } else if (const std::uint64_t bits = present_bits(attribute, codes, node.size)) {
                    extent = {static_cast<std::uint32_t>(std::countr_zero(bits)),
                              63u - static_cast<std::uint32_t>(std::countl_zero(bits))};
                    distinct = static_cast<std::uint32_t>(std::popcount(bits));
                } else {
                    extent = shoal::extent(codes, node.size);
                    distinct = count_distinct(codes, node.size, attribute.code_count, workspace);
                }
                switch (attribute.kind) {
                    case Kind::interval:
                        loss = attribute.interval_loss(extent.low, extent.high);
                        break;
                    case Kind::set:
                        loss = attribute.set_loss(distinct);
                        break;
                    case Kind::tree:
                        loss = attribute.tree.node_loss[static_cast<std::size_t>(
                            attribute.common_ancestor(extent.low, extent.high))];
                        break;
                    case Kind::all_or_nothing:
                        loss = extent.low == extent.high ? 0.0 : 1.0;
                        break;
                }
            },
            buffers_[node.side].columns[j]);
        return attribute.weight * loss;
    }

    // The codes that occur, as bits; zero where the domain is too large for that.
    template <class T>
    static std::uint64_t present_bits(const Attribute& attribute, const T* codes,
                                      std::size_t size) {
        if constexpr (sizeof(T) == 1) {
            if (attribute.code_count <= 64) return present(codes, size);
        }
        return 0;
    }

    template <class T>
    static std::uint32_t count_distinct(const T* codes, std::size_t size, std::uint32_t code_count,
                                        Workspace& workspace) {
        if (workspace.seen.size() < code_count) workspace.seen.resize(code_count);
        std::uint32_t distinct = 0;
        for (std::size_t i = 0; i < size; ++i) {
            distinct += 1u - workspace.seen[codes[i]];
            workspace.seen[codes[i]] = 1;
        }
        for (std::size_t i = 0; i < size; ++i) workspace.seen[codes[i]] = 0;
        return distinct;
    }

    void count_codes(const Node& node, std::size_t j, Workspace& workspace) const {
        const Extent extent = workspace.extents[j];
        workspace.histogram.assign(extent.high - extent.low + 1, 0);
        const Buffer& buffer = buffers_[node.side];
        std::visit(
            [&](const auto& column) {
                const auto* codes = column.data() + node.begin;
                std::int64_t* histogram = workspace.histogram.data();
                if (buffer.count.empty()) {
                    for (std::size_t i = 0; i < node.size; ++i) ++histogram[codes[i] - extent.low];
                } else {
                    const std::uint32_t* count = buffer.count.data() + node.begin;
                    for (std::size_t i = 0; i < node.size; ++i) {
                        histogram[codes[i] - extent.low] += count[i];
                    }
                }
            },
            buffer.columns[j]);
    }

    // The boundary between codes with the most equal sides; false if a side would have fewer than
    // k records.
    bool cut_between_codes(const Node& node, const Workspace& workspace, Cut& cut) const {
        const Attribute& attribute = records_.attributes[cut.attribute];
        const Extent extent = workspace.extents[cut.attribute];
        const bool tree = attribute.kind == Kind::tree;
        const std::uint32_t level = tree ? level_of_children(attribute, extent) : 0;
        std::int64_t best = 0;
        std::int64_t before = 0;
        for (std::uint32_t code = extent.low; code < extent.high; ++code) {
            before += workspace.histogram[code - extent.low];
            if (tree && attribute.tree.above(level, code, attribute.code_count) ==
                            attribute.tree.above(level, code + 1, attribute.code_count)) {
                continue;
            }
            const std::int64_t smaller = std::min(before, node.total - before);
            if (smaller > best) {
                best = smaller;
                cut.code = code;
                cut.left_total = before;
                cut.tied = -1;
            }
        }
        return best >= cutting_.k;
    }

    // Two equal halves; the records that share the code at the median are divided.
    static void cut_within_code(const Node& node, const Workspace& workspace, Cut& cut) {
        cut.left_total = node.total / 2;
        std::int64_t before = 0;
        cut.code = workspace.extents[cut.attribute].low;
        for (const std::int64_t here : workspace.histogram) {
            if (before + here > cut.left_total) break;
            before += here;
            ++cut.code;
        }
        cut.tied = cut.left_total - before;
    }

    // The level at which the codes of an extent lie in the children of their common ancestor.
    static std::uint32_t level_of_children(const Attribute& attribute, Extent extent) {
        std::uint32_t level = 0;
        while (level + 1 < attribute.tree.levels &&
               attribute.tree.above(level + 1, extent.low, attribute.code_count) !=
                   attribute.tree.above(level + 1, extent.high, attribute.code_count)) {
            ++level;
        }
        return level;
    }

    std::pair<Node, Node> apply(const Node& node, const Cut& cut, Workspace& workspace) {
        Buffer& source = buffers_[node.side];
        Buffer& target = buffers_[1 - node.side];
        workspace.left.resize((node.size + 63) / 64);
        std::uint64_t* marks = workspace.left.data();
        std::size_t lefts = std::visit(
            [&](const auto& column) {
                return mark_left(column.data() + node.begin, node.size, cut.code, marks);
            },
            source.columns[cut.attribute]);
        // Of a divided tie the first records go left; the row at the border is in both sides.
        std::size_t parted = node.size;
        std::int64_t parted_left = 0;
        if (cut.tied >= 0) lefts = divide(node, cut, source, marks, parted, parted_left);
        const std::size_t rights = node.size - lefts + (parted < node.size ? 1 : 0);

        const std::int64_t right_total = node.total - cut.left_total;
        Node left{node.begin, lefts, cut.left_total, 1 - node.side};
        const std::size_t room = source.count.empty() ? 0 : slack(cut.left_total);
        Node right{node.begin + lefts + room, rights, right_total, 1 - node.side};
        const bool parts_a_row = parted < node.size;
        const std::size_t place_left = parts_a_row ? rank_of(marks, parted) : 0;
        const std::size_t place_right = parted - place_left;
        const auto move = [&](const auto& from, auto& to) {
            split(from.data() + node.begin, node.size, marks, to.data() + left.begin,
                  to.data() + right.begin);
            if (!parts_a_row) return;
            auto* place = to.data() + right.begin + place_right;
            std::copy_backward(place, to.data() + right.begin + rights - 1,
                               to.data() + right.begin + rights);
            *place = from[node.begin + parted];
        };
        for (std::size_t j = 0; j < source.columns.size(); ++j) {
            std::visit(
                [&](const auto& from) {
                    move(from, std::get<std::decay_t<decltype(from)>>(target.columns[j]));
                },
                source.columns[j]);
        }
        move(source.row, target.row);
        if (!source.count.empty()) {
            move(source.count, target.count);
            if (parts_a_row) {
                target.count[left.begin + place_left] = static_cast<std::uint32_t>(parted_left);
                target.count[right.begin + place_right] -= static_cast<std::uint32_t>(parted_left);
            }
        }
        return {left, right};
    }

    // Takes the marks of the tied rows beyond the first `cut.tied` records away.
    static std::size_t divide(const Node& node, const Cut& cut, const Buffer& source,
                              std::uint64_t* marks, std::size_t& parted,
                              std::int64_t& parted_left) {
        std::size_t lefts = 0;
        std::visit(
            [&](const auto& column) {
                const auto* codes = column.data() + node.begin;
                std::int64_t room = cut.tied;
                for (std::size_t i = 0; i < node.size; ++i) {
                    if (codes[i] < cut.code) {
                        ++lefts;
                    } else if (codes[i] == cut.code) {
                        const std::int64_t count =
                            source.count.empty() ? 1 : source.count[node.begin + i];
                        if (room == 0) {
                            marks[i / 64] &= ~(std::uint64_t{1} << (i % 64));
                            continue;
                        }
                        ++lefts;
                        if (count > room) {
                            parted = i;
                            parted_left = room;
                        }
                        room -= std::min(count, room);
                    }
                }
            },
            source.columns[cut.attribute]);
        return lefts;
    }

    static std::size_t rank_of(const std::uint64_t* marks, std::size_t index) {
        std::size_t rank = 0;
        for (std::size_t word = 0; word < index / 64; ++word) {
            rank += static_cast<std::size_t>(std::popcount(marks[word]));
        }
        const std::uint64_t below = (std::uint64_t{1} << (index % 64)) - 1;
        return rank + static_cast<std::size_t>(std::popcount(marks[index / 64] & below));
    }

    const Records& records_;
    Cutting cutting_;
    Control& control_;
    std::atomic<int> spare_threads_;
    std::atomic<std::int64_t> placed_{0};
    Buffer buffers_[2];
    std::vector<std::uint32_t> leaf_size_;  // at the first entry of each leaf
    std::vector<std::uint32_t> leaf_row_;
    std::vector<std::uint32_t> leaf_count_;
};

}  // namespace

Partition mondrian(const Records& records, const Cutting& cutting, Control& control) {
    return Cutter(records, cutting, control).run();
}

}  // namespace shoal
