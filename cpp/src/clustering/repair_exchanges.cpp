#include "clustering/repair_exchanges.hpp"

#include <algorithm>
#include <tuple>

#include "common/scalars.hpp"

namespace shoal::repairing {

namespace {

constexpr std::size_t most_kinds = 8;  // of protected values, on either side
constexpr std::size_t tried_pairs = 4;
// Beyond this it is not a matter of a few records any more, and would take for ever: an exchange
// looks at all members.
constexpr std::size_t most_exchanging = 1'024;
constexpr std::size_t most_exchanges = 64;

}  // namespace

void ExchangeSearch::keep_best(std::vector<Candidate>& candidates, std::int32_t c,
                               std::int32_t change) {
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
        scratch_ = classes_.histograms[at(c)];
        if (change > 0) {
            scratch_.add(classes_.models, at(each.row), change);
        } else {
            scratch_.remove(classes_.models, at(each.row), -change);
        }
        each.shortfall = scratch_.shortfall(classes_.models);
    }
    std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
        return std::tie(a.shortfall, a.change, a.row) < std::tie(b.shortfall, b.change, b.row);
    });
    if (candidates.size() > most_kinds) candidates.resize(most_kinds);
}

bool ExchangeSearch::kind_less(std::int32_t a, std::int32_t b) const {
    for (const Model& model : classes_.models.all) {
        if (model.codes[at(a)] != model.codes[at(b)]) {
            return model.codes[at(a)] < model.codes[at(b)];
        }
    }
    return false;
}

double ExchangeSearch::mend(std::int32_t c, std::span<const std::int32_t> near, double limit,
                            std::vector<Transfer>& log) {
    near_ = near;
    log.clear();
    if (classes_.members[at(c)].size() > most_exchanging) return infinite<double>;
    double cost = 0.0;
    double shortfall = classes_.shortfall[at(c)];
    while (log.size() < 2 * most_exchanges) {
        const Exchange best = find_exchange(c, shortfall);
        if (best.with < 0) return infinite<double>;
        log.push_back({best.out, c, best.with, 1});
        log.push_back({best.in, best.with, c, 1});
        classes_.transfer(log[log.size() - 2]);
        classes_.transfer(log.back());
        cost += best.cost;
        if (cost >= limit) return infinite<double>;
        if (classes_.histograms[at(c)].holds(classes_.models)) return cost;
        shortfall = classes_.histograms[at(c)].shortfall(classes_.models);
    }
    return infinite<double>;
}

ExchangeSearch::Exchange ExchangeSearch::find_exchange(std::int32_t c, double shortfall) {
    if (control_.cancelled()) throw Cancelled();
    const ClassState& own = classes_.states[at(c)];
    own_members_ = classes_.members[at(c)].list();
    leaving_.clear();
    for (const Piece& member : own_members_) {
        leaving_.push_back(own.change_removing(classes_.objective, at(member.row), 1));
    }
    Exchange best{-1, -1, -1, infinite<double>, 0.0};
    double best_price = infinite<double>;
    for (const std::int32_t other : near_) {
        if (classes_.members[at(other)].size() > most_exchanging) continue;
        const ClassState& state = classes_.states[at(other)];
        outs_.clear();
        for (std::size_t i = 0; i < leaving_.size(); ++i) {
            const std::int32_t row = own_members_[i].row;
            const double change = state.change_adding(classes_.objective, at(row), 1);
            outs_.push_back({row, leaving_[i] + change, 0.0});
        }
        keep_best(outs_, c, -1);
        ins_.clear();
        for (const Piece& member : classes_.members[at(other)].list()) {
            const double change = own.change_adding(classes_.objective, at(member.row), 1) +
                                  state.change_removing(classes_.objective, at(member.row), 1);
            ins_.push_back({member.row, change, 0.0});
        }
        keep_best(ins_, c, 1);
        pairs_.clear();
        for (const Candidate& out : outs_) {
            for (const Candidate& in : ins_) {
                scratch_ = classes_.histograms[at(c)];
                scratch_.remove(classes_.models, at(out.row), 1);
                scratch_.add(classes_.models, at(in.row), 1);
                const double lower = shortfall - scratch_.shortfall(classes_.models);
                if (lower <= nothing) continue;
                scratch_ = classes_.histograms[at(other)];
                scratch_.remove(classes_.models, at(in.row), 1);
                scratch_.add(classes_.models, at(out.row), 1);
                if (!classes_.allows(other, scratch_)) continue;
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

double ExchangeSearch::exchange_cost(std::int32_t c, std::int32_t out, std::int32_t in) {
    state_ = classes_.states[at(c)];
    const double before = state_.total(classes_.objective);
    state_.remove(classes_.objective, at(out), 1);
    state_.add(classes_.objective, at(in), 1);
    return state_.total(classes_.objective) - before;
}

}  // namespace shoal::repairing
