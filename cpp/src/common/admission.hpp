// Which classes may take which records without breaking a model that they meet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shoal/common/models.hpp"

namespace shoal {

// Records with equal protected values have the same signature, and a class that does not change
// answers alike to all of them: answers are kept until it does.
class Admission {
  public:
    // Finds the signatures of all rows. `models` must outlive this.
    void set(const Models& models, std::size_t rows);
    bool empty() const { return models_ == nullptr || models_->empty(); }
    std::int32_t signature(std::size_t row) const { return signature_[row]; }

    // Forgets all answers. Classes from `classes` on may not be asked about until the next call.
    void resize(std::size_t classes);
    void forget(std::size_t c);
    bool allows(std::size_t c, const ClassHistogram& histogram, std::size_t row);

  private:
    enum Answer : std::uint8_t { unknown, yes, no };
    // Bytes that answers may take; beyond it every question is worked out.
    static constexpr std::size_t most_answers = std::size_t{1} << 26;

    const Models* models_ = nullptr;
    std::vector<std::int32_t> signature_;  // of each row
    std::size_t signatures_ = 0;
    std::vector<std::uint8_t> answers_;  // [class][signature]
};

}  // namespace shoal
