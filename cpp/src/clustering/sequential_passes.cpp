#include "clustering/sequential_passes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace shoal {

namespace {

// So many passes in a row may fail to lower the total loss by this share.
constexpr int patience = 3;
constexpr double least_progress = 1e-6;

}  // namespace

SequentialPasses::SequentialPasses(const Objective& objective, const Models& models,
                                   const Sequence& sequence, std::uint64_t seed,
                                   const Deadline& deadline, Control& control)
    : models_(models),
      sequence_(sequence),
      deadline_(deadline),
      control_(control),
      poll_(control),
      random_(seed),
      classes_(objective, sequence.k, sequence.remember),
      objective_(objective),
      monotone_(objective.plain() || !objective.reads_secret()) {
    std::vector<Model> kept;
    for (const Model& model : models.all) {
        // Classes of fewer than 2k records never hold one that asks for more: the repair unites.
        if (model.condition == Condition::least_sizes) continue;
        if (model.condition != Condition::distinct) {
            kept.push_back(model);
        } else if (model.number < sequence.k) {
            later_.push_back(model);
        }
    }
    classes_.keep(std::move(kept));
}

Sequenced SequentialPasses::run(bool tell) {
    start();
    pass_until_idle(tell);
    if (!spent_ && (sequence_.polish || !later_.empty())) settle();
    return finish();
}

void SequentialPasses::start() {
    const auto all = static_cast<std::int64_t>(classes_.units());
    start_size_ = std::clamp<std::int64_t>(sequence_.start_size, 1, all);
    while (true) {
        const auto number = static_cast<std::size_t>(all / start_size_);
        std::vector<std::int32_t> units(classes_.units());
        std::iota(units.begin(), units.end(), 0);
        deal(std::move(units), number);
        classes_.clear(number);
        for (std::size_t i = 0; i < units_.size(); ++i) {
            poll_();
            classes_.place(static_cast<std::size_t>(units_[i]),
                           static_cast<std::size_t>(dealt_[i]));
        }
        bool sound = true;
        for (std::size_t c = 0; c < number && sound; ++c) {
            poll_();
            sound = classes_.holds(c);
        }
        if (number == 1 || sound) break;
        check();
        // As printed, the paper's algorithm then makes one class of all records.
        start_size_ = sequence_.permute ? all : std::max(start_size_ + 1, start_size_ * 6 / 5);
        start_size_ = std::min(start_size_, all);
    }
    check();
    classes_.show_all();
    check();
}

// Algorithm 3: deals records in random order, those with equal protected values one after another,
// so that every class gets its share of each value. The paper draws for each value which classes
// get one record more than others (`permute`); dealing on where the last value ended keeps classes
// equally large too.
void SequentialPasses::deal(std::vector<std::int32_t> units, std::size_t classes) {
    random_.shuffle(units);
    const auto signature = [this](std::int32_t unit) {
        return classes_.signature(classes_.row(static_cast<std::size_t>(unit)));
    };
    if (!classes_.kept().empty()) {
        std::stable_sort(units.begin(), units.end(), [&](std::int32_t a, std::int32_t b) {
            poll_();
            return signature(a) < signature(b);
        });
    }
    dealt_.resize(units.size());
    if (sequence_.permute && !classes_.kept().empty()) {
        std::vector<std::int32_t> to(classes);
        std::iota(to.begin(), to.end(), 0);
        for (std::size_t i = 0, first = 0; i < units.size(); ++i) {
            if (i == 0 || signature(units[i]) != signature(units[i - 1])) {
                random_.shuffle(to);
                first = i;
            }
            dealt_[i] = to[(i - first) % classes];
        }
    } else {
        for (std::size_t i = 0; i < units.size(); ++i) {
            dealt_[i] = static_cast<std::int32_t>(i % classes);
        }
    }
    units_ = std::move(units);
}

void SequentialPasses::pass_until_idle(bool tell) {
    // Splits make room for moves and dissolving classes undo them: without an end to patience the
    // two may take turns for ever.
    double lowest = std::numeric_limits<double>::infinity();
    for (int idle = 0; idle < patience && !spent_;) {
        const std::int64_t moves = pass();
        const double total = classes_.total();
        idle = total < lowest * (1 - least_progress) ? 0 : idle + 1;
        lowest = std::min(lowest, total);
        if (moves == 0) break;
        split_large();
        classes_.compact();
        if (tell) tell_progress(moves);
    }
}

