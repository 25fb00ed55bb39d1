// Repair: classes that break a model are made to meet it, as cheaply as can be found.
#pragma once

#include <cstdint>

#include "shoal/common/control.hpp"
#include "shoal/common/models.hpp"
#include "shoal/common/objective.hpp"
#include "shoal/common/partition.hpp"

namespace shoal {

struct Repaired {
    Partition partition;
    std::int64_t broken = 0;     // classes that broke a model at the start
    std::int64_t exchanged = 0;  // records that changed places with one of another class
    std::int64_t scattered = 0;  // classes whose records went to several others
    std::int64_t united = 0;     // classes that became part of another
    bool sound = true;           // whether every class meets every model now
    std::int64_t looks = 0;      // members that were looked at to find one
};

// For each class that breaks a model, the cheapest of three ways by the growth of the total loss:
// it exchanges records with near classes, one for one, until it meets every model; or its records
// go one by one to near classes that meet every model with them; or it unites with the class that
// adds least among those with which it meets every model (if there is none: with the one that
// lowers the shortfall most for its cost, and goes on from there). A class that meets every model
// never ceases to. If it turns out in the end that uniting alone would have cost less, that is the
// result. Exchanges leave the size of every class as it is, the others lower none. Ends
// with every model met if the whole table meets them. O(c) for each broken class, c the number of
// classes, and O(r·k) for each exchange, r a constant number of near classes.
Repaired repair(const Objective& objective, const Models& models, const Partition& start,
                Control& control);

}  // namespace shoal
