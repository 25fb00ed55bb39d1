#include "shoal/cover/cover_loss.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace shoal {

namespace {

constexpr std::uint32_t pair_table_codes = 256;

std::int32_t rounded(double value) { return static_cast<std::int32_t>(std::lround(value)); }

}  // namespace

CoverLoss::CoverLoss(const Records& records) : rows_(records.rows()) {
    const double total = records.weight_sum();
    const double scale = total > 0.0 ? static_cast<double>(whole) / total : 0.0;
    unit_ = scale > 0.0 ? 1.0 / scale : 0.0;
    attributes_.resize(records.attributes.size());
    for (std::size_t j = 0; j < attributes_.size(); ++j) {
        const shoal::Attribute& source = records.attributes[j];
        Attribute& made = attributes_[j];
        made.code_count = source.code_count;
        made.limit = rounded(source.weight * scale);
        made.value.resize(rows_);
        for (std::size_t r = 0; r < rows_; ++r) {
            made.value[r] = static_cast<std::int32_t>(source.code(r));
        }
        switch (source.kind) {
            case Kind::interval: {
                made.way = Way::interval;
                std::vector<std::int32_t> place(source.code_count);
                // Only widths below 1 matter: wider steps are narrowed, lest differences overflow.
                // They stay well above 1, which tells a missing value from the whole range.
                double before = 0.0, moved = 0.0;
                for (std::size_t c = 0; c < place.size(); ++c) {
                    const double position = source.positions[c];
                    if (c > 0) moved += std::min(position - before, 2.0);
                    before = position;
                    place[c] = rounded(std::min(moved, 7.0) * source.weight * scale);
                }
                for (auto& value : made.value) value = place[static_cast<std::size_t>(value)];
                break;
            }
            case Kind::all_or_nothing:
                made.way = Way::same;
                break;
            case Kind::tree:
                made.way = Way::tree;
                made.source = &source;
                for (const double loss : source.tree.node_loss) {
                    made.node_loss.push_back(rounded(loss * source.weight * scale));
                }
                if (source.code_count <= pair_table_codes) {
                    const std::uint32_t codes = source.code_count;
                    made.pair_loss.assign(static_cast<std::size_t>(codes) * codes, 0);
                    for (std::uint32_t low = 0; low < codes; ++low) {
                        for (std::uint32_t high = low; high < codes; ++high) {
                            const auto node =
                                static_cast<std::size_t>(source.common_ancestor(low, high));
                            made.pair_loss[low * codes + high] = made.node_loss[node];
                        }
                    }
                }
                break;
            case Kind::set:
                made.step = rounded(source.step * source.weight * scale);
                if (source.code_count <= mask_codes) {
                    made.way = Way::bits;
                    made.words.resize((source.code_count + 31) / 32);
                    for (auto& word : made.words) {
                        word.resize(rows_);
                        std::fill(word.begin(), word.end(), 0u);
                    }
                    for (std::size_t r = 0; r < rows_; ++r) {
                        const auto code = static_cast<std::uint32_t>(made.value[r]);
                        made.words[code / 32][r] = 1u << (code % 32);
                    }
                } else {
                    made.way = Way::listed;
                    made.first_row_of.assign(source.code_count + 1, 0);
                    for (const std::int32_t code : made.value) {
                        ++made.first_row_of[static_cast<std::size_t>(code) + 1];
                    }
                    for (std::size_t c = 0; c < source.code_count; ++c) {
                        made.first_row_of[c + 1] += made.first_row_of[c];
                    }
                    made.rows_by_code.resize(rows_);
                    auto next = made.first_row_of;
                    for (std::size_t r = 0; r < rows_; ++r) {
                        auto& place = next[static_cast<std::size_t>(made.value[r])];
                        made.rows_by_code[static_cast<std::size_t>(place++)] =
                            static_cast<std::int32_t>(r);
                    }
                }
        }
    }
    table_.resize(rows_ * attributes_.size());
    for (std::size_t j = 0; j < attributes_.size(); ++j) {
        for (std::size_t r = 0; r < rows_; ++r) {
            table_[r * attributes_.size() + j] = attributes_[j].value[r];
        }
    }
}

