#include "shoal/clustering/repair.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

#include "common/class_members.hpp"
#include "scan/class_columns.hpp"

namespace shoal {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double nothing = 1e-9;

struct Transfer {
    std::int32_t row;
    std::int32_t from, to;
    std::int32_t count;
};

class Repairing {
  public:
    Repairing(const Objective& objective, const Models& models, const Partition& start,
              bool unions_only, Control& control)
        : objective_(objective),
          models_(models),
          unions_only_(unions_only),
          control_(control),
          poll_(control),
          class_columns_(objective) {
        std::size_t classes = 0;
        for (const std::int32_t c : start.klass) classes = std::max(classes, at(c) + 1);
        states_.resize(classes);
        histograms_.resize(classes);
        members_.resize(classes);
        sound_.resize(classes);
        shortfall_.resize(classes);
        const ClassPieces pieces(start, classes);
        for (std::size_t c = 0; c < classes; ++c) {
            for (const Piece& piece : pieces.of(c)) {
                poll_();
                members_[c].add(piece.row, piece.count);
            }
            states_[c].assign(objective, pieces.of(c), &poll_);
            histograms_[c].assign(models, pieces.of(c));
            judge(c);
        }
    }

    Repaired run() {
        std::vector<std::int32_t> broken;
        for (std::size_t c = 0; c < states_.size(); ++c) {
            if (!sound_[c]) broken.push_back(static_cast<std::int32_t>(c));
        }
        result_.broken = static_cast<std::int64_t>(broken.size());
        if (!broken.empty()) {
            class_columns_.resize(states_.size());
            for (std::size_t c = 0; c < states_.size(); ++c) class_columns_.set(c, states_[c]);
        }
        for (std::size_t i = 0; i < broken.size() && result_.sound; ++i) {
            for (std::int32_t c = broken[i]; c >= 0 && !sound_[at(c)];) c = mend(c);
            control_.report(static_cast<double>(i + 1) / static_cast<double>(broken.size()));
        }
        write();
        return std::move(result_);
    }

    double total() const {
        double sum = 0.0;
        for (const ClassState& state : states_) sum += state.total(objective_);
        return sum;
    }

  private:
    static constexpr std::size_t near_classes = 16;
    static constexpr std::size_t most_kinds = 8;  // of protected values, on either side
    static constexpr std::size_t tried_pairs = 4;
    // Beyond these it is not a matter of a few records any more, and would take for ever: an
    // exchange looks at all members, and a class of many values takes a shift of them for each
    // record that comes.
    static constexpr std::size_t most_exchanging = 1'024;
    static constexpr std::int64_t most_shifts = std::int64_t{1} << 31;  // some seconds
    static constexpr std::size_t most_exchanges = 64;
    static constexpr std::size_t asked[] = {32, 512, std::numeric_limits<std::size_t>::max()};

    static std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }
    void check() const {
        if (control_.cancelled()) throw Cancelled();
    }

    // ---- classes

    void put(std::int32_t row, std::int32_t to, std::int32_t count) {
        states_[at(to)].add(objective_, at(row), count);
        histograms_[at(to)].add(models_, at(row), count);
        members_[at(to)].add(row, count);
    }
    void take(std::int32_t row, std::int32_t from, std::int32_t count) {
        states_[at(from)].remove(objective_, at(row), count);
        histograms_[at(from)].remove(models_, at(row), count);
        members_[at(from)].remove(row, count);
    }
    void empty(std::int32_t c) {
        states_[at(c)].clear();
        histograms_[at(c)].clear();
        members_[at(c)].clear();
    }
    void transfer(const Transfer& each) {
        take(each.row, each.from, each.count);
        put(each.row, each.to, each.count);
    }
    void undo(const std::vector<Transfer>& log) {
        for (std::size_t i = log.size(); i-- > 0;) {
            transfer({log[i].row, log[i].to, log[i].from, log[i].count});
        }
    }
    void judge(std::size_t c) {
        sound_[c] = histograms_[c].holds(models_);
        shortfall_[c] = sound_[c] ? 0.0 : histograms_[c].shortfall(models_);
    }
    void settle(std::int32_t c) {
        judge(at(c));
        class_columns_.set(at(c), states_[at(c)]);
    }
    // Whether a class may change to this: a sound one stays so, a broken one gets no worse.
    bool allows(std::int32_t c, const ClassHistogram& after) const {
        if (sound_[at(c)]) return after.holds(models_);
        return after.shortfall(models_) <= shortfall_[at(c)];
    }

