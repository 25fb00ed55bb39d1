#include "shoal/clustering/mondrian.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include "clustering/mondrian_cut.hpp"
#include "clustering/mondrian_model_cut.hpp"
#include "clustering/split_columns.hpp"
#include "common/parallel.hpp"
#include "shoal/common/bulk.hpp"

namespace shoal {

namespace {

// Every cut copies from one buffer to the other; the root lies in the records themselves.
struct Buffer {
    std::vector<BulkVector<std::uint8_t>> columns;
    std::int32_t* row;
    std::int32_t* count;
};

constexpr int root_side = 2;

class Cutter {
  public:
    Cutter(const Records& records, const Cutting& cutting, Control& control,
           const MondrianModelCutFinder* model_finder = nullptr)
        : records_(records),
          cutting_(cutting),
          control_(control),
          finder_(records_, cutting_),
          model_finder_(model_finder),
          single_(records.total == static_cast<std::int64_t>(records.rows())) {
        // A relaxed cut may part a row, which takes an entry more; a node of t records is cut at
        // most t / k - 1 times.
        const std::size_t capacity = records.rows() + slack(records.total);
        result_.row.resize(capacity);
        if (cutting.strict) {
            result_.klass.resize(capacity);  // leaves leave no gaps
        } else {
            result_.klass.assign(capacity, 0);
        }
        result_.count.resize(capacity);
        View& root = views_[root_side];
        for (const Attribute& attribute : records.attributes) {
            std::visit(
                [&](const auto& codes) {
                    root.columns.push_back({static_cast<int>(sizeof(codes[0])), codes.data()});
                },
                attribute.codes);
        }
        for (int side = 0; side < 2; ++side) {
            Buffer& buffer = buffers_[side];
            View& view = views_[side];
            for (const NodeColumn& column : root.columns) {
                auto& bytes = buffer.columns.emplace_back();
                bytes.resize(capacity * static_cast<std::size_t>(column.width));
                view.columns.push_back({column.width, bytes.data()});
            }
        }
        // The result's own arrays serve the first buffer: what a leaf leaves there stays.
        other_row_.resize(capacity);
        if (!single_) other_count_.resize(capacity);
        buffers_[0].row = result_.row.data();
        buffers_[1].row = other_row_.data();
        buffers_[0].count = single_ ? nullptr : result_.count.data();
        buffers_[1].count = single_ ? nullptr : other_count_.data();
        for (int side = 0; side < 2; ++side) {
            views_[side].row = buffers_[side].row;
            views_[side].count = buffers_[side].count;
        }
        // The root's rows and counts lie there too: its children go to the second buffer.
        std::iota(result_.row.begin(), result_.row.begin() + as_offset(records.rows()), 0);
        if (single_) {
            std::fill(result_.count.begin(), result_.count.end(), 1);
        } else {
            std::copy(records.counts.begin(), records.counts.end(), result_.count.begin());
        }
        root.row = views_[0].row;
        root.count = views_[0].count;
    }

    Partition run() {
        std::vector<Branch> branches = cut_large();
        parallel_for(
            branches.size(), cutting_.threads, [](std::size_t) { return Workspace(); },
            [&](Workspace& workspace, std::size_t i) {
                if (workspace.held.empty()) workspace.held.emplace_back();
                workspace.held[0] = std::move(branches[i].held);
                descend(branches[i].node, 0, workspace);
            });
        if (control_.cancelled()) throw Cancelled();
        number_classes();
        control_.report(1.0);
        return std::move(result_);
    }

  private:
    static std::ptrdiff_t as_offset(std::size_t count) {
        return static_cast<std::ptrdiff_t>(count);
    }

    std::size_t slack(std::int64_t total) const {
        if (cutting_.strict || single_) return 0;
        return static_cast<std::size_t>(std::max<std::int64_t>(total / cutting_.k - 1, 0));
    }

    std::vector<Reach> everything() const {
        std::vector<Reach> held;
        for (const Attribute& attribute : records_.attributes) {
            const std::uint32_t codes = attribute.code_count;
            held.push_back({{0, codes - 1}, codes < 64 ? (std::uint64_t{1} << codes) - 1 : ~0ull});
        }
        return held;
    }

