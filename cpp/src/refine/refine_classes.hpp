// The classes of a region under search: what each loses, and would lose with or without a record.
//
// Two forms with one face. Rows are numbered within the region. A class holds entries, each some
// records of one row; `whole` says that all of an entry's records leave, so that its values may
// leave the closure with them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shoal/common/class_state.hpp"
#include "shoal/common/values.hpp"

namespace shoal {

// The attributes under plain loss, as classes of every region read them.
struct PlainColumns {
    static constexpr std::uint32_t most_mask_codes = 512;

    struct Interval {
        double weight;
        const double* positions;
    };
    struct Hierarchy {
        const Attribute* attribute;
        std::uint32_t code_count;
        std::vector<double> loss;  // [low][high], weighted; empty for large domains

        double at(std::uint32_t low, std::uint32_t high) const {
            if (!loss.empty()) return loss[low * std::size_t{code_count} + high];
            const auto node = static_cast<std::size_t>(attribute->common_ancestor(low, high));
            return attribute->weight * attribute->tree.node_loss[node];
        }
    };
    struct Set {
        std::size_t mask;   // where its words begin: held once, held more than once, how many
        std::size_t words;  // of each of the first two
        std::size_t loss;   // of so many values, among `losses`
    };

    // Columns in this order.
    std::vector<Interval> intervals;
    std::vector<Hierarchy> trees;
    std::vector<double> suppressed;       // weights
    std::vector<Set> narrow;              // sets of one word
    std::vector<Set> wide;                // of several
    std::vector<const Attribute*> large;  // of many values
    std::vector<const Attribute*> all;
    std::size_t spans = 0;       // intervals and trees
    std::size_t sets = 0;        // narrow and wide ones
    std::size_t mask_words = 0;  // a class
    std::vector<double> losses;  // weighted

    std::size_t first_set() const { return spans + suppressed.size(); }

    explicit PlainColumns(const Objective& objective);
};

// Plain loss. What a class would lose without any one of its entries is known without looking at
// the others: for ends of intervals and trees the two lowest and two highest values are kept and
// how many entries have them, for sets which values one entry holds and which more do.
class PlainClasses {
  public:
    using Shared = PlainColumns;

    PlainClasses(const PlainColumns& columns, std::span<const std::int32_t> rows);

    std::size_t columns() const { return shared_.all.size(); }
    std::uint32_t code(std::size_t row, std::size_t column) const { return codes_of(row)[column]; }
    bool is_span(std::size_t column) const { return column < shared_.spans; }
    bool is_all_or_nothing(std::size_t column) const {
        return !is_span(column) && column < shared_.first_set();
    }

    void resize(std::size_t classes);  // new ones are empty
    std::size_t count() const { return heads_.size(); }
    std::int64_t size(std::size_t c) const { return heads_[c].size; }
    double total(std::size_t c) const {
        return static_cast<double>(heads_[c].size) * heads_[c].loss;
    }
    double total_adding(std::size_t c, std::size_t row, std::int32_t count) const;
    double total_removing(std::size_t c, std::size_t row, std::int32_t count, bool whole) const;
    // With records of one row exchanged for those of another.
    double total_exchanging(std::size_t c, std::size_t out, std::int32_t out_count, bool whole,
                            std::size_t in, std::int32_t in_count) const;

    void add(std::size_t c, std::size_t row, std::int32_t count, bool fresh);
    // `left` are the rows of the entries that remain.
    void remove(std::size_t c, std::size_t row, std::int32_t count, bool whole,
                std::span<const std::int32_t> left);
    void clear(std::size_t c);

  private:
    struct Head {
        double loss = 0.0;  // of its closure, weighted
        std::int64_t size = 0;
        std::int64_t entries = 0;
    };
    // One end of a column: the value furthest out and the next one, with the entries that have
    // them. `Out` says which of two values lies further out.
    template <class Out>
    struct End {
        std::uint32_t value = Out::none, next = Out::none;
        std::uint32_t entries = 0, next_entries = 0;