    // ---- one broken class; returns the class to go on with, or -1

    std::int32_t mend(std::int32_t c) {
        check();
        const std::span<float> growth = class_columns_.scan(states_[at(c)], states_);
        growth[at(c)] = std::numeric_limits<float>::infinity();
        order_.clear();
        for (std::size_t other = 0; other < growth.size(); ++other) {
            if (growth[other] < std::numeric_limits<float>::infinity()) {
                order_.push_back(static_cast<std::int32_t>(other));
            }
        }
        if (order_.empty()) {
            result_.sound = false;
            return -1;
        }
        const auto nearer = [&](std::int32_t a, std::int32_t b) {
            return std::tie(growth[at(a)], a) < std::tie(growth[at(b)], b);
        };
        const auto [partner, mends] = find_partner(c, growth, nearer);
        if (unions_only_) {
            unite(partner, c);
            return partner;
        }
        const double united = mends ? union_growth(c, partner) : infinite;
        near_.assign(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(
                                                          std::min(near_classes, order_.size())));
        std::sort(near_.begin(), near_.end(), nearer);

        const double exchanged = try_exchanges(c, united);
        std::vector<Transfer> exchanges = std::move(log_);
        undo(exchanges);
        const double scattered = try_scattering(c, std::min(united, exchanged));
        if (scattered < infinite) {
            ++result_.scattered;
            finish(c);
            return -1;
        }
        if (exchanged < infinite) {
            log_ = std::move(exchanges);
            for (const Transfer& each : log_) transfer(each);
            result_.exchanged += static_cast<std::int64_t>(log_.size() / 2);
            finish(c);
            return -1;
        }
        unite(partner, c);
        return partner;
    }

    void finish(std::int32_t c) {
        settle(c);
        std::vector<std::int32_t> others;
        for (const Transfer& each : log_) others.push_back(each.to == c ? each.from : each.to);
        std::sort(others.begin(), others.end());
        others.erase(std::unique(others.begin(), others.end()), others.end());
        for (const std::int32_t other : others) settle(other);
        log_.clear();
    }

    // ---- uniting

    double union_growth(std::int32_t a, std::int32_t b) const {
        const ClassState& first = states_[at(a)];
        const ClassState& second = states_[at(b)];
        return first.total_united(objective_, second) - first.total(objective_) -
               second.total(objective_);
    }

    struct Partner {
        std::int32_t klass;
        bool mends;
    };
    template <class Nearer>
    Partner find_partner(std::int32_t c, std::span<const float> growth, Nearer nearer) {
        std::size_t done = 0;
        std::int32_t best = -1;
        double best_price = infinite;
        for (const std::size_t many : asked) {
            const std::size_t upto = std::min(many, order_.size());
            if (upto < order_.size()) {
                std::nth_element(order_.begin() + static_cast<std::ptrdiff_t>(done),
                                 order_.begin() + static_cast<std::ptrdiff_t>(upto), order_.end(),
                                 nearer);
            }
            std::sort(order_.begin() + static_cast<std::ptrdiff_t>(done),
                      order_.begin() + static_cast<std::ptrdiff_t>(upto), nearer);
            for (; done < upto; ++done) {
                if (done % 64 == 0) check();
                const std::int32_t other = order_[done];
                scratch_ = histograms_[at(c)];
                scratch_.unite(histograms_[at(other)]);
                if (scratch_.holds(models_)) return {other, true};
                const double lowered =
                    shortfall_[at(c)] + shortfall_[at(other)] - scratch_.shortfall(models_);
                if (lowered <= nothing) continue;
                const double price = growth[at(other)] / lowered;
                if (price < best_price) {
                    best_price = price;
                    best = other;
                }
            }
        }
        return {best >= 0 ? best : order_.front(), false};
    }

    void unite(std::int32_t kept, std::int32_t gone) {
        states_[at(kept)].unite(objective_, states_[at(gone)]);
        histograms_[at(kept)].unite(histograms_[at(gone)]);
        members_[at(kept)].unite(members_[at(gone)]);
        empty(gone);
        settle(kept);
        settle(gone);
        ++result_.united;
    }