std::int32_t CoverLoss::tree_loss(const Attribute& attribute, std::int32_t low,
                                  std::int32_t high) const {
    if (!attribute.pair_loss.empty()) {
        return attribute.pair_loss[static_cast<std::size_t>(low) * attribute.code_count +
                                   static_cast<std::size_t>(high)];
    }
    const auto node = attribute.source->common_ancestor(static_cast<std::uint32_t>(low),
                                                        static_cast<std::uint32_t>(high));
    return attribute.node_loss[static_cast<std::size_t>(node)];
}

std::int32_t CoverLoss::ordered_loss(std::size_t j, std::int32_t low, std::int32_t high) const {
    const Attribute& attribute = attributes_[j];
    if (attribute.way == Way::tree) return tree_loss(attribute, low, high);
    if (attribute.way == Way::same) return low == high ? 0 : attribute.limit;
    return std::min(attribute.limit, high - low);
}

bool CoverLoss::listed_holds(const Attribute& attribute, std::span<const std::int32_t> members,
                             std::int32_t code) {
    return std::any_of(members.begin(), members.end(), [&](std::int32_t member) {
        return attribute.value[static_cast<std::size_t>(member)] == code;
    });
}

void CoverLoss::open(HullPart* hull, std::int32_t row) const {
    for (std::size_t j = 0; j < attributes_.size(); ++j) {
        const Attribute& attribute = attributes_[j];
        const std::int32_t value = attribute.value[static_cast<std::size_t>(row)];
        HullPart part;
        part.low = part.high = value;
        part.count = 1;
        if (attribute.way == Way::bits) part.mask[value / 64] = std::uint64_t{1} << (value % 64);
        if (attribute.way == Way::tree) part.loss = tree_loss(attribute, value, value);
        hull[j] = part;
    }
}

void CoverLoss::add(HullPart* hull, std::span<const std::int32_t> members, std::int32_t row) const {
    for (std::size_t j = 0; j < attributes_.size(); ++j) {
        const Attribute& attribute = attributes_[j];
        HullPart& part = hull[j];
        const std::int32_t value = attribute.value[static_cast<std::size_t>(row)];
        switch (attribute.way) {
            case Way::interval:
                part.low = std::min(part.low, value);
                part.high = std::max(part.high, value);
                part.loss = std::min(attribute.limit, part.high - part.low);
                break;
            case Way::bits: {
                const std::uint64_t bit = std::uint64_t{1} << (value % 64);
                if (!(part.mask[value / 64] & bit)) {
                    part.mask[value / 64] |= bit;
                    part.loss = std::min(attribute.limit, part.count++ * attribute.step);
                }
                break;
            }
            case Way::listed:
                if (!listed_holds(attribute, members, value)) {
                    part.loss = std::min(attribute.limit, part.count++ * attribute.step);
                }
                break;
            case Way::tree:
                part.low = std::min(part.low, value);
                part.high = std::max(part.high, value);
                part.loss = tree_loss(attribute, part.low, part.high);
                break;
            case Way::same:
                if (value != part.low) {
                    part.high = -1;
                    part.loss = attribute.limit;
                }
        }
    }
}

