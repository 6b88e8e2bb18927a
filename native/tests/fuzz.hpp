/// What the fuzzer feeds the kernels with, round after round.
#pragma once

#include <random>

namespace tallystick {

/// Counts labels, sorts and ranks scores, and groups rows; compares with slow versions.
void try_labels(std::mt19937& random);

}  // namespace tallystick
