#include "common/class_members.hpp"

#include <algorithm>

namespace shoal {

std::size_t ClassMembers::find(std::int32_t row) {
    if (places_.size() >= worth_an_index) {
        if (index_.empty()) index_all();
        ++looks_;
        const auto found = index_.find(row);
        return found == index_.end() ? nowhere : found->second;
    }
    for (std::size_t place = 0; place < places_.size(); ++place) {
        ++looks_;
        if (places_[place].row == row) return place;
    }
    return nowhere;
}

void ClassMembers::add(std::int32_t row, std::int32_t count) {
    const std::size_t place = find(row);
    if (place != nowhere && places_[place].count > 0) {
        places_[place].count += count;
        return;
    }
    if (place != nowhere) {
        // It left and comes back: at the end, like any other.
        places_[place].row = -1;
        index_.erase(row);
    }
    places_.push_back({row, count});
    ++used_;
    if (!index_.empty()) index_.emplace(row, places_.size() - 1);
}

void ClassMembers::remove(std::int32_t row, std::int32_t count) {
    Piece& member = places_[find(row)];
    member.count -= count;
    if (member.count > 0) return;
    --used_;
    if (2 * used_ < places_.size()) compact();
}

void ClassMembers::unite(const ClassMembers& other) {
    places_.insert(places_.end(), other.places_.begin(), other.places_.end());
    looks_ += other.looks_;
    std::erase_if(places_, [](const Piece& each) { return each.count == 0; });
    std::sort(places_.begin(), places_.end(),
              [](const Piece& a, const Piece& b) { return a.row < b.row; });
    std::size_t distinct = 0;
    for (const Piece& each : places_) {
        if (distinct > 0 && places_[distinct - 1].row == each.row) {
            places_[distinct - 1].count += each.count;
        } else {
            places_[distinct++] = each;
        }
    }
    places_.resize(distinct);
    used_ = distinct;
    index_.clear();
}

void ClassMembers::clear() {
    places_.clear();
    index_.clear();
    used_ = 0;
    looks_ = 0;
}

std::vector<Piece> ClassMembers::list() const {
    std::vector<Piece> members;
    members.reserve(used_);
    for (const Piece& each : places_) {
        if (each.count > 0) members.push_back(each);
    }
    return members;
}

void ClassMembers::compact() {
    std::erase_if(places_, [](const Piece& each) { return each.count == 0; });
    index_.clear();
}

void ClassMembers::index_all() {
    index_.reserve(2 * places_.size());
    for (std::size_t place = 0; place < places_.size(); ++place) {
        if (places_[place].row >= 0) index_.emplace(places_[place].row, place);
    }
}

}  // namespace shoal
