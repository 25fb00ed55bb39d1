#include "shoal/scan/scan.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <stdexcept>

namespace shoal {

namespace {

std::vector<Path> paths_of_processor() {
    std::vector<Path> paths;
#if defined(SHOAL_X86)
    if (__builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl")) {
        paths.push_back(Path::avx512);
    }
    if (__builtin_cpu_supports("avx2")) paths.push_back(Path::avx2);
#endif
    paths.push_back(Path::scalar);
    return paths;
}

}  // namespace

std::vector<Path> available_paths() {
    std::vector<Path> paths = paths_of_processor();
    const char* asked = std::getenv("SHOAL_ISA");
    if (asked == nullptr || *asked == '\0') return paths;
    // Nothing better than what is asked for.
    while (!paths.empty() && name(paths.front()) != asked) paths.erase(paths.begin());
    if (paths.empty()) {
        throw std::invalid_argument(
            "SHOAL_ISA must name an instruction set of this processor: scalar, avx2 or avx512");
    }
    return paths;
}

std::string_view name(Path path) {
    switch (path) {
        case Path::avx512:
            return "avx512";
        case Path::avx2:
            return "avx2";
        case Path::scalar:
            break;
    }
    return "scalar";
}

namespace {

bool four_narrow(const Query& query, std::size_t first) {
    const Records& records = query.records();
    if (first + 4 > records.attributes.size()) return false;
    for (std::size_t j = first; j < first + 4; ++j) {
        if (!query.layout().is_narrow(records, j)) return false;
    }
    return true;
}

// Four attributes a pass save most loads and stores of the sums; the order of additions stays.
void add_four(const Alive& alive, const Query& query, std::size_t first, std::size_t begin,
              std::size_t size, double* sum) {
    const std::uint8_t* codes[4];
    for (std::size_t j = 0; j < 4; ++j) {
        codes[j] = alive.narrow(query.layout().slot[first + j]) + begin;
    }
    const double* table = query.exact_table(first);
    for (std::size_t i = 0; i < size; ++i) {
        double score = sum[i] + table[codes[0][i]];
        score += table[Layout::plane + codes[1][i]];
        score += table[2 * Layout::plane + codes[2][i]];
        sum[i] = score + table[3 * Layout::plane + codes[3][i]];
    }
}

}  // namespace

// One look-up in double precision per attribute and record.
void collect_scalar(const Alive& alive, const Query& query, std::vector<Candidate>& found) {
    constexpr std::size_t block = 256;
    std::array<double, block> sum;
    const Layout& layout = query.layout();
    const bool nearest = query.aim() == Query::Aim::nearest;
    const std::size_t attributes = query.records().attributes.size();
    double closure_loss = 0.0;
    for (std::size_t j = 0; j < attributes; ++j) closure_loss += query.base(j);
    const double sign = nearest ? 1.0 : -1.0;
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t begin = 0; begin < alive.size(); begin += block) {
        const std::size_t size = std::min(block, alive.size() - begin);
        sum.fill(0.0);
        for (std::size_t j = 0; j < attributes;) {
            if (four_narrow(query, j)) {
                add_four(alive, query, j, begin, size, sum.data());
                j += 4;
            } else if (layout.is_narrow(query.records(), j)) {
                const double* table = query.exact_table(j);
                const std::uint8_t* codes = alive.narrow(layout.slot[j]) + begin;
                for (std::size_t i = 0; i < size; ++i) sum[i] += table[codes[i]];
                ++j;
            } else {
                const std::uint32_t* codes = alive.wide(layout.slot[j]) + begin;
                for (std::size_t i = 0; i < size; ++i) sum[i] += query.exact(j, codes[i]);
                ++j;
            }
        }
        for (std::size_t i = 0; i < size; ++i) {
            const double value = sign * sum[i];
            if (value > best) continue;
            if (value < best) {
                found.clear();
                best = value;
            }
            const std::uint32_t growth = !nearest || sum[i] != closure_loss;
            found.push_back({static_cast<std::uint32_t>(begin + i), growth});
        }
    }
    // Equal sums may hide a growth too small for them; zero must mean "no growth at all".
    for (Candidate& candidate : found) {
        for (std::size_t j = 0; candidate.score == 0 && j < attributes; ++j) {
            const std::size_t slot = layout.slot[j];
            const std::uint32_t code = layout.is_narrow(query.records(), j)
                                           ? alive.narrow(slot)[candidate.index]
                                           : alive.wide(slot)[candidate.index];
            candidate.score = query.exact(j, code) != query.base(j);
        }
    }
}

const Found& Scanner::scan(const Alive& alive, const Query& query) {
    candidates_.clear();
    switch (path_) {
#if defined(SHOAL_X86)
        case Path::avx512:
            collect_avx512(alive, query, candidates_);
            break;
        case Path::avx2:
            collect_avx2(alive, query, candidates_);
            break;
#endif
        default:
            collect_scalar(alive, query, candidates_);
    }
    decide(alive, query);
    return found_;
}

void Scanner::decide(const Alive& alive, const Query& query) {
    const Layout& layout = query.layout();
    const std::size_t attributes = query.records().attributes.size();
    const bool nearest = query.aim() == Query::Aim::nearest;
    scores_.assign(candidates_.size(), 0.0);
    for (std::size_t j = 0; j < attributes; ++j) {
        const std::size_t slot = layout.slot[j];
        if (layout.is_narrow(query.records(), j)) {
            const double* table = query.exact_table(j);
            const std::uint8_t* codes = alive.narrow(slot);
            for (std::size_t i = 0; i < scores_.size(); ++i) {
                scores_[i] += table[codes[candidates_[i].index]];
            }
        } else {
            const std::uint32_t* codes = alive.wide(slot);
            for (std::size_t i = 0; i < scores_.size(); ++i) {
                scores_[i] += query.exact(j, codes[candidates_[i].index]);
            }
        }
    }
    found_.indices.clear();
    if (scores_.empty()) return;
    const double best = nearest ? *std::min_element(scores_.begin(), scores_.end())
                                : *std::max_element(scores_.begin(), scores_.end());
    found_.score = best;
    bool free = nearest;
    for (std::size_t i = 0; i < scores_.size(); ++i) {
        if (scores_[i] != best) continue;
        found_.indices.push_back(candidates_[i].index);
        free = free && candidates_[i].score == 0;
    }
    const auto by_position = [&](std::uint32_t a, std::uint32_t b) {
        return alive.position(a) < alive.position(b);
    };
    if (free) {
        std::sort(found_.indices.begin(), found_.indices.end(), by_position);
    } else {
        found_.indices[0] =
            *std::min_element(found_.indices.begin(), found_.indices.end(), by_position);
        found_.indices.resize(1);
    }
}

}  // namespace shoal
