#include "scan/cells.hpp"

#include <algorithm>
#include <numeric>

namespace shoal {

namespace {

class Division {
  public:
    Division(const Records& records, std::span<const std::int32_t> row,
             std::span<const std::int64_t> weight, std::int64_t most, Random& random,
             const Poll& poll, const Deadline& deadline)
        : records_(records),
          row_(row),
          weight_(weight),
          most_(most),
          random_(random),
          poll_(poll),
          deadline_(deadline) {
        cells_.items.resize(row.size());
        std::iota(cells_.items.begin(), cells_.items.end(), 0);
        cells_.starts.push_back(0);
        key_.resize(row.size());
    }

    // Of the weight that is wanted, or as many as `parts`, if that is not 0.
    Cells run(std::size_t parts) {
        std::int64_t all = 0;
        for (const std::int64_t each : weight_) all += each;
        cut(0, row_.size(), all, parts);
        return std::move(cells_);
    }

  private:
    void cut(std::size_t begin, std::size_t end, std::int64_t weight, std::size_t parts) {
        const bool done = parts > 0 ? parts == 1 : weight <= most_;
        if (done || end - begin < 2 || deadline_.passed()) {
            if (end > begin) cells_.starts.push_back(end);
            return;
        }
        const Attribute& attribute = records_.attributes[draw_attribute(begin, end)];
        for (std::size_t i = begin; i < end; ++i) {
            poll_();
            const auto item = static_cast<std::size_t>(cells_.items[i]);
            const std::uint64_t code = attribute.code(static_cast<std::size_t>(row_[item]));
            key_[item] = code << 32 | (random_.next() >> 32);
        }
        // The lighter side of an even cut of items is good enough: weights are much alike.
        const std::size_t left_parts = parts / 2;
        const std::size_t middle =
            begin + (parts > 0 ? (end - begin) * left_parts / parts : (end - begin) / 2);
        const auto at = [this](std::size_t i) {
            return cells_.items.begin() + static_cast<std::ptrdiff_t>(i);
        };
        std::nth_element(at(begin), at(middle), at(end), [this](std::int32_t a, std::int32_t b) {
            poll_();
            return std::pair(key_[static_cast<std::size_t>(a)], a) <
                   std::pair(key_[static_cast<std::size_t>(b)], b);
        });
        std::int64_t left = 0;
        for (std::size_t i = begin; i < middle; ++i) {
            left += weight_[static_cast<std::size_t>(cells_.items[i])];
        }
        cut(begin, middle, left, left_parts);
        cut(middle, end, weight - left, parts - left_parts);
    }

    // By weight times the chance that two items differ, both judged from a sample.
    std::size_t draw_attribute(std::size_t begin, std::size_t end) {
        constexpr int pairs = 64;
        const std::size_t attributes = records_.attributes.size();
        chance_.assign(attributes, 0.0);
        double sum = 0.0;
        for (int i = 0; i < pairs; ++i) {
            const std::size_t a = draw_row(begin, end), b = draw_row(begin, end);
            for (std::size_t j = 0; j < attributes; ++j) {
                const Attribute& attribute = records_.attributes[j];
                if (attribute.code(a) != attribute.code(b)) chance_[j] += attribute.weight;
            }
        }
        for (double& each : chance_) sum += each = each * each;
        double left = sum * (static_cast<double>(random_.next() >> 11) * 0x1p-53);
        for (std::size_t j = 0; j < attributes; ++j) {
            left -= chance_[j];
            if (left < 0) return j;
        }
        return 0;
    }
    std::size_t draw_row(std::size_t begin, std::size_t end) {
        const std::size_t at = begin + static_cast<std::size_t>(random_.below(end - begin));
        return static_cast<std::size_t>(row_[static_cast<std::size_t>(cells_.items[at])]);
    }

    const Records& records_;
    std::span<const std::int32_t> row_;
    std::span<const std::int64_t> weight_;
    std::int64_t most_;
    Random& random_;
    Poll poll_;
    const Deadline& deadline_;
    Cells cells_;
    std::vector<std::uint64_t> key_;
    std::vector<double> chance_;
};

}  // namespace

Cells divide_into_cells(const Records& records, std::span<const std::int32_t> row,
                        std::span<const std::int64_t> weight, std::int64_t most, Random& random,
                        const Control& control, const Deadline& deadline) {
    return Division(records, row, weight, most, random, Poll(control), deadline).run(0);
}

Cells divide_into_parts(const Records& records, std::span<const std::int32_t> row,
                        std::span<const std::int64_t> weight, std::size_t parts, Random& random,
                        const Control& control) {
    const Deadline none;
    const Poll poll(control, Poll::Heed::cancellation);
    return Division(records, row, weight, 0, random, poll, none).run(parts);
}

}  // namespace shoal
