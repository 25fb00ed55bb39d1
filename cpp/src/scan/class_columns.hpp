// All classes side by side: what does one record cost each of them?
//
// Structure of arrays over classes, so that a scan streams: suppress-only attributes as one byte a
// class, trees as the ancestor at each level, sets as words of bits, intervals as the positions of
// their ends; attributes with many codes as lists of the few classes that hold a code. Scans add in
// single precision, always in the same order whatever the instruction set; whoever acts on the
// least one asks its ClassState for the exact change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shoal/common/bulk.hpp"
#include "shoal/common/class_state.hpp"

namespace shoal {

class ClassColumns {
  public:
    explicit ClassColumns(const Objective& objective);

    std::size_t size() const { return size_; }
    void resize(std::size_t classes);  // new ones are empty
    // Takes over the closure of class c, or takes the class out of all scans if it is empty.
    void set(std::size_t c, const ClassState& state);

    // Taken from every change of class c: decides between classes that are equally good.
    void prefer(std::size_t c, float preference) { preference_[c] = preference; }

    // For each class the change of its total if one record of `row` joins it, infinite for empty
    // classes. Constants of the record are left out, as they are the same everywhere.
    // `ids` says which of `states` each class is, none: they are in order.
    std::span<float> scan(std::size_t row, std::span<const ClassState> states,
                          std::span<const std::int32_t> ids = {});
    // The same for a whole class: total of the union less both totals.
    std::span<float> scan(const ClassState& state, std::span<const ClassState> states);

  private:
    struct Bytes {  // suppress-only, few codes: the one value held, or `none`
        std::uint32_t attribute;
        BulkVector<std::uint8_t> value;
        BulkVector<float> gap;  // information: cost if suppressed less cost now, weighted
    };
    struct Group {  // suppress-only attributes of equal weight
        float weight;
        std::vector<Bytes> members;
    };
    struct Levels {  // tree
        std::uint32_t attribute;
        std::vector<BulkVector<std::int32_t>> ancestor;  // [level][class], -1 below the closure
    };
    struct Words {  // set of few codes
        std::uint32_t attribute;
        std::vector<BulkVector<std::uint32_t>> words;  // [code / 32][class]
    };
    struct Ends {  // interval
        std::uint32_t attribute;
        BulkVector<float> low, high;
    };
    struct Lists {  // many codes: set, or suppress-only
        std::uint32_t attribute;
        std::vector<std::vector<std::int32_t>> classes;  // [code]: those that hold it (alone)
        std::vector<bool> listed;                        // [code]: whether there are any
        std::vector<std::vector<std::uint32_t>> codes;   // [class]: where it is listed
        BulkVector<float> gap;                           // as above
    };
    struct Guest {  // what joins: one attribute of a record or of a class
        std::uint32_t low, high;
        std::span<const Held> held;
    };
    static constexpr std::uint8_t none = 255;
    static constexpr std::uint32_t most_bytes = 255;  // codes
    static constexpr std::uint32_t most_words = 256;

    std::uint32_t code(std::size_t row, std::size_t j) const {
        return objective_.records().attributes[j].code(row);
    }
    void set_plain(std::size_t c, const ClassState& state);
    void set_information(std::size_t c, const ClassState& state);
    void list(Lists& lists, std::size_t c, std::span<const Held> held);
    void scan_plain();
    float start_sums();
    void add_sets(std::size_t start, std::size_t size);
    void add_set(const Words& words, const Guest& guest, float step, std::size_t start,
                 std::size_t size);
    void add_levels(const Levels& levels, std::size_t start, std::size_t size);
    void scan_information(std::size_t row, std::span<const ClassState> states,
                          std::span<const std::int32_t> ids);

    const Objective& objective_;
    std::size_t attributes_;
    std::size_t size_ = 0;
    std::size_t padded_ = 0;
    std::vector<Group> groups_;
    std::vector<Levels> levels_;
    std::vector<Words> words_;
    std::vector<Ends> ends_;
    std::vector<Lists> lists_;
    std::vector<std::uint32_t> others_;  // information: attributes asked of the ClassState
    std::vector<Guest> guest_;
    std::vector<Held> alone_;
    float guest_records_ = 1.0f;
    float guest_loss_ = 0.0f;
    BulkVector<float> preference_;
    BulkVector<float> records_;   // of each class; infinite if it is empty
    BulkVector<float> loss_;      // plain: of its closure
    BulkVector<float> set_loss_;  // plain: of the sets in it
    BulkVector<float> base_;      // information: sum of all gaps
    BulkVector<float> change_;
    BulkVector<std::uint8_t> matches_;
};

// The first class of least change.
std::size_t least(std::span<const float> change);

}  // namespace shoal
