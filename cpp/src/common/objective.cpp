#include "shoal/common/objective.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace shoal {

Objective::Objective(const Records& records) : records_(&records), plain_(true) {}

Objective::Objective(const Records& records, double w, std::vector<std::uint32_t> secret,
                     std::uint32_t secret_count)
    : records_(&records),
      plain_(false),
      share_(w),
      secret_(std::move(secret)),
      secret_count_(w < 1 ? secret_count : 0) {
    const std::size_t attributes = records.attributes.size();
    log2_.resize(
        std::min<std::size_t>(static_cast<std::size_t>(records.total) + 1, SHOAL_LOGARITHMS));
    for (std::size_t i = 1; i < log2_.size(); ++i) log2_[i] = std::log2(static_cast<double>(i));
    log2_total_ = log2(records.total);
    constant_.assign(records.rows(), 0.0);
    below_.resize(attributes);
    joint_below_.resize(attributes);
    const std::size_t width = secret_count_;
    for (std::size_t j = 0; j < attributes; ++j) {
        const Attribute& attribute = records.attributes[j];
        const std::size_t codes = attribute.code_count;
        auto& below = below_[j];
        auto& joint = joint_below_[j];
        below.assign(codes + 1, 0);
        joint.assign(width > 0 ? (codes + 1) * width : 0, 0);
        for (std::size_t row = 0; row < records.rows(); ++row) {
            const auto count = static_cast<std::uint32_t>(records.counts[row]);
            const std::size_t next = attribute.code(row) + std::size_t{1};
            below[next] += count;
            if (width > 0) joint[next * width + secret_[row]] += count;
        }
        for (std::size_t row = 0; row < records.rows() && share_ > 0; ++row) {
            const double value = log2(below[attribute.code(row) + std::size_t{1}]);
            constant_[row] += share_ * attribute.weight * (log2_total_ - value);
        }
        for (std::size_t code = 0; code < codes; ++code) below[code + 1] += below[code];
        for (std::size_t at = width; at < joint.size(); ++at) joint[at] += joint[at - width];
    }
}

Objective::Covered Objective::covered(std::size_t j, const Shape& shape) const {
    const Attribute& attribute = records_->attributes[j];
    const Covered all{0, attribute.code_count - 1};
    const bool one = shape.low == shape.high;
    switch (attribute.kind) {
        case Kind::interval:
            // Further apart than the whole range: numbers mixed with the missing value.
            if (attribute.positions[shape.high] - attribute.positions[shape.low] > 1.5) return all;
            return {shape.low, shape.high};
        case Kind::tree: {
            const auto node =
                static_cast<std::size_t>(attribute.common_ancestor(shape.low, shape.high));
            return {static_cast<std::uint32_t>(attribute.tree.node_first[node]),
                    static_cast<std::uint32_t>(attribute.tree.node_last[node])};
        }
        case Kind::all_or_nothing:
        case Kind::set:
            break;
    }
    return one ? Covered{shape.low, shape.low} : all;
}

}  // namespace shoal
