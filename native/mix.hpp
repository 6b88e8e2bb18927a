/// Spreads the bits of a word, as hash tables need it.
#pragma once

#include <cstdint>

namespace tallystick {

/// The finalizer of splitmix64 (Steele, Lea and Flood 2014), which spreads close numbers far.
constexpr std::uint64_t mix(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
  return word ^ (word >> 31);
}

}  // namespace tallystick
