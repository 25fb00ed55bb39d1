// Two neighbouring classes of a region, or a large one, cut anew.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "refine/refine_state.hpp"

namespace shoal {

template <class Classes>
class RegionDivisions : public RegionState<Classes> {
  public:
    using RegionState<Classes>::RegionState;

  protected:
    using Region = RegionState<Classes>;
    using Region::classes_;
    using Region::entries_;
    using Region::k_;
    using Region::members_;
    using Region::models_;
    using Region::random_;
    using Region::rows_;
    using Region::scratch_;

    // Entries are put in order from those near one of two far ones to those near the other, and cut
    // in two where that costs least, if no more than `limit` beyond what they cost now. `second`
    // is -1 where one class becomes two. Returns the change, 0 if there is none.
    double divide_anew(std::int32_t first, std::int32_t second, double limit) {
        pool_.clear();
        for (const std::int32_t e : members_[at(first)]) pool_.push_back(piece_of(e));
        double before = classes_.total(at(first));
        if (second >= 0) {
            for (const std::int32_t e : members_[at(second)]) pool_.push_back(piece_of(e));
            before += classes_.total(at(second));
        }
        if (pool_.size() < 2 || !this->has_entries(pool_.size()) || !is_free()) return 0.0;
        order_pool();
        // Where few cuts meet a model, each side gets its share of all that is alike to every
        // model, or the classes exchange what is.
        const std::uint64_t way = models_.empty() ? 0 : random_.next() & 3;
        const bool by_kind = way >= 2 && split_pool();
        const bool like_for_like = by_kind && way == 3 && second >= 0;
        if (by_kind && !like_for_like) stratify();
        if (like_for_like ? !exchange_alike(first) : !find_best_division()) return 0.0;
        if (cut_total_ - before > limit) return 0.0;
        const std::int32_t other = second >= 0 ? second : this->empty_class();
        if (other < 0) return 0.0;
        // Pieces stay where they are if they can.
        for (const Pooled& piece : pool_) {
            const std::int32_t to = piece.head ? first : other;
            const std::int32_t from = piece.head ? other : first;
            const std::int32_t held = this->entry_of(piece.row, from);
            if (held < 0 || piece.from != from) continue;
            this->log_transfer(held, to, piece.count);
        }
        if (this->commit()) return cut_total_ - before;
        if (second < 0) this->free_classes_.push_back(other);
        return 0.0;
    }

    // Whether all models take two rows for the same.
    bool is_alike(std::int32_t a, std::int32_t b) const {
        return std::all_of(models_.all.begin(), models_.all.end(), [&](const Model& model) {
            return model.codes[at(rows_[at(a)])] == model.codes[at(rows_[at(b)])];
        });
    }

    std::int64_t steps_ = 0;

  private:
    static constexpr std::int64_t most_units = 4'096;

    struct Pooled {
        std::int32_t row, count, from;
        bool head;
        double side;
    };
    bool is_free() const {
        return std::all_of(pool_.begin(), pool_.end(),
                           [this](const Pooled& each) { return this->owns(each.row); });
    }
    // Records of a row one by one: which of them go to which side is free. Left as it is, and
    // false, where they are too many.
    bool split_pool() {
        std::int64_t records = 0;
        for (const Pooled& each : pool_) records += each.count;
        if (records > most_units) return false;
        units_.clear();
        for (const Pooled& each : pool_) {
            Pooled unit = each;
            unit.count = 1;
            units_.insert(units_.end(), at(each.count), unit);
        }
        pool_.swap(units_);
        return true;
    }
    // Reorders single records so that whatever is alike to every model is spread evenly from one
    // end to the other, each kind in the order it had: every head and every tail then has about
    // the distribution of all.
    void stratify() {
        done_.assign(pool_.size(), 0);
        for (std::size_t i = 0; i < pool_.size(); ++i) {
            if (done_[i]) continue;
            find_alike(i);
            // Kinds begin at places of their own, or the rarer ones would always come together.
            const double begin = static_cast<double>(random_.next() >> 11) * 0x1p-53;
            for (std::size_t j = 0; j < alike_.size(); ++j) {
                pool_[alike_[j]].side =
                    (static_cast<double>(j) + begin) / static_cast<double>(alike_.size());
            }
        }
        std::stable_sort(pool_.begin(), pool_.end(),
                         [](const Pooled& a, const Pooled& b) { return a.side < b.side; });
    }
    // Collects what is not done and alike to the i-th, itself included, and notes it as done.
    void find_alike(std::size_t i) {
        alike_.clear();
        for (std::size_t j = i; j < pool_.size(); ++j) {
            if (done_[j] ||
                (pool_[j].row != pool_[i].row && !is_alike(pool_[i].row, pool_[j].row))) {
                continue;
            }
            done_[j] = 1;
            alike_.push_back(j);
        }
    }
    Pooled piece_of(std::int32_t entry) const {
        const auto& each = entries_[at(entry)];
        return {each.row, each.count, each.klass, false, 0.0};
    }
    void open_scratch(std::size_t piece) {
        classes_.clear(at(scratch_));
        classes_.add(at(scratch_), at(pool_[piece].row), 1, true);
    }
    // Of a class of the piece in scratch and this one, a record each.
    double pair_total(std::size_t piece) {
        ++steps_;
        return classes_.total_adding(at(scratch_), at(pool_[piece].row), 1);
    }
    void order_pool() {
        const std::size_t seed = static_cast<std::size_t>(random_.below(pool_.size()));
        std::size_t far = seed;
        double most = -std::numeric_limits<double>::infinity();
        open_scratch(seed);
        for (std::size_t i = 0; i < pool_.size(); ++i) {
            pool_[i].side = pair_total(i);
            if (i != seed && pool_[i].side > most) {
                most = pool_[i].side;
                far = i;
            }
        }
        open_scratch(far);
        for (std::size_t i = 0; i < pool_.size(); ++i) pool_[i].side -= pair_total(i);
        pool_[seed].side = -std::numeric_limits<double>::infinity();
        pool_[far].side = std::numeric_limits<double>::infinity();
        std::stable_sort(pool_.begin(), pool_.end(),
                         [](const Pooled& a, const Pooled& b) { return a.side < b.side; });
    }

