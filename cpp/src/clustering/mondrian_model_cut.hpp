// Mondrian's search for a cut under privacy models and information measures.
#pragma once

#include <vector>

#include "clustering/mondrian_cut.hpp"
#include "shoal/common/models.hpp"
#include "shoal/common/objective.hpp"

namespace shoal {

// What `MondrianCutFinder` does for the plain loss and class size alone, slower and more general.
class MondrianModelCutFinder {
  public:
    MondrianModelCutFinder(const Objective& objective, const Models& models, const Cutting& cutting)
        : objective_(objective),
          models_(models),
          cutting_(cutting),
          finder_(objective.records(), cutting_) {}

    bool find(const View& view, const Node& node, std::vector<Reach>& held, Workspace& workspace,
              MondrianCut& cut) const;

  private:
    double cut_gain(const View& view, const Node& node, std::size_t j,
                    const std::vector<Reach>& held, const std::vector<std::int64_t>& secrets,
                    Workspace& workspace) const;
    double closure_cost(std::size_t j, Extent extent, std::int64_t size,
                        const std::vector<std::int64_t>& secrets,
                        const std::vector<std::int64_t>& histogram) const;
    std::vector<std::size_t> by_width(const View& view, const Node& node, std::vector<Reach>& held,
                                      Workspace& workspace) const;
    void tally(const View& view, const Node& node, Workspace& workspace) const;
    bool allowable(const View& view, const Node& node, const MondrianCut& cut,
                   Workspace& workspace) const;

    const Objective& objective_;
    const Models& models_;
    Cutting cutting_;
    MondrianCutFinder finder_;
};

}  // namespace shoal