        std::uint32_t with(std::uint32_t code) const {
            return Out::before(code, value) ? code : value;
        }
        std::uint32_t without(std::uint32_t code) const {
            return code == value && entries == 1 ? next : value;
        }
        void add(std::uint32_t code) {
            if (entries > 0 && code == value) {
                ++entries;
            } else if (entries == 0 || Out::before(code, value)) {
                next = value;
                next_entries = entries;
                value = code;
                entries = 1;
            } else if (next_entries > 0 && code == next) {
                ++next_entries;
            } else if (next_entries == 0 || Out::before(code, next)) {
                next = code;
                next_entries = 1;
            }
        }
        // False if what is left does not tell the two values any more.
        bool remove(std::uint32_t code) {
            if (code == value) return --entries > 0;
            return code != next || --next_entries > 0;
        }
    };
    struct Lower {
        static constexpr std::uint32_t none = 0xFFFFFFFFu;
        static bool before(std::uint32_t a, std::uint32_t b) { return a < b; }
    };
    struct Higher {
        static constexpr std::uint32_t none = 0;
        static bool before(std::uint32_t a, std::uint32_t b) { return a > b; }
    };
    struct Ends {
        End<Lower> low;
        End<Higher> high;
    };
    // A column that is kept as it is or suppressed: which of its values are the two least matters
    // only in that they tell whether there is one alone.
    using Pair = End<Lower>;
    static bool alone_with(const Pair& held, std::uint32_t code) {
        return held.next_entries == 0 && (held.entries == 0 || held.value == code);
    }
    // The one value that is left of `all` entries without this one, or none.
    static std::uint32_t alone_without(const Pair& held, std::int64_t all, std::uint32_t code) {
        const std::int64_t rest = all - held.entries - held.next_entries;
        if (code == held.value) {
            if (held.entries > 1) return held.next_entries == 0 ? held.value : Lower::none;
            return rest == 0 ? held.next : Lower::none;
        }
        return code == held.next && held.next_entries == 1 && rest == 0 ? held.value : Lower::none;
    }

    const std::uint32_t* codes_of(std::size_t row) const {
        return codes_.data() + row * shared_.all.size();
    }
    const Ends* ends_of(std::size_t c) const { return ends_.data() + c * shared_.spans; }
    const Pair* pairs_of(std::size_t c) const {
        return pairs_.data() + c * shared_.suppressed.size();
    }
    const std::uint64_t* masks_of(std::size_t c) const {
        return masks_.data() + c * shared_.mask_words;
    }
    const Values& values_of(std::size_t c, std::size_t large) const {
        return values_[c * shared_.large.size() + large];
    }
    // Sums the loss of all columns, given for each the ends, whether one value is left, or how
    // many are.
    template <class EndsAfter, class Alone, class Narrow, class Wide, class Large>
    double sum(EndsAfter ends_after, Alone alone, Narrow narrow, Wide wide, Large large) const;
    void renew(std::size_t c);
    template <class Held>
    void find_again(Held& held, std::size_t column, std::span<const std::int32_t> left);

    const PlainColumns& shared_;
    std::vector<std::uint32_t> codes_;  // [row][column]

    std::vector<Head> heads_;
    std::vector<Ends> ends_;            // [class][interval or tree]
    std::vector<Pair> pairs_;           // [class][suppressed]
    std::vector<std::uint64_t> masks_;  // [class][word]
    std::vector<Values> values_;        // [class][large set], counted in entries
};

// Any objective, by its own class states.
class GeneralClasses {
  public:
    using Shared = Objective;

    GeneralClasses(const Objective& objective, std::span<const std::int32_t> rows)
        : objective_(objective), rows_(rows) {}

    void resize(std::size_t classes) { states_.resize(classes); }
    std::size_t count() const { return states_.size(); }
    std::int64_t size(std::size_t c) const { return states_[c].size(); }
    double total(std::size_t c) const { return states_[c].total(objective_); }
    double total_adding(std::size_t c, std::size_t row, std::int32_t count) const {
        return total(c) + states_[c].change_adding(objective_, at(row), count);
    }
    double total_removing(std::size_t c, std::size_t row, std::int32_t count, bool) const {
        return total(c) + states_[c].change_removing(objective_, at(row), count);
    }
    double total_exchanging(std::size_t c, std::size_t out, std::int32_t out_count, bool,
                            std::size_t in, std::int32_t in_count) const {
        // One a thread: several may ask at once.
        static thread_local ClassState scratch;
        scratch = states_[c];
        scratch.remove(objective_, at(out), out_count);
        return scratch.total(objective_) + scratch.change_adding(objective_, at(in), in_count);
    }
    void add(std::size_t c, std::size_t row, std::int32_t count, bool) {
        states_[c].add(objective_, at(row), count);
    }
    void remove(std::size_t c, std::size_t row, std::int32_t count, bool,
                std::span<const std::int32_t>) {
        states_[c].remove(objective_, at(row), count);
    }
    void clear(std::size_t c) { states_[c].clear(); }

  private:
    std::size_t at(std::size_t row) const { return static_cast<std::size_t>(rows_[row]); }

    const Objective& objective_;
    std::span<const std::int32_t> rows_;
    std::vector<ClassState> states_;
};

}  // namespace shoal
