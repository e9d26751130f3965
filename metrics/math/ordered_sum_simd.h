// Ordered sums with vector instructions (math.md §1; ordered_sum.h has the maps that work in parallel).
#pragma once

#include <cstddef>

namespace qc {

// The value of `for (i = 0; i < count; ++i) sum += terms[i];` in float64, bit for bit, without its chain of dependent
// additions. Any terms are allowed; it is fast when the sum is large against them and positive.
double ordered_sum(double sum, const double* terms, size_t count);

// Adds the terms to the sum if their order doesn't matter, that is if each order of adding them one by one gives the
// same bits, and this is seen at once. Else leaves the sum as it is and returns false: then they have to be added one
// after the other.
bool add_if_order_is_free(double& sum, const double* terms, size_t count);

}  // namespace qc
