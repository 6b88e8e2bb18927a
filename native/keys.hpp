/// Hashes texts that identify rows, and finds the same ones among others.
#pragma once

#include <cstdint>
#include <vector>

#include "text.hpp"

namespace tallystick {

/// A hash of 64 bits of each text; the same on machines of one byte order.
std::vector<std::uint64_t> hash_texts(const Texts& texts);

/// Where each sought text first stands among others, -1 where it does not, in expected linear time.
///
/// Texts are compared whole. A secret seed keeps others from choosing texts whose hashes collide.
/// Throws where either are 2^32 texts or more.
std::vector<std::int64_t> find_texts(const Texts& texts, const Texts& sought, std::uint64_t seed);

}  // namespace tallystick