void CoverLoss::close(HullPart* hull, std::span<const std::int32_t> members) const {
    const std::size_t width = attributes_.size();
    for (std::size_t j = 0; j < width; ++j) {
        const Attribute& attribute = attributes_[j];
        const std::int32_t* value = table_.data() + j;
        const auto of = [&](std::int32_t row) {
            return value[static_cast<std::size_t>(row) * width];
        };
        HullPart part;
        part.count = 1;
        part.low = part.high = of(members[0]);
        switch (attribute.way) {
            case Way::interval:
            case Way::tree:
                for (const std::int32_t row : members) {
                    part.low = std::min(part.low, of(row));
                    part.high = std::max(part.high, of(row));
                }
                part.loss = attribute.way == Way::tree
                                ? tree_loss(attribute, part.low, part.high)
                                : std::min(attribute.limit, part.high - part.low);
                break;
            case Way::bits:
                for (const std::int32_t row : members) {
                    part.mask[of(row) / 64] |= std::uint64_t{1} << (of(row) % 64);
                }
                part.count = std::popcount(part.mask[0]) + std::popcount(part.mask[1]);
                part.loss = std::min(attribute.limit, (part.count - 1) * attribute.step);
                break;
            case Way::listed:
                for (std::size_t m = 1; m < members.size(); ++m) {
                    part.count += !listed_holds(attribute, members.first(m), of(members[m]));
                }
                part.loss = std::min(attribute.limit, (part.count - 1) * attribute.step);
                break;
            case Way::same:
                for (const std::int32_t row : members) {
                    if (of(row) == part.low) continue;
                    part.high = -1;
                    part.loss = attribute.limit;
                }
        }
        hull[j] = part;
    }
}

std::int32_t CoverLoss::loss(const HullPart* hull) const {
    std::int32_t sum = 0;
    for (std::size_t j = 0; j < attributes_.size(); ++j) sum += hull[j].loss;
    return sum;
}

std::int32_t CoverLoss::part_adding(std::size_t j, const HullPart& part,
                                    std::span<const std::int32_t> members, std::int32_t row) const {
    const Attribute& attribute = attributes_[j];
    const std::int32_t value = attribute.value[static_cast<std::size_t>(row)];
    switch (attribute.way) {
        case Way::interval:
            return std::min(attribute.limit,
                            std::max(part.high, value) - std::min(part.low, value));
        case Way::bits:
            return part.mask[value / 64] >> (value % 64) & 1
                       ? part.loss
                       : std::min(attribute.limit, part.count * attribute.step);
        case Way::listed:
            return listed_holds(attribute, members, value)
                       ? part.loss
                       : std::min(attribute.limit, part.count * attribute.step);
        case Way::tree:
            return tree_loss(attribute, std::min(part.low, value), std::max(part.high, value));
        case Way::same:
            break;
    }
    return value == part.low && part.high == part.low ? part.loss : attribute.limit;
}

bool CoverLoss::covers(const HullPart* hull, std::span<const std::int32_t> members,
                       std::int32_t row) const {
    for (std::size_t j = 0; j < attributes_.size(); ++j) {
        const Attribute& attribute = attributes_[j];
        const HullPart& part = hull[j];
        const std::int32_t value = attribute.value[static_cast<std::size_t>(row)];
        bool inside = true;
        switch (attribute.way) {
            case Way::interval:
                // Far wider than everything: missing and numbers mixed, which shows nothing.
                inside = (part.low <= value && value <= part.high) ||
                         part.high - part.low > attribute.limit + attribute.limit / 2;
                break;
            case Way::bits:
                inside = part.mask[value / 64] >> (value % 64) & 1;
                break;
            case Way::listed:
                inside = listed_holds(attribute, members, value);
                break;
            case Way::tree: {
                const auto node = static_cast<std::size_t>(attribute.source->common_ancestor(
                    static_cast<std::uint32_t>(part.low), static_cast<std::uint32_t>(part.high)));
                const Tree& tree = attribute.source->tree;
                inside = tree.node_first[node] <= value && value <= tree.node_last[node];
                break;
            }
            case Way::same:
                inside = part.high != part.low || value == part.low;
        }
        if (!inside) return false;
    }
    return true;
}

std::int32_t CoverLoss::loss_adding(const HullPart* hull, std::span<const std::int32_t> members,
                                    std::int32_t row) const {
    std::int32_t sum = 0;
    for (std::size_t j = 0; j < attributes_.size(); ++j) {
        sum += part_adding(j, hull[j], members, row);
    }
    return sum;
}

}  // namespace shoal
