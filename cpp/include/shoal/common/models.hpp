// Privacy models beyond class size: conditions on the histogram of protected values in a class.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shoal/common/partition.hpp"
#include "shoal/common/values.hpp"

namespace shoal {

enum class Condition {
    distinct,           // at least `number` different values; of persons: that many persons
    frequency,          // no value has more than 1 / `ratio` of the records
    entropy,            // entropy (natural) at least ln `level`
    recursive,          // most frequent < `ratio` · (sum from the `number`-th most frequent on)
    equal_closeness,    // variational distance to the table's distribution at most `level`
    ordered_closeness,  // earth mover's distance with ordered values at most `level`
    tree_closeness,     // earth mover's distance in a tree of values at most `level`
    bounded_shares,     // the share of every value from `lowest` to `highest`
    least_sizes         // as many records as the largest `lowest` of the values held
};

// A rooted tree over codes for the hierarchical distance. Nodes are numbered so that parents come
// after their children; the codes are nodes 0 .. code_count - 1.
struct ValueTree {
    std::vector<std::int32_t> parent;  // -1 for the root
    std::vector<double> toll;          // distance cost of mass that passes from a node upwards
};

// Limits on counts are compared exactly: with 1.1 a class of 11 may hold 10 alike.
struct Ratio {
    std::int64_t numerator = 1;
    std::int64_t denominator = 1;
};

struct Model {
    Condition condition = Condition::distinct;
    std::int64_t number = 1;
    double level = 0.0;
    Ratio ratio;
    std::vector<std::uint32_t> codes;  // protected value of each row
    std::uint32_t code_count = 0;
    std::vector<double> share;            // closeness: the table's distribution
    ValueTree tree;                       // tree_closeness
    std::vector<double> lowest, highest;  // limits of each value's share; least_sizes: of records
};

struct Models {
    std::vector<Model> all;
    std::size_t rows = 0;

    bool empty() const { return all.empty(); }
};

// The protected values of one class, one histogram a model.
class ClassHistogram {
  public:
    std::int64_t size() const { return size_; }
    const Values& values(std::size_t model) const { return values_[model]; }

    void assign(const Models& models, std::span<const Piece> pieces);  // these and no others
    void add(const Models& models, std::size_t row, std::int32_t count);
    void remove(const Models& models, std::size_t row, std::int32_t count);
    void unite(const ClassHistogram& other);
    void clear();

    bool holds(const Models& models) const;  // every model
    bool holds(const Models& models, std::size_t model) const;
    bool holds_adding(const Models& models, std::size_t row, std::int32_t count) const;
    bool holds_removing(const Models& models, std::size_t row, std::int32_t count) const;
    // Whether every model that this class meets now is met after the change too.
    bool keeps_adding(const Models& models, std::size_t row, std::int32_t count) const;
    bool keeps_removing(const Models& models, std::size_t row, std::int32_t count) const;
    bool holds_united(const Models& models, const ClassHistogram& other) const;
    // How far the class is from meeting every model, about in records, 0 if it does: a guide.
    double shortfall(const Models& models) const;

  private:
    bool holds_changed(const Models& models, std::size_t model, std::size_t row,
                       std::int32_t change) const;

    std::int64_t size_ = 0;
    std::vector<Values> values_;
};

// How far such a class is from it, 0 if it meets the model.
double shortfall(const Model& model, std::span<const Held> held, std::int64_t size);

// Whether a class with these counts, of `size` records together, meets a model.
bool holds(const Model& model, std::span<const Held> held, std::int64_t size);

}  // namespace shoal