    // Leaves left their size in the class of their first entry; gaps are room kept for parted rows.
    void number_classes() {
        std::size_t end = 0;
        std::int32_t classes = 0;
        for (std::size_t begin = 0; begin < result_.klass.size();) {
            const auto size = static_cast<std::size_t>(result_.klass[begin]);
            if (size == 0) {
                ++begin;
                continue;
            }
            if (end < begin) {
                std::copy_n(result_.row.begin() + as_offset(begin), size,
                            result_.row.begin() + as_offset(end));
                std::copy_n(result_.count.begin() + as_offset(begin), size,
                            result_.count.begin() + as_offset(end));
            }
            std::fill_n(result_.klass.begin() + as_offset(end), size, classes++);
            end += size;
            begin += size;
        }
        result_.row.resize(end);
        result_.klass.resize(end);
        result_.count.resize(end);
    }

    // A node that is still to be cut, and what its parent holds.
    struct Branch {
        Node node;
        std::vector<Reach> held;

        bool operator<(const Branch& other) const { return node.size < other.node.size; }
    };

    // Always the largest node is cut, its columns split by all threads, until there are enough
    // nodes to keep every thread busy to the end. Largest first.
    std::vector<Branch> cut_large() {
        constexpr std::size_t worth_a_thread = 1u << 15;
        std::vector<Branch> branches;
        branches.push_back({{0, records_.rows(), records_.total, root_side}, everything()});
        Workspace workspace;
        const auto enough = static_cast<std::size_t>(cutting_.threads) * 8;
        while (cutting_.threads > 1 && !branches.empty() && branches.size() < enough &&
               branches.front().node.size > worth_a_thread && !control_.cancelled()) {
            std::pop_heap(branches.begin(), branches.end());
            Branch largest = std::move(branches.back());
            branches.pop_back();
            MondrianCut cut;
            if (!cuttable(largest.node) || !find(largest.node, largest.held, workspace, cut)) {
                finish(largest.node);
                continue;
            }
            const auto [left, right] = apply(largest.node, cut, workspace, cutting_.threads);
            for (const Node& side : {left, right}) {
                branches.push_back({side, largest.held});
                std::push_heap(branches.begin(), branches.end());
            }
        }
        std::sort_heap(branches.begin(), branches.end());
        std::reverse(branches.begin(), branches.end());
        return branches;
    }

    bool cuttable(const Node& node) const { return node.total >= 2 * cutting_.k; }

    // Recursion on the smaller side, iteration on the larger one: the stack stays shallow.
    void descend(Node node, std::size_t depth, Workspace& workspace) {
        while (!control_.cancelled()) {
            MondrianCut cut;
            if (!cuttable(node) || !find(node, workspace.held[depth], workspace, cut)) {
                finish(node);
                return;
            }
            const auto [left, right] = apply(node, cut, workspace, 1);
            const Node smaller = left.size < right.size ? left : right;
            node = left.size < right.size ? right : left;
            if (!cuttable(smaller)) {
                finish(smaller);
                continue;
            }
            if (workspace.held.size() == depth + 1) workspace.held.emplace_back();
            workspace.held[depth + 1] = workspace.held[depth];
            descend(smaller, depth + 1, workspace);
        }
    }

    bool find(const Node& node, std::vector<Reach>& held, Workspace& workspace,
              MondrianCut& cut) const {
        const View& view = views_[node.side];
        return model_finder_ == nullptr ? finder_.find(view, node, held, workspace, cut)
                                        : model_finder_->find(view, node, held, workspace, cut);
    }

    void finish(const Node& node) {
        const View& view = views_[node.side];
        const auto begin = as_offset(node.begin);
        result_.klass[node.begin] = static_cast<std::int32_t>(node.size);
        if (node.side == 1) {
            std::copy_n(view.row + node.begin, node.size, result_.row.begin() + begin);
            if (!single_) {
                std::copy_n(view.count + node.begin, node.size, result_.count.begin() + begin);
            }
        }
        const std::int64_t done =
            placed_.fetch_add(node.total, std::memory_order_relaxed) + node.total;
        control_.report(static_cast<double>(done) / static_cast<double>(records_.total));
    }

