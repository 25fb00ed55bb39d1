#include "scan/class_columns.hpp"

#include <algorithm>

#include "common/scalars.hpp"

namespace shoal {

namespace {

constexpr std::size_t lanes = 64;

}  // namespace

ClassColumns::ClassColumns(const Objective& objective)
    : objective_(objective),
      attributes_(objective.records().attributes.size()),
      guest_(attributes_),
      alone_(attributes_) {
    const Records& records = objective.records();
    for (std::size_t j = 0; j < attributes_; ++j) {
        const Attribute& attribute = records.attributes[j];
        const auto place = static_cast<std::uint32_t>(j);
        const auto weight = static_cast<float>(attribute.weight);
        const bool few =
            attribute.code_count <= (attribute.kind == Kind::set ? most_words : most_bytes);
        const bool listed =
            !few && (attribute.kind == Kind::set || attribute.kind == Kind::all_or_nothing);
        if (!objective.plain() && attribute.kind != Kind::all_or_nothing) {
            others_.push_back(place);
        } else if (listed) {
            Lists lists;
            lists.attribute = place;
            lists.classes.resize(attribute.code_count);
            lists.listed.resize(attribute.code_count);
            lists_.push_back(std::move(lists));
        } else if (attribute.kind == Kind::interval) {
            ends_.push_back({place, {}, {}});
        } else if (attribute.kind == Kind::tree) {
            levels_.push_back({place, {}});
            levels_.back().ancestor.resize(attribute.tree.levels - 1);
        } else if (attribute.kind == Kind::set) {
            words_.push_back({place, {}});
            words_.back().words.resize((attribute.code_count + 31) / 32);
        } else {
            // A byte counts the matches of a group, so it has at most 255 members.
            auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& each) {
                return each.weight == weight && each.members.size() < 255;
            });
            if (group == groups_.end()) group = groups_.insert(group, Group{weight, {}});
            group->members.push_back({place, {}, {}});
        }
    }
}

void ClassColumns::resize(std::size_t classes) {
    size_ = classes;
    padded_ = (classes + lanes - 1) / lanes * lanes;
    const bool information = !objective_.plain();
    for (Group& group : groups_) {
        for (Bytes& each : group.members) {
            each.value.resize(padded_, none);
            if (information) each.gap.resize(padded_, 0.0f);
        }
    }
    for (Levels& each : levels_) {
        for (auto& ancestor : each.ancestor) ancestor.resize(padded_, -1);
    }
    for (Words& each : words_) {
        for (auto& words : each.words) words.resize(padded_, 0);
    }
    for (Ends& each : ends_) {
        each.low.resize(padded_, 0.0f);
        each.high.resize(padded_, 0.0f);
    }
    for (Lists& each : lists_) {
        for (std::size_t c = classes; c < each.codes.size(); ++c) list(each, c, {});
        each.codes.resize(classes);
        if (information) each.gap.resize(padded_, 0.0f);
    }
    records_.resize(padded_, infinite<float>);
    std::fill(records_.begin() + static_cast<std::ptrdiff_t>(classes), records_.end(),
              infinite<float>);
    preference_.resize(padded_, 0.0f);
    set_loss_.resize(objective_.plain() ? padded_ : 0, 0.0f);
    loss_.resize(padded_, -1.0f);
    std::fill(loss_.begin() + static_cast<std::ptrdiff_t>(classes), loss_.end(), -1.0f);
    base_.resize(information ? padded_ : 0, infinite<float>);
    if (information) {
        std::fill(base_.begin() + static_cast<std::ptrdiff_t>(classes), base_.end(),
                  infinite<float>);
    }
    change_.resize(padded_);
    matches_.resize(padded_);
}

void ClassColumns::set(std::size_t c, const ClassState& state) {
    if (state.size() == 0) {
        // Losses are never below 0, so these give an infinite change whatever the record.
        records_[c] = infinite<float>;
        loss_[c] = -1.0f;
        if (!base_.empty()) base_[c] = infinite<float>;
        for (Lists& each : lists_) list(each, c, {});
        return;
    }
    records_[c] = static_cast<float>(state.size());
    if (objective_.plain()) {
        set_plain(c, state);
    } else {
        set_information(c, state);
    }
}