    // ---- exchanging records

    struct Candidate {
        std::int32_t row;
        double change;     // of the total loss if it alone went to the other class
        double shortfall;  // of the broken class then
    };
    struct Exchange {
        std::int32_t out, in, with;
        double cost;   // as estimated, then exact
        double lower;  // by so much the shortfall falls
    };

    // Of records with the same protected values the one of least change; of those the ones with
    // which class c is least short, `change` records of each joining it.
    void keep_best(std::vector<Candidate>& candidates, std::int32_t c, std::int32_t change) {
        std::sort(candidates.begin(), candidates.end(), [&](const auto& a, const auto& b) {
            if (kind_less(a.row, b.row)) return true;
            if (kind_less(b.row, a.row)) return false;
            return std::tie(a.change, a.row) < std::tie(b.change, b.row);
        });
        const auto same = [&](const Candidate& a, const Candidate& b) {
            return !kind_less(a.row, b.row) && !kind_less(b.row, a.row);
        };
        candidates.erase(std::unique(candidates.begin(), candidates.end(), same), candidates.end());
        for (Candidate& each : candidates) {
            scratch_ = histograms_[at(c)];
            if (change > 0) {
                scratch_.add(models_, at(each.row), change);
            } else {
                scratch_.remove(models_, at(each.row), -change);
            }
            each.shortfall = scratch_.shortfall(models_);
        }
        std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
            return std::tie(a.shortfall, a.change, a.row) < std::tie(b.shortfall, b.change, b.row);
        });
        if (candidates.size() > most_kinds) candidates.resize(most_kinds);
    }
    bool kind_less(std::int32_t a, std::int32_t b) const {
        for (const Model& model : models_.all) {
            if (model.codes[at(a)] != model.codes[at(b)]) {
                return model.codes[at(a)] < model.codes[at(b)];
            }
        }
        return false;
    }

    // Exchanges records while the cost stays below the limit, into log_. Returns the cost, or
    // infinity if the class is still broken.
    double try_exchanges(std::int32_t c, double limit) {
        log_.clear();
        if (members_[at(c)].size() > most_exchanging) return infinite;
        double cost = 0.0;
        double shortfall = shortfall_[at(c)];
        while (log_.size() < 2 * most_exchanges) {
            const Exchange best = find_exchange(c, shortfall);
            if (best.with < 0) return infinite;
            log_.push_back({best.out, c, best.with, 1});
            log_.push_back({best.in, best.with, c, 1});
            transfer(log_[log_.size() - 2]);
            transfer(log_.back());
            cost += best.cost;
            if (cost >= limit) return infinite;
            if (histograms_[at(c)].holds(models_)) return cost;
            shortfall = histograms_[at(c)].shortfall(models_);
        }
        return infinite;
    }

    Exchange find_exchange(std::int32_t c, double shortfall) {
        check();
        const ClassState& own = states_[at(c)];
        own_members_ = members_[at(c)].list();
        leaving_.clear();
        for (const Piece& member : own_members_) {
            leaving_.push_back(own.change_removing(objective_, at(member.row), 1));
        }
        Exchange best{-1, -1, -1, infinite, 0.0};
        double best_price = infinite;
        for (const std::int32_t other : near_) {
            if (members_[at(other)].size() > most_exchanging) continue;
            const ClassState& state = states_[at(other)];
            outs_.clear();
            for (std::size_t i = 0; i < leaving_.size(); ++i) {
                const std::int32_t row = own_members_[i].row;
                const double change = state.change_adding(objective_, at(row), 1);
                outs_.push_back({row, leaving_[i] + change, 0.0});
            }
            keep_best(outs_, c, -1);
            ins_.clear();
            for (const Piece& member : members_[at(other)].list()) {
                const double change = own.change_adding(objective_, at(member.row), 1) +
                                      state.change_removing(objective_, at(member.row), 1);
                ins_.push_back({member.row, change, 0.0});
            }
            keep_best(ins_, c, 1);
            pairs_.clear();
            for (const Candidate& out : outs_) {
                for (const Candidate& in : ins_) {
                    scratch_ = histograms_[at(c)];
                    scratch_.remove(models_, at(out.row), 1);
                    scratch_.add(models_, at(in.row), 1);
                    const double lower = shortfall - scratch_.shortfall(models_);
                    if (lower <= nothing) continue;
                    scratch_ = histograms_[at(other)];
                    scratch_.remove(models_, at(in.row), 1);
                    scratch_.add(models_, at(out.row), 1);
                    if (!allows(other, scratch_)) continue;
                    pairs_.push_back({out.row, in.row, other, out.change + in.change, lower});
                }
            }
            std::sort(pairs_.begin(), pairs_.end(), [](const Exchange& a, const Exchange& b) {
                return std::tie(a.cost, a.out, a.in) < std::tie(b.cost, b.out, b.in);
            });
            if (pairs_.size() > tried_pairs) pairs_.resize(tried_pairs);
            for (Exchange& pair : pairs_) {
                pair.cost =
                    exchange_cost(c, pair.out, pair.in) + exchange_cost(other, pair.in, pair.out);
                const double price = pair.cost > 0 ? pair.cost / pair.lower : pair.cost;
                if (price < best_price) {
                    best_price = price;
                    best = pair;
                }
            }
        }
        return best;
    }

    double exchange_cost(std::int32_t c, std::int32_t out, std::int32_t in) {
        state_ = states_[at(c)];
        const double before = state_.total(objective_);
        state_.remove(objective_, at(out), 1);
        state_.add(objective_, at(in), 1);
        return state_.total(objective_) - before;
    }

    // ---- scattering

    // Moves every record of the class into near sound ones, into log_, if that costs less than the
    // limit. Returns the cost; otherwise all is as before, and it returns infinity.
    double try_scattering(std::int32_t c, double limit) {
        log_.clear();
        std::int64_t shifts = 0;
        double cost = -states_[at(c)].total(objective_);
        const std::vector<Piece> members = members_[at(c)].list();
        for (const Piece& member : members) {
            check();
            std::int32_t best = -1;
            double least = infinite;
            for (const std::int32_t other : near_) {
                if (!sound_[at(other)] || states_[at(other)].size() == 0) continue;
                const double change =
                    states_[at(other)].change_adding(objective_, at(member.row), member.count);
                if (change >= least ||
                    !histograms_[at(other)].holds_adding(models_, at(member.row), member.count)) {
                    continue;
                }
                least = change;
                best = other;
            }
            cost += least;
            if (best < 0) break;
            shifts += static_cast<std::int64_t>(members_[at(best)].size());
            if (shifts > most_shifts) break;
            // The class itself is emptied at once when all have found a place.
            log_.push_back({member.row, c, best, member.count});
            put(member.row, best, member.count);
        }
        if (log_.size() == members.size() && cost < limit) {
            empty(c);
            return cost;
        }
        for (std::size_t i = log_.size(); i-- > 0;) take(log_[i].row, log_[i].to, log_[i].count);
        log_.clear();
        return infinite;
    }

    void write() {
        std::int32_t number = 0;
        for (const ClassMembers& members : members_) {
            result_.looks += members.looks();
            const std::vector<Piece> pieces = members.list();
            for (const Piece& each : pieces) {
                result_.partition.place(each.row, number, each.count);
            }
            number += !pieces.empty();
        }
    }

    const Objective& objective_;
    const Models& models_;
    bool unions_only_;
    Control& control_;
    Poll poll_;
    ClassColumns class_columns_;
    std::vector<ClassState> states_;
    std::vector<ClassHistogram> histograms_;
    std::vector<ClassMembers> members_;
    std::vector<Piece> own_members_;
    std::vector<char> sound_;
    std::vector<double> shortfall_;
    std::vector<std::int32_t> order_, near_;
    std::vector<double> leaving_;
    std::vector<Candidate> outs_, ins_;
    std::vector<Exchange> pairs_;
    std::vector<Transfer> log_;
    ClassHistogram scratch_;
    ClassState state_;
    Repaired result_;
};

}  // namespace

Repaired repair(const Objective& objective, const Models& models, const Partition& start,
                Control& control) {
    Repairing all_ways(objective, models, start, false, control);
    Repaired repaired = all_ways.run();
    if (repaired.exchanged + repaired.scattered == 0) return repaired;
    // What exchanges take from classes near at hand, others may lack later.
    Repairing unions(objective, models, start, true, control);
    Repaired united = unions.run();
    return unions.total() < all_ways.total() ? std::move(united) : std::move(repaired);
}

}  // namespace shoal
