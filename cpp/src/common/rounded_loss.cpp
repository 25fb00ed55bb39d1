#include "shoal/common/rounded_loss.hpp"

#include <cmath>

namespace shoal {

std::vector<RoundedAttribute> rounded_attributes(const Records& records) {
    constexpr int bits = 40;
    int exponent = 0;
    std::frexp(records.weight_sum(), &exponent);
    const double quantum = std::ldexp(1.0, exponent - bits);
    const auto rounded = [quantum](double value) {
        return std::nearbyint(value / quantum) * quantum;
    };

    std::vector<RoundedAttribute> attributes(records.attributes.size());
    for (std::size_t j = 0; j < attributes.size(); ++j) {
        const Attribute& source = records.attributes[j];
        RoundedAttribute& made = attributes[j];
        made.source = &source;
        made.weight = rounded(source.weight);
        made.step = rounded(source.weight * source.step);
        for (const double position : source.positions) {
            made.positions.push_back(rounded(source.weight * position));
        }
        for (const double loss : source.tree.node_loss) {
            made.node_losses.push_back(rounded(source.weight * loss));
        }
    }
    return attributes;
}

}  // namespace shoal