    // A row that both classes held comes twice; the second time it is not fresh, but the closure
    // takes no harm from being told so.
    void add_to_scratch(const Pooled& piece) {
        classes_.add(at(scratch_), at(piece.row), piece.count, true);
        if (!models_.empty()) histogram_.add(models_, at(rows_[at(piece.row)]), piece.count);
    }
    void clear_scratch() {
        classes_.clear(at(scratch_));
        histogram_.clear();
    }

    // False if no cut leaves k records and every model met on both sides.
    bool find_best_division() {
        const std::size_t size = pool_.size();
        head_total_.assign(size + 1, 0.0);
        head_holds_.assign(size + 1, 1);
        std::int64_t all = 0;
        for (const Pooled& each : pool_) all += each.count;
        clear_scratch();
        for (std::size_t i = 0; i < size; ++i) {
            add_to_scratch(pool_[i]);
            head_total_[i + 1] = classes_.total(at(scratch_));
            if (!models_.empty()) head_holds_[i + 1] = histogram_.holds(models_);
        }
        clear_scratch();
        std::size_t best = 0;
        std::int64_t tail = 0;
        for (std::size_t i = size; i-- > 1;) {
            add_to_scratch(pool_[i]);
            tail += pool_[i].count;
            if (tail < k_ || all - tail < k_ || !head_holds_[i]) continue;
            const double total = head_total_[i] + classes_.total(at(scratch_));
            if (best != 0 && total >= cut_total_) continue;
            if (!models_.empty() && !histogram_.holds(models_)) continue;
            best = i;
            cut_total_ = total;
        }
        steps_ += static_cast<std::int64_t>(size);
        clear_scratch();
        for (std::size_t i = 0; i < best; ++i) pool_[i].head = true;
        return best > 0;
    }

    // Of records that every model takes for the same, each class gets as many as it has now, the
    // first one those before the others in the order: no model is touched.
    bool exchange_alike(std::int32_t first) {
        done_.assign(pool_.size(), 0);
        for (std::size_t i = 0; i < pool_.size(); ++i) {
            if (done_[i]) continue;
            find_alike(i);
            std::size_t heads = 0;
            for (const std::size_t j : alike_) heads += pool_[j].from == first;
            for (std::size_t j = 0; j < heads; ++j) pool_[alike_[j]].head = true;
        }
        cut_total_ = 0.0;
        for (const bool head : {true, false}) {
            clear_scratch();
            for (const Pooled& each : pool_) {
                if (each.head == head) add_to_scratch(each);
            }
            cut_total_ += classes_.total(at(scratch_));
        }
        steps_ += static_cast<std::int64_t>(pool_.size());
        clear_scratch();
        return true;
    }

    std::vector<Pooled> pool_, units_;
    std::vector<double> head_total_;
    std::vector<std::uint8_t> head_holds_, done_;
    std::vector<std::size_t> alike_;
    ClassHistogram histogram_;
    double cut_total_ = 0.0;
};

}  // namespace shoal
