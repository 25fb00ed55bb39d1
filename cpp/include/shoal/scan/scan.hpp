// The scan: which of many records costs a closure least (or lies furthest from it)?
//
// Per closure every attribute gets a small table, the loss after adding code c. Scores are sums
// of look-ups, in integers of about 13 bits, kept in two byte planes of 64 entries so that one
// permutation serves many records. Attributes of more codes share the 64 entries: several codes
// fall into one bucket, whose entry is the least of them, so that the sum is a lower bound, and the
// few records whose bound may win are summed again code by code. Every record whose rounded score
// lies within the rounding error of the least one is collected, and those few are decided exactly.
// So all paths return what a plain scan in double precision returns, ties to the lowest position,
// at the same speed for any number of codes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "shoal/common/bulk.hpp"
#include "shoal/common/closure.hpp"
#include "shoal/common/records.hpp"

// Instruction sets that kernels have code for; which of them a processor has is asked at run time.
#if defined(__x86_64__) && defined(__GNUC__)
#define SHOAL_X86 1
#elif defined(__aarch64__) && defined(__GNUC__)
#define SHOAL_NEON 1
#endif

namespace shoal {

enum class Path { scalar, avx2, avx512, neon };

std::vector<Path> available_paths();  // best first
std::string_view name(Path path);

// Where the table and the bytes of each attribute are: its slot. Slots come in groups small enough
// that the sums of both planes fit a byte.
struct Layout {
    static constexpr std::size_t group_size = 8;
    static constexpr std::uint32_t radix = 32;    // a score is high * radix + low
    static constexpr std::uint32_t buckets = 64;  // entries of a plane
    static constexpr std::uint32_t table = 256;   // codes that are worth a table

    struct Group {
        std::uint32_t begin, end;
    };
    std::vector<std::uint32_t> attribute;  // of each slot, by ascending number of codes
    std::vector<std::uint32_t> slot;       // of each attribute
    std::vector<std::uint32_t> used;       // of each slot: how many of its buckets are
    std::vector<Group> groups;
    std::uint32_t exact_slots = 0;  // the first ones: a bucket for every code
    std::uint32_t table_slots = 0;  // and those after them up to here: a table of all codes
    double scale = 0.0;             // quanta per unit of weighted loss

    explicit Layout(const Records& records);
    bool has_bucket_per_code(std::size_t j) const { return slot[j] < exact_slots; }
    bool has_table(std::size_t s) const { return s >= exact_slots && s < table_slots; }

    // Neighbouring codes share a bucket where closures are ranges of codes; where each code counts
    // for itself, codes that are far apart do.
    static std::uint32_t bucket(const Attribute& each, std::uint32_t code) {
        if (each.code_count <= buckets) return code;
        if (each.kind == Kind::set || each.kind == Kind::all_or_nothing) return code % buckets;
        return static_cast<std::uint32_t>(std::uint64_t{code} * buckets / each.code_count);
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

    const std::uint8_t* const* columns() const { return columns_.data(); }  // buckets, by slot
    std::uint32_t bucket(std::size_t slot, std::size_t index) const { return bytes_[slot][index]; }
    std::uint32_t code(std::size_t slot, std::size_t index) const {
        const std::size_t exact = bytes_.size() - codes_.size();
        return slot < exact ? bytes_[slot][index] : codes_[slot - exact][index];
    }

  private:
    std::vector<BulkVector<std::uint8_t>> bytes_;
    std::vector<const std::uint8_t*> columns_;
    std::vector<BulkVector<std::uint32_t>> codes_;  // of the slots whose buckets do not tell them
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
        if (layout_.has_bucket_per_code(j)) return exact_[j * Layout::buckets + code];
        const Attribute& attribute = records_.attributes[j];
        return attribute.weight * closure_.parts()[j].loss_adding(attribute, code);
    }
    double base(std::size_t j) const { return base_[j]; }
    // The planes of all slots: 64 entries of the lower one, 64 of the higher one, slot by slot.
    const std::uint8_t* planes() const { return planes_.data(); }
    // The rounded score of a record, given the lower bound that its buckets add up to; or something
    // above the limit, if the score is.
    std::uint32_t rounded(const Alive& alive, std::size_t index, std::uint32_t bound,
                          std::uint32_t limit) const {
        const std::size_t slots = layout_.attribute.size();
        for (std::size_t s = layout_.exact_slots; s < slots && bound <= limit; ++s) {
            const std::uint32_t bucket = alive.bucket(s, index);
            if (alike_[s] >> bucket & 1) continue;
            const std::uint8_t* low = planes_.data() + s * 2 * Layout::buckets;
            bound += quanta(s, alive.code(s, index)) - low[bucket] -
                     Layout::radix * low[Layout::buckets + bucket];
        }
        return bound;
    }
    // Two rounded scores in the wrong order differ by no more than this.
    std::uint32_t margin() const;

  private:
    void renew(std::size_t j);
    using Buckets = std::array<std::uint32_t, Layout::buckets>;
    void fill_table(std::size_t j);
    void fill_interval(std::size_t j, Buckets& least);
    void fill_by_runs(std::size_t j, Buckets& least);
    std::uint32_t quanta(std::size_t slot, std::uint32_t code) const {
        if (layout_.has_table(slot)) return tables_[slot * Layout::table + code];
        const std::size_t j = layout_.attribute[slot];
        return quantise(exact(j, code), reference_[j]);
    }
    std::uint32_t quantise(double exact, double reference) const;

    const Records& records_;
    const Layout& layout_;
    Aim aim_;
    Closure closure_;
    std::vector<double> exact_;      // [attribute][code], if it has a bucket per code
    std::vector<double> base_;       // weighted loss of the closure itself
    std::vector<double> reference_;  // what quanta are counted from
    BulkVector<std::uint8_t> planes_;
    std::vector<std::uint16_t> tables_;  // [slot][code], of slots with a table: quanta
    std::vector<std::uint64_t> alike_;   // of each slot: buckets whose codes all have its quanta
    std::vector<char> raised_;  // whether a growth below half a quantum may be raised to one
};

struct ScanCandidate {
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
    void collect(const Alive& alive, const Query& query);
    void decide(const Alive& alive, const Query& query);

    Path path_;
    std::vector<ScanCandidate> candidates_;
    std::vector<double> scores_;
    Found found_;
};

}  // namespace shoal
