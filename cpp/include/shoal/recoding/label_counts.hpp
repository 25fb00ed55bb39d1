// Records of each label, for each of a list of entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shoal {

class LabelCounts {
  public:
    explicit LabelCounts(std::size_t labels) : labels_(labels) {}

    void clear() { counts_.clear(); }
    void append() { counts_.resize(counts_.size() + labels_); }  // an entry without records
    std::int32_t* of(std::size_t entry) { return counts_.data() + place_of(entry); }
    const std::int32_t* of(std::size_t entry) const { return counts_.data() + place_of(entry); }
    // Where the counts of an entry begin: entries have numbers of 32 bits, but with many labels
    // places need more.
    std::size_t place_of(std::size_t entry) const { return entry * labels_; }

  private:
    std::size_t labels_;
    std::vector<std::int32_t> counts_;  // [entry][label]
};

}  // namespace shoal