std::int64_t SequentialPasses::pass() {
    std::int64_t moves = 0;
    classes_.begin_pass();
    for (std::size_t unit = 0; unit < classes_.units(); ++unit) {
        if (unit % 64 == 0) check();
        if (sequence_.steps >= 0 && steps_ >= sequence_.steps) spent_ = true;
        if (spent_) break;
        ++steps_;
        moves += visit(unit);
    }
    classes_.end_pass();
    return moves;
}

bool SequentialPasses::visit(std::size_t unit) {
    if (keeps_size_ && classes_.size(classes_.class_of(unit)) <= sequence_.k) return false;
    const double gain = classes_.gain(unit);
    if (gain == -std::numeric_limits<double>::infinity()) return false;
    if (monotone_ && gain + objective_.constant(classes_.row(unit)) <= least_gain) return false;
    const std::int32_t to = classes_.choose(unit, gain);
    if (to < 0) return false;
    classes_.move(unit, static_cast<std::size_t>(to));
    return true;
}

void SequentialPasses::split_large() {
    const std::int64_t most =
        keeps_size_ ? std::max(sequence_.most, 2 * sequence_.k - 1) : sequence_.most;
    std::vector<std::int32_t> place_of(classes_.count(), -1);
    std::vector<std::size_t> large;
    for (std::size_t c = 0; c < classes_.count(); ++c) {
        if (classes_.size(c) <= most) continue;
        place_of[c] = static_cast<std::int32_t>(large.size());
        large.push_back(c);
    }
    if (large.empty()) return;
    std::vector<std::vector<std::int32_t>> members(large.size());
    for (std::size_t unit = 0; unit < classes_.units(); ++unit) {
        const std::int32_t place = place_of[classes_.class_of(unit)];
        if (place >= 0) {
            members[static_cast<std::size_t>(place)].push_back(static_cast<std::int32_t>(unit));
        }
    }
    for (std::size_t i = 0; i < large.size(); ++i) {
        deal(std::move(members[i]), 2);
        classes_.split(large[i], units_, dealt_);
    }
}

// Classes are brought to size, those that break a model left for later give their records to the
// others, and passes go on with every model and size kept.
void SequentialPasses::settle() {
    classes_.unite({{}, models_.rows}, control_);
    classes_.show_all();
    classes_.compact();
    std::vector<Model> kept = classes_.kept().all;
    kept.insert(kept.end(), later_.begin(), later_.end());
    later_.clear();
    classes_.keep(std::move(kept));
    classes_.forget_looks();
    std::vector<char> sound(classes_.count());
    for (std::size_t c = 0; c < sound.size(); ++c) sound[c] = classes_.holds(c);
    if (std::find(sound.begin(), sound.end(), char{1}) == sound.end()) return;
    for (std::size_t c = 0; c < sound.size(); ++c) {
        if (!sound[c]) classes_.hide(c);
    }
    for (std::size_t unit = 0; unit < classes_.units(); ++unit) {
        if (unit % 64 == 0) check();
        if (spent_) break;
        const std::size_t from = classes_.class_of(unit);
        if (sound[from]) continue;
        const std::int32_t to =
            classes_.choose_among_all(unit, std::numeric_limits<double>::infinity());
        if (to < 0) continue;
        classes_.move(unit, static_cast<std::size_t>(to));
        classes_.hide(from);
    }
    classes_.show_all();
    classes_.compact();
    keeps_size_ = true;
    classes_.forget_looks();
    pass_until_idle(false);
}

Sequenced SequentialPasses::finish() {
    classes_.unite(models_, control_);
    Sequenced result;
    result.total = classes_.total();
    result.steps = steps_;
    result.start_size = start_size_;
    classes_.fill(result.partition);
    return result;
}

void SequentialPasses::tell_progress(std::int64_t moves) {
    const double settled = 1.0 - static_cast<double>(moves) / static_cast<double>(classes_.units());
    control_.report(0.9 * settled);
}

void SequentialPasses::check() {
    if (control_.cancelled()) throw Cancelled();
    if (deadline_.passed()) spent_ = true;
}

}  // namespace shoal