void ClassColumns::list(Lists& lists, std::size_t c, std::span<const Held> held) {
    auto& codes = lists.codes[c];
    const bool same =
        codes.size() == held.size() &&
        std::equal(codes.begin(), codes.end(), held.begin(),
                   [](std::uint32_t code, const Held& each) { return code == each.code; });
    if (same) return;
    for (const std::uint32_t code : codes) {
        auto& classes = lists.classes[code];
        const auto found = std::find(classes.begin(), classes.end(), static_cast<std::int32_t>(c));
        *found = classes.back();
        classes.pop_back();
        lists.listed[code] = !classes.empty();
    }
    codes.clear();
    for (const Held& each : held) {
        codes.push_back(each.code);
        lists.classes[each.code].push_back(static_cast<std::int32_t>(c));
        lists.listed[each.code] = true;
    }
}

void ClassColumns::set_plain(std::size_t c, const ClassState& state) {
    const Records& records = objective_.records();
    loss_[c] = static_cast<float>(state.total(objective_) / static_cast<double>(state.size()));
    double sets = 0.0;
    for (std::size_t j = 0; j < attributes_; ++j) {
        const Attribute& attribute = records.attributes[j];
        if (attribute.kind == Kind::set) sets += attribute.weight * state.loss(j);
    }
    set_loss_[c] = static_cast<float>(sets);
    for (Group& group : groups_) {
        for (Bytes& each : group.members) {
            const Values& values = state.values(each.attribute);
            each.value[c] = values.distinct() == 1 ? static_cast<std::uint8_t>(values.low()) : none;
        }
    }
    for (Levels& each : levels_) {
        const Attribute& attribute = records.attributes[each.attribute];
        const Shape shape = state.shape(each.attribute);
        for (std::size_t level = 0; level < each.ancestor.size(); ++level) {
            const std::int32_t node = attribute.tree.above(static_cast<std::uint32_t>(level),
                                                           shape.low, attribute.code_count);
            const auto last = attribute.tree.node_last[static_cast<std::size_t>(node)];
            each.ancestor[level][c] = last >= static_cast<std::int32_t>(shape.high) ? node : -1;
        }
    }
    for (Words& each : words_) {
        for (auto& words : each.words) words[c] = 0;
        for (const Held& held : state.values(each.attribute).held()) {
            each.words[held.code / 32][c] |= 1u << (held.code % 32);
        }
    }
    for (Ends& each : ends_) {
        const auto& positions = records.attributes[each.attribute].positions;
        const Shape shape = state.shape(each.attribute);
        each.low[c] = static_cast<float>(positions[shape.low]);
        each.high[c] = static_cast<float>(positions[shape.high]);
    }
    for (Lists& each : lists_) {
        const Values& values = state.values(each.attribute);
        const bool set = records.attributes[each.attribute].kind == Kind::set;
        list(each, c, set || values.distinct() == 1 ? values.held() : std::span<const Held>{});
    }
}

void ClassColumns::set_information(std::size_t c, const ClassState& state) {
    const Records& records = objective_.records();
    // What an attribute costs this class once it is suppressed.
    const double suppressed = objective_.information(
        records.total,
        [&](std::uint32_t y) {
            return objective_.joint(0, 0, records.attributes[0].code_count - 1, y);
        },
        state.size(), [&](std::uint32_t y) { return state.secrets(y); });
    double base = 0.0;
    const auto gap = [&](std::uint32_t j) {
        const double found = records.attributes[j].weight * (suppressed - state.cost(j));
        base += found;
        return static_cast<float>(found);
    };
    for (Group& group : groups_) {
        for (Bytes& each : group.members) {
            const Values& values = state.values(each.attribute);
            each.value[c] = values.distinct() == 1 ? static_cast<std::uint8_t>(values.low()) : none;
            each.gap[c] = gap(each.attribute);
        }
    }
    for (Lists& each : lists_) {
        const Values& values = state.values(each.attribute);
        list(each, c, values.distinct() == 1 ? values.held() : std::span<const Held>{});
        each.gap[c] = gap(each.attribute);
    }
    base_[c] = static_cast<float>(base);
}

}  // namespace shoal
