// The scan: which of many records costs a closure least (or lies furthest from it)?
//
// Per closure every attribute gets a small table, the loss after adding code c. Scores are sums
// of look-ups. The vector paths add integers of about 13 bits, kept in two byte planes so that one
// permutation serves 64 records, and collect every record whose rounded score lies within the
// rounding error of the least one; those few are decided with the exact tables. So all paths
// return what a plain scan in double precision returns, ties to the lowest position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "shoal/common/bulk.hpp"
#include "shoal/common/closure.hpp"
#include "shoal/common/records.hpp"

namespace shoal {

enum class Path { scalar, avx2, avx512 };

std::vector<Path> available_paths();  // best first
std::string_view name(Path path);

// Which attribute is scanned how. Attributes of at most 256 codes are narrow: one byte a code,
// in groups small enough that the sums of both planes fit a byte. The others are wide.
struct Layout {
    static constexpr std::size_t group_size = 8;
    static constexpr std::uint32_t radix = 32;  // a score is high * radix + low
    static constexpr std::size_t plane = 256;   // entries a plane of a narrow table

    struct Group {  // positions in `narrow`: up to 64 codes, up to 128, up to 256
        std::uint32_t begin, end_64, end_128, end_256;
    };
    std::vector<std::uint32_t> narrow;  // attributes, by ascending number of codes
    std::vector<Group> groups;
    std::vector<std::uint32_t> wide;
    std::vector<std::uint32_t> slot;  // of each attribute: its place in narrow or in wide
    double scale = 0.0;               // quanta per unit of weighted loss

    explicit Layout(const Records& records);
    bool is_narrow(const Records& records, std::size_t attribute) const {
        return records.attributes[attribute].code_count <= plane;
    }
};

// Records not yet placed, in structure-of-arrays order without gaps. Taking one moves the last
// one into its place, so positions (the order that breaks ties) are carried along.
class Alive {
  public:
    static constexpr std::size_t block = 128;  // columns are padded to whole blocks

    // `rows[p]` is the row at position p.
    Alive(const Records& records, const Layout& layout, std::span<const std::int32_t> rows);

    std::size_t size() const { return position_.size(); }
    std::int32_t position(std::size_t index) const { return position_[index]; }
    std::int32_t index_of(std::int32_t position) const {  // -1 if it is gone
        return index_[static_cast<std::size_t>(position)];
    }
    void remove(std::size_t index);
    // Puts a removed row back, with its old position.
    void restore(const Records& records, const Layout& layout, std::int32_t row,
                 std::int32_t position);

    const std::uint8_t* narrow(std::size_t slot) const { return narrow_[slot].data(); }
    const std::uint8_t* const* narrow_columns() const { return narrow_data_.data(); }
    const std::uint32_t* wide(std::size_t slot) const { return wide_[slot].data(); }

  private:
    std::vector<BulkVector<std::uint8_t>> narrow_;
    std::vector<const std::uint8_t*> narrow_data_;
    std::vector<BulkVector<std::uint32_t>> wide_;
    std::vector<std::int32_t> position_;
    std::vector<std::int32_t> index_;
};

// A closure with its look-up tables; adding a record renews only the tables it changes.
class Query {
  public:
    enum class Aim { nearest, furthest };

    Query(const Records& records, const Layout& layout, Aim aim);
    void open(std::size_t row);
    // Several rows at once: the tables are made once.
    void open(std::span<const std::int32_t> rows);
    void add(std::size_t row);

    Aim aim() const { return aim_; }
    const Records& records() const { return records_; }
    const Layout& layout() const { return layout_; }
    const Closure& closure() const { return closure_; }

    // Weighted loss after adding code `code` to attribute j.
    double exact(std::size_t j, std::uint32_t code) const {
        if (narrow_attribute_[j]) return exact_[j * Layout::plane + code];
        const Attribute& attribute = records_.attributes[j];
        return attribute.weight * closure_.parts()[j].loss_adding(attribute, code);
    }
    const double* exact_table(std::size_t j) const { return exact_.data() + j * Layout::plane; }
    double base(std::size_t j) const { return base_[j]; }
    const std::uint8_t* low_plane(std::size_t slot) const {
        return planes_.data() + slot * 2 * Layout::plane;
    }
    const std::uint8_t* high_plane(std::size_t slot) const {
        return low_plane(slot) + Layout::plane;
    }
    const std::uint16_t* wide_table(std::size_t slot) const { return wide_tables_[slot].data(); }
    // Two rounded scores in the wrong order differ by no more than this.
    std::uint32_t margin() const;

  private:
    void renew(std::size_t j);
    std::uint32_t quantise(double exact, double base, bool& raised) const;

    const Records& records_;
    const Layout& layout_;
    Aim aim_;
    Closure closure_;
    std::vector<char> narrow_attribute_;
    std::vector<double> exact_;  // [attribute][code], narrow attributes only
    std::vector<double> base_;   // weighted loss of the closure itself
    BulkVector<std::uint8_t> planes_;
    std::vector<std::vector<std::uint16_t>> wide_tables_;
    std::vector<char> raised_;  // whether a growth below half a quantum was raised to one
};

struct Candidate {
    std::uint32_t index;
    std::uint32_t score;  // rounded; 0 means: the closure would not change (nearest only)
};

struct Found {
    std::vector<std::uint32_t> indices;  // the winner, or all that cost nothing, by position
    double score = 0.0;                  // loss of the closure with the winner
};

// A scanner keeps its buffers between scans.
class Scanner {
  public:
    explicit Scanner(Path path) : path_(path) {}
    // The record of least (greatest) loss, ties to the lowest position. If adding it changes
    // nothing, all such records are returned: the next scans would find them one after another.
    const Found& scan(const Alive& alive, const Query& query);

  private:
    void decide(const Alive& alive, const Query& query);

    Path path_;
    std::vector<Candidate> candidates_;
    std::vector<double> scores_;
    Found found_;
};

// The collecting passes: all records whose score is within the margin of the least one.
void collect_scalar(const Alive& alive, const Query& query, std::vector<Candidate>& found);
#if defined(__x86_64__) && defined(__GNUC__)
#define SHOAL_X86 1
void collect_avx2(const Alive& alive, const Query& query, std::vector<Candidate>& found);
void collect_avx512(const Alive& alive, const Query& query, std::vector<Candidate>& found);
#endif

}  // namespace shoal
