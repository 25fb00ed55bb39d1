#include <algorithm>
#include <limits>
#include <numeric>

#include "shoal/scan/scan.hpp"

namespace shoal {

Layout::Layout(const Records& records) : slot(records.attributes.size()) {
    const auto& attributes = records.attributes;
    for (std::uint32_t j = 0; j < attributes.size(); ++j) {
        (is_narrow(records, j) ? narrow : wide).push_back(j);
    }
    std::stable_sort(narrow.begin(), narrow.end(), [&](std::uint32_t a, std::uint32_t b) {
        return attributes[a].code_count < attributes[b].code_count;
    });
    for (std::uint32_t s = 0; s < narrow.size(); ++s) slot[narrow[s]] = s;
    for (std::uint32_t s = 0; s < wide.size(); ++s) slot[wide[s]] = s;

    // The greatest scale at which no sum of quanta can overflow; rounding adds at most one quantum
    // an attribute, and the greatest 16-bit score is kept free for "no record".
    const double count = static_cast<double>(attributes.size());
    const double total = records.weight_sum();
    scale = total > 0.0 ? (65534.0 - count) / total : 0.0;
    for (std::uint32_t begin = 0; begin < narrow.size(); begin += group_size) {
        const auto end =
            std::min<std::uint32_t>(begin + group_size, static_cast<std::uint32_t>(narrow.size()));
        Group group{begin, begin, begin, end};
        double weight = 0.0;
        for (std::uint32_t s = begin; s < end; ++s) {
            const Attribute& attribute = attributes[narrow[s]];
            weight += attribute.weight;
            if (attribute.code_count <= 64) group.end_64 = s + 1;
            if (attribute.code_count <= 128) group.end_128 = s + 1;
        }
        group.end_128 = std::max(group.end_128, group.end_64);
        if (weight > 0.0) {
            scale = std::min(scale, (255.0 * radix - static_cast<double>(group_size)) / weight);
        }
        groups.push_back(group);
    }
}

Alive::Alive(const Records& records, const Layout& layout, std::span<const std::int32_t> rows)
    : narrow_(layout.narrow.size()),
      wide_(layout.wide.size()),
      position_(rows.size()),
      index_(rows.size()) {
    const std::size_t padded = (rows.size() + block - 1) / block * block;
    const auto gather = [&](const Attribute& attribute, auto& column) {
        column.assign(padded, 0);
        std::visit(
            [&](const auto& codes) {
                for (std::size_t p = 0; p < rows.size(); ++p) {
                    column[p] = static_cast<typename std::decay_t<decltype(column)>::value_type>(
                        codes[static_cast<std::size_t>(rows[p])]);
                }
            },
            attribute.codes);
    };
    for (std::size_t s = 0; s < narrow_.size(); ++s) {
        gather(records.attributes[layout.narrow[s]], narrow_[s]);
        narrow_data_.push_back(narrow_[s].data());
    }
    for (std::size_t s = 0; s < wide_.size(); ++s) {
        gather(records.attributes[layout.wide[s]], wide_[s]);
    }
    std::iota(position_.begin(), position_.end(), 0);
    std::iota(index_.begin(), index_.end(), 0);
}

void Alive::remove(std::size_t index) {
    const std::size_t last = position_.size() - 1;
    for (auto& column : narrow_) column[index] = column[last];
    for (auto& column : wide_) column[index] = column[last];
    index_[static_cast<std::size_t>(position_[last])] = static_cast<std::int32_t>(index);
    index_[static_cast<std::size_t>(position_[index])] = -1;
    position_[index] = position_[last];
    position_.pop_back();
}

void Alive::restore(const Records& records, const Layout& layout, std::int32_t row,
                    std::int32_t position) {
    const std::size_t last = position_.size();
    const auto place = static_cast<std::size_t>(row);
    for (std::size_t s = 0; s < narrow_.size(); ++s) {
        narrow_[s][last] =
            static_cast<std::uint8_t>(records.attributes[layout.narrow[s]].code(place));
    }
    for (std::size_t s = 0; s < wide_.size(); ++s) {
        wide_[s][last] = records.attributes[layout.wide[s]].code(place);
    }
    index_[static_cast<std::size_t>(position)] = static_cast<std::int32_t>(last);
    position_.push_back(position);
}

Query::Query(const Records& records, const Layout& layout, Aim aim)
    : records_(records),
      layout_(layout),
      aim_(aim),
      narrow_attribute_(records.attributes.size()),
      exact_(records.attributes.size() * Layout::plane),
      base_(records.attributes.size()),
      planes_(layout.narrow.size() * 2 * Layout::plane),
      wide_tables_(layout.wide.size()),
      raised_(records.attributes.size()) {
    std::fill(planes_.begin(), planes_.end(), std::uint8_t{0});
    for (std::size_t j = 0; j < narrow_attribute_.size(); ++j) {
        narrow_attribute_[j] = layout.is_narrow(records, j);
    }
    for (std::size_t s = 0; s < wide_tables_.size(); ++s) {
        // One entry more, because a 32-bit gather of the last 16-bit entry reads beyond it.
        wide_tables_[s].resize(records.attributes[layout.wide[s]].code_count + 1);
    }
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

std::uint32_t Query::quantise(double exact, double base, bool& raised) const {
    if (aim_ == Aim::furthest) {
        return static_cast<std::uint32_t>((base - exact) * layout_.scale + 0.5);
    }
    const double growth = exact - base;
    const auto quanta = static_cast<std::uint32_t>(growth * layout_.scale + 0.5);
    if (quanta == 0 && growth > 0.0) {
        raised = true;  // zero must mean "no growth at all"
        return 1;
    }
    return quanta;
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

// Quanta of the codes on one side of an interval; `anchor` is the position of its far end.
struct Side {
    const double* positions;
    std::uint32_t begin, end;
    double anchor;
    double direction;  // +1 above the interval, -1 below
};

struct Quantising {
    double weight, reference, scale;
    bool nearest;
};

// Same arithmetic as `quantise`, without branches: large domains are filled at every change.
[[gnu::always_inline]] inline void fill_side_body(const Side& side, const Quantising& by,
                                                  std::uint16_t* table) {
    const double sign = by.nearest ? 1.0 : -1.0;
    for (std::uint32_t c = side.begin; c < side.end; ++c) {
        const double width = side.direction * (side.positions[c] - side.anchor);
        const double exact = by.weight * (width < 1.0 ? width : 1.0);
        const double growth = sign * (exact - by.reference);
        const auto quanta = static_cast<std::int32_t>(growth * by.scale + 0.5);
        const std::int32_t least = by.nearest && growth > 0.0 ? 1 : 0;
        table[c] = static_cast<std::uint16_t>(quanta < least ? least : quanta);
    }
}

void fill_side_plain(const Side& side, const Quantising& by, std::uint16_t* table) {
    fill_side_body(side, by, table);
}

#if defined(SHOAL_X86)
__attribute__((target("avx2"))) void fill_side_avx2(const Side& side, const Quantising& by,
                                                    std::uint16_t* table) {
    fill_side_body(side, by, table);
}

// Clang has no such wish for the width of vectors.
#if defined(__clang__)
#define SHOAL_WIDE_512 target("avx512f,avx512bw,avx512vl,avx512dq")
#else
#define SHOAL_WIDE_512 target("avx512f,avx512bw,avx512vl,avx512dq,prefer-vector-width=512")
#endif
__attribute__((SHOAL_WIDE_512)) void fill_side_avx512(const Side& side, const Quantising& by,
                                                      std::uint16_t* table) {
    fill_side_body(side, by, table);
}
#endif

void fill_side(const Side& side, const Quantising& by, std::uint16_t* table) {
    static const auto chosen = [] {
#if defined(SHOAL_X86)
        if (available_paths().front() == Path::avx512) return fill_side_avx512;
        if (available_paths().front() == Path::avx2) return fill_side_avx2;
#endif
        return fill_side_plain;
    }();
    chosen(side, by, table);
}

}  // namespace

void Query::renew(std::size_t j) {
    const Attribute& attribute = records_.attributes[j];
    const Part& part = closure_.parts()[j];
    base_[j] = attribute.weight * part.loss;
    const double reference = aim_ == Aim::nearest ? base_[j] : attribute.weight;
    bool raised = false;
    if (narrow_attribute_[j]) {
        double* exact = exact_.data() + j * Layout::plane;
        for_each_run(attribute, part, [&](std::uint32_t first, std::uint32_t last, double loss) {
            std::fill(exact + first, exact + last + 1, attribute.weight * loss);
        });
        std::uint8_t* low = planes_.data() + layout_.slot[j] * 2 * Layout::plane;
        std::uint8_t* high = low + Layout::plane;
        for (std::uint32_t c = 0; c < attribute.code_count; ++c) {
            const std::uint32_t quanta = quantise(exact[c], reference, raised);
            low[c] = static_cast<std::uint8_t>(quanta % Layout::radix);
            high[c] = static_cast<std::uint8_t>(quanta / Layout::radix);
        }
    } else if (attribute.kind == Kind::interval) {
        std::uint16_t* table = wide_tables_[layout_.slot[j]].data();
        const double* positions = attribute.positions.data();
        const Quantising by{attribute.weight, reference, layout_.scale, aim_ == Aim::nearest};
        fill_side({positions, 0, part.low, positions[part.high], -1.0}, by, table);
        fill_side({positions, part.high + 1, attribute.code_count, positions[part.low], 1.0}, by,
                  table);
        const std::uint32_t inside = quantise(base_[j], reference, raised);
        std::fill(table + part.low, table + part.high + 1, static_cast<std::uint16_t>(inside));
        raised = true;  // assumed, which only widens the margin
    } else {
        auto& table = wide_tables_[layout_.slot[j]];
        for_each_run(attribute, part, [&](std::uint32_t first, std::uint32_t last, double loss) {
            std::fill(
                table.begin() + first, table.begin() + last + 1,
                static_cast<std::uint16_t>(quantise(attribute.weight * loss, reference, raised)));
        });
    }
    raised_[j] = raised;
}

}  // namespace shoal