    std::pair<Node, Node> apply(const Node& node, const MondrianCut& cut, Workspace& workspace,
                                int threads) {
        const View& source = views_[node.side];
        const int side = node.side == 1 ? 0 : 1;
        Buffer& target = buffers_[side];
        workspace.left.resize((node.size + 63) / 64);
        std::uint64_t* marks = workspace.left.data();
        std::size_t lefts = source.columns[cut.attribute].visit(node.begin, [&](const auto* codes) {
            return mark_left(codes, node.size, cut.code, marks);
        });
        // Of a divided tie the first records go left; the row at the border is on both sides.
        std::size_t parted = node.size;
        std::int64_t parted_left = 0;
        if (cut.tied >= 0) lefts = divide(node, cut, source, marks, parted, parted_left);
        const bool parts_a_row = parted < node.size;
        const std::size_t rights = node.size - lefts + (parts_a_row ? 1 : 0);
        const Node left{node.begin, lefts, cut.left_total, side};
        const Node right{node.begin + lefts + slack(cut.left_total), rights,
                         node.total - cut.left_total, side};
        const std::size_t place_left = parts_a_row ? rank_of(marks, parted) : 0;
        const std::size_t place_right = parted - place_left;
        const auto move = [&](const auto* from, auto* to) {
            split(from, node.size, marks, to + left.begin, to + right.begin);
            if (!parts_a_row) return;
            auto* place = to + right.begin + place_right;
            std::copy_backward(place, to + right.begin + rights - 1, to + right.begin + rights);
            *place = from[parted];
        };
        // Rows, then counts where there are any, then the columns of the attributes.
        const std::size_t others = single_ ? 1 : 2;
        parallel_for(others + source.columns.size(), threads, [&](std::size_t i) {
            if (i == 0) {
                move(source.row + node.begin, target.row);
            } else if (i < others) {
                move(source.count + node.begin, target.count);
            } else {
                const std::size_t j = i - others;
                source.columns[j].visit(node.begin, [&](const auto* from) {
                    using Code = std::remove_const_t<std::remove_pointer_t<decltype(from)>>;
                    move(from, reinterpret_cast<Code*>(target.columns[j].data()));
                });
            }
        });
        if (parts_a_row && !single_) {
            target.count[left.begin + place_left] = static_cast<std::int32_t>(parted_left);
            target.count[right.begin + place_right] -= static_cast<std::int32_t>(parted_left);
        }
        return {left, right};
    }

    // Takes the marks of the tied rows beyond the first `cut.tied` records away.
    static std::size_t divide(const Node& node, const MondrianCut& cut, const View& source,
                              std::uint64_t* marks, std::size_t& parted,
                              std::int64_t& parted_left) {
        std::size_t lefts = 0;
        std::int64_t room = cut.tied;
        source.columns[cut.attribute].visit(node.begin, [&](const auto* codes) {
            for (std::size_t i = 0; i < node.size; ++i) {
                if (codes[i] < cut.code) {
                    ++lefts;
                } else if (codes[i] == cut.code) {
                    const std::int64_t count =
                        source.count == nullptr ? 1 : source.count[node.begin + i];
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
        });
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
    MondrianCutFinder finder_;
    const MondrianModelCutFinder* model_finder_;
    bool single_;  // every row is one record
    std::atomic<std::int64_t> placed_{0};
    Partition result_;
    BulkVector<std::int32_t> other_row_;
    BulkVector<std::int32_t> other_count_;
    Buffer buffers_[2];
    View views_[3];
};

}  // namespace

Partition mondrian(const Records& records, const Cutting& cutting, Control& control) {
    return Cutter(records, cutting, control).run();
}

Partition mondrian(const Objective& objective, const Models& models, const Cutting& cutting,
                   Control& control) {
    const Records& records = objective.records();
    if (objective.plain() && models.empty()) return mondrian(records, cutting, control);
    const MondrianModelCutFinder model_finder(objective, models, cutting);
    return Cutter(records, cutting, control, &model_finder).run();
}

}  // namespace shoal
