#include "shoal/control.hpp"
