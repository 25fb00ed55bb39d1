#include "common/admission.hpp"

#include <algorithm>
#include <numeric>

namespace shoal {

void Admission::set(const Models& models, std::size_t rows) {
    models_ = &models;
    signature_.clear();
    signatures_ = 0;
    answers_.clear();
    if (models.empty() || rows == 0) return;
    std::vector<std::int32_t> order(rows);
    std::iota(order.begin(), order.end(), 0);
    const auto before = [&models](std::int32_t a, std::int32_t b) {
        for (const Model& model : models.all) {
            const std::uint32_t left = model.codes[static_cast<std::size_t>(a)];
            const std::uint32_t right = model.codes[static_cast<std::size_t>(b)];
            if (left != right) return left < right;
        }
        return false;
    };
    std::sort(order.begin(), order.end(), before);
    signature_.resize(rows);
    std::int32_t number = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        if (i > 0 && before(order[i - 1], order[i])) ++number;
        signature_[static_cast<std::size_t>(order[i])] = number;
    }
    signatures_ = static_cast<std::size_t>(number) + 1;
}

void Admission::resize(std::size_t classes) {
    const bool kept = !empty() && classes <= most_answers / signatures_;
    answers_.assign(kept ? classes * signatures_ : 0, unknown);
}

void Admission::forget(std::size_t c) {
    if ((c + 1) * signatures_ > answers_.size()) return;  // too many answers, or a new class
    const auto first = answers_.begin() + static_cast<std::ptrdiff_t>(c * signatures_);
    std::fill(first, first + static_cast<std::ptrdiff_t>(signatures_), unknown);
}

bool Admission::allows(std::size_t c, const ClassHistogram& histogram, std::size_t row) {
    if (answers_.empty()) return histogram.keeps_adding(*models_, row, 1);
    std::uint8_t& answer = answers_[c * signatures_ + static_cast<std::size_t>(signature_[row])];
    if (answer == unknown) answer = histogram.keeps_adding(*models_, row, 1) ? yes : no;
    return answer == yes;
}

}  // namespace shoal
