#include <algorithm>
#include <limits>
#include <numeric>

#include "common/clones.hpp"
#include "shoal/scan/scan.hpp"

namespace shoal {

Layout::Layout(const Records& records)
    : attribute(records.attributes.size()), slot(records.attributes.size()) {
    const auto& attributes = records.attributes;
    std::iota(attribute.begin(), attribute.end(), 0u);
    std::stable_sort(attribute.begin(), attribute.end(), [&](std::uint32_t a, std::uint32_t b) {
        return attributes[a].code_count < attributes[b].code_count;
    });
    for (std::uint32_t s = 0; s < attribute.size(); ++s) {
        const std::uint32_t codes = attributes[attribute[s]].code_count;
        slot[attribute[s]] = s;
        used.push_back(std::min(codes, buckets));
        if (codes <= buckets) exact_slots = s + 1;
        if (codes <= table) table_slots = s + 1;
    }

    // The greatest scale at which no sum of quanta can overflow; rounding adds at most one quantum
    // an attribute, and the greatest 16-bit score is kept free for "no record".
    const double count = static_cast<double>(attributes.size());
    const double total = records.weight_sum();
    scale = total > 0.0 ? (65534.0 - count) / total : 0.0;
    const auto slots = static_cast<std::uint32_t>(attribute.size());
    for (std::uint32_t begin = 0; begin < slots; begin += group_size) {
        const Group group{begin, std::min<std::uint32_t>(begin + group_size, slots)};
        double weight = 0.0;
        for (std::uint32_t s = group.begin; s < group.end; ++s) {
            weight += attributes[attribute[s]].weight;
        }
        if (weight > 0.0) {
            scale = std::min(scale, (255.0 * radix - static_cast<double>(group_size)) / weight);
        }
        groups.push_back(group);
    }
}

Alive::Alive(const Records& records, const Layout& layout, std::span<const std::int32_t> rows)
    : bytes_(layout.attribute.size()),
      codes_(layout.attribute.size() - layout.exact_slots),
      position_(rows.size()),
      index_(rows.size()) {
    const std::size_t padded = (rows.size() + block - 1) / block * block;
    for (std::size_t s = 0; s < bytes_.size(); ++s) {
        const Attribute& attribute = records.attributes[layout.attribute[s]];
        BulkVector<std::uint8_t>& bytes = bytes_[s];
        bytes.assign(padded, 0);
        const bool is_exact = s < layout.exact_slots;
        if (!is_exact) codes_[s - layout.exact_slots].resize(padded);
        std::visit(
            [&](const auto& codes) {
                for (std::size_t p = 0; p < rows.size(); ++p) {
                    const std::uint32_t code = codes[static_cast<std::size_t>(rows[p])];
                    bytes[p] = static_cast<std::uint8_t>(Layout::bucket(attribute, code));
                    if (!is_exact) codes_[s - layout.exact_slots][p] = code;
                }
            },
            attribute.codes);
        columns_.push_back(bytes.data());
    }
    std::iota(position_.begin(), position_.end(), 0);
    std::iota(index_.begin(), index_.end(), 0);
}

void Alive::remove(std::size_t index) {
    const std::size_t last = position_.size() - 1;
    for (auto& column : bytes_) column[index] = column[last];
    for (auto& column : codes_) column[index] = column[last];
    index_[static_cast<std::size_t>(position_[last])] = static_cast<std::int32_t>(index);
    index_[static_cast<std::size_t>(position_[index])] = -1;
    position_[index] = position_[last];
    position_.pop_back();
}

void Alive::restore(const Records& records, const Layout& layout, std::int32_t row,
                    std::int32_t position) {
    const std::size_t last = position_.size();
    for (std::size_t s = 0; s < bytes_.size(); ++s) {
        const Attribute& attribute = records.attributes[layout.attribute[s]];
        const std::uint32_t code = attribute.code(static_cast<std::size_t>(row));
        bytes_[s][last] = static_cast<std::uint8_t>(Layout::bucket(attribute, code));
        if (s >= layout.exact_slots) codes_[s - layout.exact_slots][last] = code;
    }
    index_[static_cast<std::size_t>(position)] = static_cast<std::int32_t>(last);
    position_.push_back(position);
}

Query::Query(const Records& records, const Layout& layout, Aim aim)
    : records_(records),
      layout_(layout),
      aim_(aim),
      exact_(records.attributes.size() * Layout::buckets),
      base_(records.attributes.size()),
      reference_(records.attributes.size()),
      planes_(records.attributes.size() * 2 * Layout::buckets),
      tables_(layout.table_slots * Layout::table),
      alike_(records.attributes.size()),
      raised_(records.attributes.size()) {
    std::fill(planes_.begin(), planes_.end(), std::uint8_t{0});
}

void Query::open(std::size_t row) {
    closure_.open(records_, row);
    for (std::size_t j = 0; j < base_.size(); ++j) renew(j);
}

void Query::open(std::span<const std::int32_t> rows) {
    closure_.open(records_, static_cast<std::size_t>(rows.front()));
    for (const std::int32_t row : rows.subspan(1)) {
        for (std::size_t j = 0; j < base_.size(); ++j) {
            closure_.add(records_, j, static_cast<std::size_t>(row));
        }
    }
    for (std::size_t j = 0; j < base_.size(); ++j) renew(j);
}

void Query::add(std::size_t row) {
    for (std::size_t j = 0; j < base_.size(); ++j) {
        if (closure_.add(records_, j, row)) renew(j);
    }
}

std::uint32_t Query::margin() const {
    const auto attributes = static_cast<std::uint32_t>(base_.size());
    const auto raised = static_cast<std::uint32_t>(std::count(raised_.begin(), raised_.end(), 1));
    return attributes + raised + 1;
}

std::uint32_t Query::quantise(double exact, double reference) const {
    if (aim_ == Aim::furthest) {
        return static_cast<std::uint32_t>((reference - exact) * layout_.scale + 0.5);
    }
    const double growth = exact - reference;
    const auto quanta = static_cast<std::uint32_t>(growth * layout_.scale + 0.5);
    return quanta == 0 && growth > 0.0 ? 1 : quanta;  // zero must mean "no growth at all"
}

namespace {

// Calls emit(first, last, loss) for runs of codes that cover the domain; later runs prevail.
template <class Emit>
void for_each_run(const Attribute& attribute, const Part& part, Emit emit) {
    const std::uint32_t last = attribute.code_count - 1;
    switch (attribute.kind) {
        case Kind::interval:
            for (std::uint32_t c = 0; c < part.low; ++c) {
                emit(c, c, attribute.interval_loss(c, part.high));
            }
            emit(part.low, part.high, part.loss);
            for (std::uint32_t c = part.high + 1; c <= last; ++c) {
                emit(c, c, attribute.interval_loss(part.low, c));
            }
            break;
        case Kind::set:
            emit(0u, last, attribute.set_loss(part.values.count() + 1));
            part.values.for_each([&](std::uint32_t c) { emit(c, c, part.loss); });
            break;
        case Kind::tree: {
            const Tree& tree = attribute.tree;
            auto first_done =
                static_cast<std::uint32_t>(tree.node_first[static_cast<std::size_t>(part.node)]);
            auto last_done =
                static_cast<std::uint32_t>(tree.node_last[static_cast<std::size_t>(part.node)]);
            emit(first_done, last_done, part.loss);
            for (std::uint32_t level = 0; level < tree.levels; ++level) {
                const auto node =
                    static_cast<std::size_t>(tree.above(level, part.low, attribute.code_count));
                const auto node_first = static_cast<std::uint32_t>(tree.node_first[node]);
                const auto node_last = static_cast<std::uint32_t>(tree.node_last[node]);
                if (node_first < first_done) emit(node_first, first_done - 1, tree.node_loss[node]);
                if (node_last > last_done) emit(last_done + 1, node_last, tree.node_loss[node]);
                first_done = std::min(first_done, node_first);
                last_done = std::max(last_done, node_last);
            }
            break;
        }
        case Kind::all_or_nothing:
            emit(0u, last, 1.0);
            if (part.low == part.high) emit(part.low, part.low, 0.0);
            break;
    }
}

struct Quantising {
    double low, high;  // positions of the ends of the interval
    double weight, reference, scale;
    bool nearest;
};

// Same arithmetic as `quantise`, without branches: tables are filled at every change.
SHOAL_CLONED(void, quantise_interval,
             (const double* positions, std::uint32_t count, const Quantising& by,
              std::uint16_t* table),
             (positions, count, by, table)) {
    const double sign = by.nearest ? 1.0 : -1.0;
    const double low = by.low, high = by.high, weight = by.weight, reference = by.reference;
    const double scale = by.scale;
    const std::int32_t raised = by.nearest ? 1 : 0;
    for (std::uint32_t c = 0; c < count; ++c) {
        const double width =
            (positions[c] > high ? positions[c] : high) - (positions[c] < low ? positions[c] : low);
        const double growth = sign * (weight * (width < 1.0 ? width : 1.0) - reference);
        const auto quanta = static_cast<std::int32_t>(growth * scale + 0.5);
        const std::int32_t least = growth > 0.0 ? raised : 0;
        table[c] = static_cast<std::uint16_t>(quanta < least ? least : quanta);
    }
}

}  // namespace

void Query::renew(std::size_t j) {
    const Attribute& attribute = records_.attributes[j];
    const Part& part = closure_.parts()[j];
    const std::size_t slot = layout_.slot[j];
    base_[j] = attribute.weight * part.loss;
    reference_[j] = aim_ == Aim::nearest ? base_[j] : attribute.weight;
    Buckets least{};
    raised_[j] = true;  // at worst, which only widens the margin
    if (layout_.has_bucket_per_code(j)) {
        double* exact = exact_.data() + j * Layout::buckets;
        for_each_run(attribute, part, [&](std::uint32_t first, std::uint32_t last, double loss) {
            std::fill(exact + first, exact + last + 1, attribute.weight * loss);
        });
        bool raised = false;
        for (std::uint32_t c = 0; c < attribute.code_count; ++c) {
            least[c] = quantise(exact[c], reference_[j]);
            raised = raised || (least[c] == 1 && exact[c] > reference_[j]);
        }
        raised_[j] = raised;
    } else {
        if (layout_.has_table(slot)) fill_table(j);
        if (attribute.kind == Kind::interval) {
            fill_interval(j, least);
        } else {
            fill_by_runs(j, least);
        }
    }
    std::uint8_t* low = planes_.data() + slot * 2 * Layout::buckets;
    for (std::uint32_t bucket = 0; bucket < Layout::buckets; ++bucket) {
        low[bucket] = static_cast<std::uint8_t>(least[bucket] % Layout::radix);
        low[Layout::buckets + bucket] = static_cast<std::uint8_t>(least[bucket] / Layout::radix);
    }
}

void Query::fill_table(std::size_t j) {
    const Attribute& attribute = records_.attributes[j];
    std::uint16_t* table = tables_.data() + layout_.slot[j] * Layout::table;
    if (attribute.kind == Kind::interval) {
        const Part& part = closure_.parts()[j];
        const double* positions = attribute.positions.data();
        const Quantising by{positions[part.low], positions[part.high], attribute.weight,
                            reference_[j],       layout_.scale,        aim_ == Aim::nearest};
        quantise_interval(positions, attribute.code_count, by, table);
    } else {
        for_each_run(attribute, closure_.parts()[j],
                     [&](std::uint32_t first, std::uint32_t last, double loss) {
                         std::fill(table + first, table + last + 1,
                                   static_cast<std::uint16_t>(
                                       quantise(attribute.weight * loss, reference_[j])));
                     });
    }
}

// Losses rise with the distance from the interval: the codes nearest to it and furthest from it
// are ends of their bucket, or where the interval begins.
void Query::fill_interval(std::size_t j, Buckets& least) {
    const Attribute& attribute = records_.attributes[j];
    const Part& part = closure_.parts()[j];
    const std::size_t slot = layout_.slot[j];
    const auto begin_of = [&](std::uint64_t bucket) {
        return static_cast<std::uint32_t>((bucket * attribute.code_count + Layout::buckets - 1) /
                                          Layout::buckets);
    };
    const auto fill = [&](auto quanta_of) {
        std::uint64_t alike = 0;
        std::uint32_t first = 0;
        for (std::uint32_t bucket = 0; bucket < Layout::buckets; ++bucket) {
            const std::uint32_t next = begin_of(bucket + 1), last = next - 1;
            least[bucket] = aim_ == Aim::nearest ? quanta_of(std::clamp(part.low, first, last))
                                                 : std::min(quanta_of(first), quanta_of(last));
            const bool inside = first >= part.low && last <= part.high;
            alike |= std::uint64_t{inside} << bucket;
            first = next;
        }
        alike_[slot] = alike;
    };
    if (layout_.has_table(slot)) {
        const std::uint16_t* table = tables_.data() + slot * Layout::table;
        fill([table](std::uint32_t code) { return std::uint32_t{table[code]}; });
    } else {
        fill([this, slot](std::uint32_t code) { return quanta(slot, code); });
    }
}

void Query::fill_by_runs(std::size_t j, Buckets& least) {
    const Attribute& attribute = records_.attributes[j];
    const std::size_t slot = layout_.slot[j];
    least.fill(std::numeric_limits<std::uint32_t>::max());
    alike_[slot] = ~std::uint64_t{0};
    for_each_run(
        attribute, closure_.parts()[j], [&](std::uint32_t first, std::uint32_t last, double loss) {
            const std::uint32_t run = quantise(attribute.weight * loss, reference_[j]);
            if (first == 0 && last + 1 == attribute.code_count) {  // then it is the first run
                least.fill(run);
                return;
            }
            // Where each code counts for itself, every other run is one code.
            const std::uint32_t end = Layout::bucket(attribute, last);
            for (std::uint32_t bucket = Layout::bucket(attribute, first); bucket <= end; ++bucket) {
                const std::uint32_t before = least[bucket];
                least[bucket] = std::min(before, run);
                const bool unlike =
                    before != std::numeric_limits<std::uint32_t>::max() && before != run;
                alike_[slot] &= ~(std::uint64_t{unlike} << bucket);
            }
        });
}

}  // namespace shoal
