/// Looks at eight bytes at once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tallystick {

inline constexpr std::size_t word_size = sizeof(std::uint64_t);

/// A word of which each byte is this one.
constexpr std::uint64_t repeat(unsigned char byte) {
  return std::uint64_t{0x0101010101010101} * byte;
}

/// The next bytes as a number, the first one lowest.
template <typename Word>
Word load_bytes(const char* place) {
  Word word = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&word, place, sizeof(Word));
  } else {
    for (std::size_t i = sizeof(Word); i-- > 0;) {
      word = static_cast<Word>(word << 8 | static_cast<unsigned char>(place[i]));
    }
  }
  return word;
}

/// The next eight bytes, or as many as there are and then zeros, the first one lowest.
inline std::uint64_t load_word(const char* place, const char* stop) {
  const auto left = static_cast<std::size_t>(stop - place);
  if (left >= word_size) return load_bytes<std::uint64_t>(place);
  // Loads that overlap where fewer bytes are left than they take.
  if (left >= sizeof(std::uint32_t)) {
    const std::size_t last = left - sizeof(std::uint32_t);
    const std::uint64_t tail = load_bytes<std::uint32_t>(place + last);
    return load_bytes<std::uint32_t>(place) | tail << (8 * last);
  }
  if (left == 0) return 0;
  const auto byte_at = [place](std::size_t i) {
    return std::uint64_t{static_cast<unsigned char>(place[i])} << (8 * i);
  };
  return byte_at(0) | byte_at(left / 2) | byte_at(left - 1);
}

}  // namespace tallystick
