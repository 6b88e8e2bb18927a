/// What every kernel refuses: codes out of range, and sizes that no memory could hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace tallystick {

/// Throws unless `code` is below `bound`; `argument` and `position` tell where it stood.
inline void check_code(const char* argument, std::size_t position, std::uint64_t code,
                       std::size_t bound) {
  if (code < bound) return;
  throw std::invalid_argument(std::string(argument) + "[" + std::to_string(position) + "] is " +
                              std::to_string(code) + ": expected a code below " +
                              std::to_string(bound) + ".");
}

/// The product of two sizes; throws where it would wrap around.
inline std::size_t multiply_sizes(std::size_t left, std::size_t right) {
  if (left != 0 && right > std::numeric_limits<std::size_t>::max() / left) {
    throw std::invalid_argument("An array of " + std::to_string(left) + " times " +
                                std::to_string(right) + " cells is larger than memory.");
  }
  return left * right;
}

}  // namespace tallystick
