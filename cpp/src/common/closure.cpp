#include "shoal/common/closure.hpp"

#include <algorithm>

namespace shoal {

bool ValueSet::contains(std::uint32_t code, std::uint32_t code_count) const {
    if (code_count <= mask_codes) return (mask_[code >> 6] >> (code & 63)) & 1u;
    return std::binary_search(sorted_.begin(), sorted_.end(), code);
}

bool ValueSet::insert(std::uint32_t code, std::uint32_t code_count) {
    if (code_count <= mask_codes) {
        const std::uint64_t bit = std::uint64_t{1} << (code & 63);
        if (mask_[code >> 6] & bit) return false;
        mask_[code >> 6] |= bit;
    } else {
        const auto place = std::lower_bound(sorted_.begin(), sorted_.end(), code);
        if (place != sorted_.end() && *place == code) return false;
        sorted_.insert(place, code);
    }
    ++count_;
    return true;
}

void Part::open(const Attribute& attribute, std::uint32_t code) {
    low = high = code;
    loss = 0.0;
    switch (attribute.kind) {
        case Kind::set:
            values.clear();
            values.insert(code, attribute.code_count);
            break;
        case Kind::tree:
            node = attribute.common_ancestor(code, code);
            loss = attribute.tree.node_loss[static_cast<std::size_t>(node)];
            break;
        case Kind::interval:
        case Kind::all_or_nothing:
            break;
    }
}

bool Part::add(const Attribute& attribute, std::uint32_t code) {
    bool grew = code < low || code > high;
    low = std::min(low, code);
    high = std::max(high, code);
    switch (attribute.kind) {
        case Kind::interval:
            if (grew) loss = attribute.interval_loss(low, high);
            break;
        case Kind::set:
            grew = values.insert(code, attribute.code_count);
            if (grew) loss = attribute.set_loss(values.count());
            break;
        case Kind::tree:
            if (grew) {
                node = attribute.common_ancestor(low, high);
                loss = attribute.tree.node_loss[static_cast<std::size_t>(node)];
            }
            break;
        case Kind::all_or_nothing:
            if (grew) loss = 1.0;
            break;
    }
    return grew;
}

double Part::loss_adding(const Attribute& attribute, std::uint32_t code) const {
    switch (attribute.kind) {
        case Kind::interval:
            return attribute.interval_loss(std::min(low, code), std::max(high, code));
        case Kind::set:
            if (values.contains(code, attribute.code_count)) return loss;
            return attribute.set_loss(values.count() + 1);
        case Kind::tree: {
            if (code >= low && code <= high) return loss;
            const auto above = attribute.common_ancestor(std::min(low, code), std::max(high, code));
            return attribute.tree.node_loss[static_cast<std::size_t>(above)];
        }
        case Kind::all_or_nothing:
            break;
    }
    return low == high && code == low ? 0.0 : 1.0;
}

void Closure::open(const Records& records, std::size_t row) {
    parts_.resize(records.attributes.size());
    for (std::size_t j = 0; j < parts_.size(); ++j) {
        parts_[j].open(records.attributes[j], records.attributes[j].code(row));
    }
}

void Closure::add(const Records& records, std::size_t row) {
    for (std::size_t j = 0; j < parts_.size(); ++j) {
        parts_[j].add(records.attributes[j], records.attributes[j].code(row));
    }
}

double Closure::loss(const Records& records) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < parts_.size(); ++j) {
        sum += records.attributes[j].weight * parts_[j].loss;
    }
    return sum;
}

double Closure::loss_adding(const Records& records, std::size_t row) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < parts_.size(); ++j) {
        const Attribute& attribute = records.attributes[j];
        sum += attribute.weight * parts_[j].loss_adding(attribute, attribute.code(row));
    }
    return sum;
}

}  // namespace shoal
