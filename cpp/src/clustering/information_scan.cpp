#include "clustering/information_scan.hpp"

#include <algorithm>
#include <tuple>

#include "common/scalars.hpp"

namespace shoal {

InformationScan::InformationScan(const Objective& objective, std::size_t slots)
    : objective_(objective),
      width_(objective.reads_secret() ? objective.secret_count() : 1),
      states_(slots),
      version_(slots, -1),
      position_(slots, -1),
      closures_(objective.records().attributes.size()),
      candidates_(slots) {}

void InformationScan::open(std::size_t slot, std::size_t row, std::int64_t size) {
    states_[slot].clear();
    states_[slot].add(objective_, row, static_cast<std::int32_t>(size));
    append(slot);
}

void InformationScan::unite(std::size_t kept, std::size_t gone) {
    remove(kept);
    remove(gone);
    states_[kept].unite(objective_, states_[gone]);
    states_[gone].clear();
    append(kept);
}

void InformationScan::remove(std::size_t slot) {
    const auto position = static_cast<std::size_t>(position_[slot]);
    for (std::size_t j = 0; j < closures_.size(); ++j) {
        Closures& closures = closures_[j];
        const std::uint32_t number = closure_[position * closures_.size() + j];
        if (--closures.uses[number] > 0) continue;
        closures.known.erase(closures.of[number]);
        closures.free.push_back(number);
    }
    slot_[position] = -1;
    position_[slot] = -1;
    version_[slot] = -1;
    candidates_[slot] = {};
    --alive_;
}

std::uint32_t InformationScan::number_closure(std::size_t j, const ClassState& state) {
    std::vector<std::uint32_t> key;
    if (objective_.records().attributes[j].kind == Kind::set) {
        for (const Held& held : state.values(j).held()) key.push_back(held.code);
    } else {
        key = {state.values(j).low(), state.values(j).high()};
    }
    Closures& closures = closures_[j];
    const auto [found, fresh] = closures.known.try_emplace(std::move(key), 0);
    if (fresh) {
        if (closures.free.empty()) {
            found->second = static_cast<std::uint32_t>(closures.of.size());
            closures.of.push_back(found);
            closures.uses.push_back(0);
            closures.price.resize(closures.price.size() + width_);
        } else {
            found->second = closures.free.back();
            closures.free.pop_back();
            closures.of[found->second] = found;
        }
    }
    ++closures.uses[found->second];
    return found->second;
}

void InformationScan::append(std::size_t slot) {
    if (slot_.size() > alive_ + alive_ / 16 + 64) compact();
    const ClassState& state = states_[slot];
    position_[slot] = static_cast<std::int32_t>(slot_.size());
    slot_.push_back(static_cast<std::int32_t>(slot));
    version_[slot] = versions_++;
    ++alive_;
    double fixed = 0.0;
    for (std::size_t j = 0; j < closures_.size(); ++j) {
        closure_.push_back(number_closure(j, state));
        fixed += objective_.records().attributes[j].weight * state.cost(j);
    }
    fixed_.push_back(fixed);
    if (objective_.reads_secret()) {
        for (std::uint32_t y = 0; y < width_; ++y) records_.push_back(state.secrets(y));
    } else {
        records_.push_back(static_cast<double>(state.size()));
    }
}

void InformationScan::compact() {
    std::size_t end = 0;
    for (std::size_t from = 0; from < slot_.size(); ++from) {
        if (slot_[from] < 0) continue;
        slot_[end] = slot_[from];
        position_[static_cast<std::size_t>(slot_[from])] = static_cast<std::int32_t>(end);
        std::copy_n(closure_.begin() + static_cast<std::ptrdiff_t>(from * closures_.size()),
                    closures_.size(),
                    closure_.begin() + static_cast<std::ptrdiff_t>(end * closures_.size()));
        std::copy_n(records_.begin() + static_cast<std::ptrdiff_t>(from * width_), width_,
                    records_.begin() + static_cast<std::ptrdiff_t>(end * width_));
        fixed_[end] = fixed_[from];
        ++end;
    }
    slot_.resize(end);
    closure_.resize(end * closures_.size());
    records_.resize(end * width_);
    fixed_.resize(end);
}

// Works out for every closure of attribute j what a record of each private value costs in its
// union with that of the cluster.
void InformationScan::price_unions(std::size_t j, const ClassState& state) {
    const Attribute& attribute = objective_.records().attributes[j];
    const bool set = attribute.kind == Kind::set;
    const bool secret = objective_.reads_secret();
    const double share = objective_.share();
    const double all = objective_.log2(objective_.records().total);
    Closures& closures = closures_[j];
    std::int64_t own_mass = 0;
    std::vector<std::int64_t> own_joint(width_);
    if (set) {
        own_.resize(std::max<std::size_t>(own_.size(), attribute.code_count));
        for (const Held& held : state.values(j).held()) {
            own_[held.code] = 1;
            own_mass += objective_.mass(j, held.code, held.code);
            for (std::uint32_t y = 0; y < width_ && secret; ++y) {
                own_joint[y] += objective_.joint(j, held.code, held.code, y);
            }
        }
    }
    joint_.resize(width_);
    for (std::size_t number = 0; number < closures.of.size(); ++number) {
        if (closures.uses[number] == 0) continue;
        const std::vector<std::uint32_t>& key = closures.of[number]->first;
        std::int64_t mass = own_mass;
        if (set) {
            std::copy(own_joint.begin(), own_joint.end(), joint_.begin());
            for (const std::uint32_t code : key) {
                if (own_[code]) continue;
                mass += objective_.mass(j, code, code);
                for (std::uint32_t y = 0; y < width_ && secret; ++y) {
                    joint_[y] += objective_.joint(j, code, code, y);
                }
            }
        } else {
            const Shape shape{std::min(key[0], state.values(j).low()),
                              std::max(key[1], state.values(j).high()), 0};
            const auto [first, last] = objective_.covered(j, shape);
            mass = objective_.mass(j, first, last);
            for (std::uint32_t y = 0; y < width_ && secret; ++y) {
                joint_[y] = objective_.joint(j, first, last, y);
            }
        }
        const double each = objective_.log2(mass) - share * all;
        double* price = closures.price.data() + number * width_;
        for (std::uint32_t y = 0; y < width_; ++y) {
            const double known = secret ? (1 - share) * objective_.log2(joint_[y]) : 0.0;
            price[y] = attribute.weight * (each - known);
        }
    }
    if (set) {
        for (const Held& held : state.values(j).held()) own_[held.code] = 0;
    }
}

Nearest InformationScan::nearest_older(std::size_t slot) {
    Candidates& known = candidates_[slot];
    if (known.version != version_[slot]) scan(slot);
    const auto first_alive = [&] {
        while (known.next < known.all.size()) {
            const Candidate& each = known.all[known.next];
            if (version_[static_cast<std::size_t>(each.slot)] == each.version) return true;
            ++known.next;
        }
        return false;
    };
    // A list that is not full had all older clusters in it.
    if (!first_alive() && known.all.size() == remembered) scan(slot);
    Nearest nearest;
    if (first_alive()) {
        nearest.distance = known.all[known.next].distance;
        nearest.slot = known.all[known.next].slot;
    }
    return nearest;
}

void InformationScan::scan(std::size_t slot) {
    const ClassState& state = states_[slot];
    const auto end = static_cast<std::size_t>(position_[slot]);
    for (std::size_t j = 0; j < closures_.size(); ++j) price_unions(j, state);

    // Estimates that are exact but for rounding, and the few least of them.
    constexpr double rounding = 1e-7;
    std::array<double, remembered> least;
    least.fill(infinite<double>);
    double limit = infinite<double>;
    estimate_.resize(std::max(estimate_.size(), end));
    const double* own = records_.data() + end * width_;
    std::vector<double> price(width_);
    const std::size_t attributes = closures_.size();
    std::vector<const double*> prices;
    for (const Closures& closures : closures_) prices.push_back(closures.price.data());
    const double* const* const price_of = prices.data();
    const std::uint32_t* closure = closure_.data();
    for (std::size_t i = 0; i < end; ++i, closure += attributes) {
        if (slot_[i] < 0) {
            estimate_[i] = infinite<double>;
            continue;
        }
        const double* records = records_.data() + i * width_;
        double cost = -(fixed_[i] + fixed_[end]);
        if (width_ == 1) {
            double sum = 0.0;
            for (std::size_t j = 0; j < attributes; ++j) sum += price_of[j][closure[j]];
            cost += (own[0] + records[0]) * sum;
        } else if (width_ == 2) {
            double first = 0.0, second = 0.0;
            for (std::size_t j = 0; j < attributes; ++j) {
                const double* each = price_of[j] + 2 * std::size_t{closure[j]};
                first += each[0];
                second += each[1];
            }
            cost += (own[0] + records[0]) * first + (own[1] + records[1]) * second;
        } else {
            std::fill(price.begin(), price.end(), 0.0);
            for (std::size_t j = 0; j < attributes; ++j) {
                const double* each = price_of[j] + width_ * closure[j];
                for (std::size_t y = 0; y < width_; ++y) price[y] += each[y];
            }
            for (std::size_t y = 0; y < width_; ++y) cost += (own[y] + records[y]) * price[y];
        }
        estimate_[i] = cost;
        if (cost < limit) {
            std::size_t place = remembered - 1;
            for (; place > 0 && least[place - 1] > cost; --place) least[place] = least[place - 1];
            least[place] = cost;
            limit = least.back();
        }
    }

    close_.clear();
    const double own_total = state.total(objective_);
    for (std::size_t i = 0; i < end; ++i) {
        if (slot_[i] < 0 || estimate_[i] > limit + rounding) continue;
        const auto other = static_cast<std::size_t>(slot_[i]);
        const double distance = state.total_united(objective_, states_[other]) -
                                (own_total + states_[other].total(objective_));
        close_.push_back({distance, slot_[i], version_[other]});
    }
    // Versions grow with youth: a tie goes to the oldest.
    std::sort(close_.begin(), close_.end(), [](const Candidate& a, const Candidate& b) {
        return std::tie(a.distance, a.version) < std::tie(b.distance, b.version);
    });
    Candidates& known = candidates_[slot];
    known.version = version_[slot];
    known.next = 0;
    known.all.assign(close_.begin(), close_.begin() + static_cast<std::ptrdiff_t>(
                                                          std::min(close_.size(), remembered)));
}

}  // namespace shoal
