#include "shoal/exact/pricing_table.hpp"

#include "common/scalars.hpp"

namespace shoal::pricing {

namespace {

constexpr std::uint32_t mask_codes = 64;

}  // namespace

PricingTable::PricingTable(const Records& records) : counts_(records.counts) {
    std::vector<RoundedAttribute> rounded = rounded_attributes(records);
    for (const RoundedAttribute& attribute : rounded) {
        if (attribute.source->kind == Kind::interval) {
            weights_.push_back(attribute.weight);
            ++intervals_;
        }
    }
    positions_.resize(rows() * intervals_);
    std::size_t interval = 0;
    for (RoundedAttribute& attribute : rounded) {
        const Attribute& source = *attribute.source;
        if (source.kind == Kind::interval) {
            for (std::size_t row = 0; row < rows(); ++row) {
                positions_[row * intervals_ + interval] = attribute.positions[source.code(row)];
            }
            ++interval;
            continue;
        }
        Listed listed;
        listed.kind = source.kind;
        listed.masked = source.kind == Kind::set && source.code_count <= mask_codes;
        for (std::size_t row = 0; row < rows(); ++row) listed.codes.push_back(source.code(row));
        listed.rounded = std::move(attribute);
        listed_.push_back(std::move(listed));
    }
}

Grown PricingTable::closure() const {
    Grown made;
    made.low.resize(intervals_);
    made.high.resize(intervals_);
    made.listed.resize(listed_.size());
    return made;
}

void PricingTable::open(Grown& closure, std::size_t row) const {
    const double* at = positions_.data() + row * intervals_;
    std::copy(at, at + intervals_, closure.low.begin());
    std::copy(at, at + intervals_, closure.high.begin());
    for (std::size_t j = 0; j < listed_.size(); ++j) {
        const std::uint32_t code = listed_[j].codes[row];
        ListedPart& part = closure.listed[j];
        part.low = part.high = code;
        part.distinct = 1;
        part.mask = listed_[j].masked ? std::uint64_t{1} << code : 0;
        part.held.assign(1, code);
    }
    // Under a lowest level even one value loses something.
    closure.loss = loss_with(closure, row);
}

void PricingTable::widen(const Grown& from, std::size_t row, double loss, Grown& closure) const {
    const double* at = positions_.data() + row * intervals_;
    for (std::size_t j = 0; j < intervals_; ++j) {
        closure.low[j] = std::min(from.low[j], at[j]);
        closure.high[j] = std::max(from.high[j], at[j]);
    }
    for (std::size_t j = 0; j < listed_.size(); ++j) {
        const auto& attribute = listed_[j];
        const std::uint32_t code = attribute.codes[row];
        const bool fresh = !holds(attribute, from.listed[j], code);
        ListedPart& part = closure.listed[j];
        part.low = std::min(from.listed[j].low, code);
        part.high = std::max(from.listed[j].high, code);
        part.distinct = from.listed[j].distinct + (fresh ? 1 : 0);
        if (attribute.kind != Kind::set) continue;
        if (attribute.masked) {
            part.mask = from.listed[j].mask | std::uint64_t{1} << code;
        } else {
            part.held = from.listed[j].held;
            if (fresh) part.held.push_back(code);
        }
    }
    closure.loss = loss;
}

std::vector<double> PricingTable::costs(std::span<const std::int64_t> start,
                                        std::span<const std::int32_t> row,
                                        std::span<const std::int32_t> count) const {
    std::vector<double> all(start.size() - 1, 0.0);
    for (std::size_t s = 0; s < all.size(); ++s) {
        const auto members = row.subspan(static_cast<std::size_t>(start[s]),
                                         static_cast<std::size_t>(start[s + 1] - start[s]));
        double loss = 0.0;
        for (std::size_t j = 0; j < intervals_; ++j) {
            double low = infinite<double>, high = -infinite<double>;
            for (const std::int32_t member : members) {
                const double at = positions_[static_cast<std::size_t>(member) * intervals_ + j];
                low = std::min(low, at);
                high = std::max(high, at);
            }
            loss += std::min(high - low, weights_[j]);
        }
        for (const Listed& attribute : listed_) {
            std::vector<std::uint32_t> codes;
            for (const std::int32_t member : members) {
                codes.push_back(attribute.codes[static_cast<std::size_t>(member)]);
            }
            std::sort(codes.begin(), codes.end());
            const std::uint32_t low = codes.front(), high = codes.back();
            codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
            loss += attribute.kind == Kind::set
                        ? attribute.rounded.set(static_cast<std::uint32_t>(codes.size()))
                    : attribute.kind == Kind::tree ? attribute.rounded.tree(low, high)
                                                   : attribute.rounded.all_or_nothing(low, high);
        }
        std::int64_t size = 0;
        for (std::int64_t i = start[s]; i < start[s + 1]; ++i) {
            size += count[static_cast<std::size_t>(i)];
        }
        all[s] = static_cast<double>(size) * loss;
    }
    return all;
}

}  // namespace shoal::pricing
