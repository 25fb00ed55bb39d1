#include "shoal/clustering/hilbert.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>

namespace shoal {

namespace {

constexpr std::size_t patience = 4096;  // points between two looks at the control

// Appends the lowest `count` bits of `value` to a key of several words.
class KeyWriter {
  public:
    KeyWriter(std::uint64_t* key, std::size_t words, std::size_t bits)
        : key_(key), place_(64 * words - bits) {}

    void write(std::uint64_t value, unsigned count) {
        const std::size_t word = place_ / 64;
        const auto room = static_cast<unsigned>(64 - place_ % 64);
        if (count <= room) {
            key_[word] |= value << (room - count);
        } else {
            key_[word] |= value >> (count - room);
            key_[word + 1] |= value << (64 - (count - room));
        }
        place_ += count;
    }

  private:
    std::uint64_t* key_;
    std::size_t place_;
};

// The state of the walk down the sub-cubes for up to 64 axes: one label a machine word.
class NarrowWalk {
  public:
    explicit NarrowWalk(unsigned axes) : axes_(axes), mask_(~std::uint64_t{0} >> (64 - axes)) {}

    void restart() { entry_ = direction_ = 0; }

    // The rank of the sub-cube whose label (bit j is axis j) is given, among those of its parent.
    std::uint64_t descend(std::uint64_t label) {
        const std::uint64_t gray = rotate_right(label ^ entry_, direction_ + 1);
        std::uint64_t rank = gray;
        for (unsigned shift = 1; shift < axes_; shift *= 2) rank ^= rank >> shift;
        if (rank != 0) {
            const std::uint64_t even = (rank - 1) & ~std::uint64_t{1};
            entry_ ^= rotate_left(even ^ even >> 1, direction_ + 1);
        }
        const std::uint64_t turn = rank == 0 ? 0 : rank % 2 == 0 ? rank - 1 : rank;
        const auto ones = static_cast<unsigned>(std::countr_one(turn));
        direction_ = (direction_ + ones % axes_ + 1) % axes_;
        return rank;
    }

  private:
    std::uint64_t rotate_right(std::uint64_t label, unsigned by) const {
        by %= axes_;
        return by == 0 ? label : (label >> by | label << (axes_ - by)) & mask_;
    }
    std::uint64_t rotate_left(std::uint64_t label, unsigned by) const {
        return rotate_right(label, axes_ - by % axes_);
    }

    unsigned axes_;
    std::uint64_t mask_;
    std::uint64_t entry_ = 0;
    unsigned direction_ = 0;
};

// The same for any number of axes, one bit at a time. Labels are arrays of bits, axis 0 first.
class WideWalk {
  public:
    using Bits = std::vector<std::uint8_t>;

    explicit WideWalk(std::size_t axes) : axes_(axes), entry_(axes), rank_(axes), even_(axes) {}

    void restart() {
        std::fill(entry_.begin(), entry_.end(), 0);
        direction_ = 0;
    }

    const Bits& descend(const Bits& label) {
        // Bit i of the rank is the parity of the Gray code's bits from i up.
        std::uint8_t parity = 0;
        for (std::size_t i = axes_; i-- > 0;) {
            const std::size_t axis = (i + direction_ + 1) % axes_;
            parity = static_cast<std::uint8_t>(parity ^ label[axis] ^ entry_[axis]);
            rank_[i] = parity;
        }
        const bool zero = std::find(rank_.begin(), rank_.end(), 1) == rank_.end();
        std::size_t ones = 0;
        if (!zero) {
            even_ = rank_;
            decrement(even_);
            // `turn` is the rank if that is odd, else the number before it: odd either way.
            const Bits& turn = rank_[0] ? rank_ : even_;
            while (ones < axes_ && turn[ones]) ++ones;
            even_[0] = 0;
            for (std::size_t i = 0; i < axes_; ++i) {
                const std::uint8_t gray = even_[i] ^ (i + 1 < axes_ ? even_[i + 1] : 0);
                entry_[(i + direction_ + 1) % axes_] ^= gray;
            }
        }
        direction_ = (direction_ + ones % axes_ + 1) % axes_;
        return rank_;
    }

  private:
    static void decrement(Bits& number) {
        std::size_t i = 0;
        while (!number[i]) number[i++] = 1;
        number[i] = 0;
    }

    std::size_t axes_;
    Bits entry_, rank_, even_;
    std::size_t direction_ = 0;
};

template <class PointKey>
CurveKeys keys_of_points(const Points& points, Control& control, PointKey point_key) {
    const std::size_t bits = points.axes.size() * points.bits;
    CurveKeys keys;
    keys.words = (bits + 63) / 64;
    keys.values.assign(points.count * keys.words, 0);
    for (std::size_t point = 0; point < points.count; ++point) {
        if (point % patience == 0 && control.cancelled()) throw Cancelled();
        point_key(point, KeyWriter(keys.values.data() + point * keys.words, keys.words, bits));
    }
    return keys;
}

}  // namespace

CurveKeys hilbert_keys(const Points& points, Control& control) {
    const std::size_t axes = points.axes.size();
    if (axes <= 64) {
        NarrowWalk walk(static_cast<unsigned>(axes));
        return keys_of_points(points, control, [&](std::size_t point, KeyWriter writer) {
            walk.restart();
            for (unsigned level = points.bits; level-- > 0;) {
                std::uint64_t label = 0;
                for (std::size_t j = 0; j < axes; ++j) {
                    label |= std::uint64_t{points.axes[j][point] >> level & 1u} << j;
                }
                writer.write(walk.descend(label), static_cast<unsigned>(axes));
            }
        });
    }
    WideWalk walk(axes);
    WideWalk::Bits label(axes);
    return keys_of_points(points, control, [&](std::size_t point, KeyWriter writer) {
        walk.restart();
        for (unsigned level = points.bits; level-- > 0;) {
            for (std::size_t j = 0; j < axes; ++j) {
                label[j] = points.axes[j][point] >> level & 1u;
            }
            const WideWalk::Bits& rank = walk.descend(label);
            for (std::size_t i = axes; i-- > 0;) writer.write(rank[i], 1);
        }
    });
}

std::vector<std::int32_t> hilbert_order(const Points& points, Control& control) {
    const CurveKeys keys = hilbert_keys(points, control);
    std::vector<std::int32_t> order(points.count);
    Poll poll(control);
    if (keys.words == 1) {
        std::vector<std::pair<std::uint64_t, std::int32_t>> keyed(points.count);
        for (std::size_t i = 0; i < keyed.size(); ++i) {
            keyed[i] = {keys.values[i], static_cast<std::int32_t>(i)};
        }
        std::sort(keyed.begin(), keyed.end(), [&poll](const auto& a, const auto& b) {
            poll();
            return a < b;
        });
        for (std::size_t i = 0; i < keyed.size(); ++i) order[i] = keyed[i].second;
        return order;
    }
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&](std::int32_t point) {
        return std::span(keys.values)
            .subspan(static_cast<std::size_t>(point) * keys.words, keys.words);
    };
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        poll();
        const auto mine = key(a);
        const auto theirs = key(b);
        const auto [left, right] = std::mismatch(mine.begin(), mine.end(), theirs.begin());
        return left == mine.end() ? a < b : *left < *right;
    });
    return order;
}

}  // namespace shoal
