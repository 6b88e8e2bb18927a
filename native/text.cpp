#include "text.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "unicode_tables.hpp"

namespace tallystick {
namespace {

/// Skips ASCII eight bytes at a time.
std::size_t skip_ascii(std::string_view text, std::size_t i) {
  constexpr std::uint64_t high_bits = 0x8080808080808080;
  std::uint64_t word = 0;
  for (; i + sizeof(word) <= text.size(); i += sizeof(word)) {
    std::memcpy(&word, text.data() + i, sizeof(word));
    if ((word & high_bits) != 0) break;
  }
  return i;
}

/// Skips characters of three bytes, of which long runs are in the scripts of East Asia.
std::size_t skip_three_bytes(std::string_view text, std::size_t i) {
  for (; i + 3 <= text.size(); i += 3) {
    const auto bits = [&](std::size_t k) { return static_cast<unsigned char>(text[i + k]); };
    const unsigned code_point = (bits(0) & 0x0FU) << 12 | (bits(1) & 0x3FU) << 6;
    const bool whole = (bits(0) & 0xF0U) == 0xE0 && ((bits(1) ^ 0x80U) | (bits(2) ^ 0x80U)) < 0x40;
    if (!whole || code_point < 0x800 || code_point >> 11 == 0x1B) break;
  }
  return i;
}

/// The values that the second byte may have; beyond the usual ones they would make an overlong
/// form, a surrogate, or a code point above U+10FFFF (The Unicode Standard, table 3-7).
struct SecondByte {
  unsigned char lowest;
  unsigned char highest;
};

SecondByte bound_second(unsigned char lead) {
  switch (lead) {
    case 0xE0:
      return {0xA0, 0xBF};
    case 0xED:
      return {0x80, 0x9F};
    case 0xF0:
      return {0x90, 0xBF};
    case 0xF4:
      return {0x80, 0x8F};
    default:
      return {0x80, 0xBF};
  }
}

/// The size of the valid character that begins at byte i; 0 where there is none.
std::size_t measure_valid_character(std::string_view text, std::size_t i) {
  const auto lead = static_cast<unsigned char>(text[i]);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t size = measure_character(text[i]);
  if (i + size > text.size()) return 0;
  const auto second = static_cast<unsigned char>(text[i + 1]);
  const SecondByte bounds = bound_second(lead);
  if (second < bounds.lowest || second > bounds.highest) return 0;
  for (std::size_t j = 2; j < size; ++j) {
    if (!is_continuation(text[i + j])) return 0;
  }
  return size;
}

}  // namespace

std::size_t measure_valid(std::string_view text) {
  std::size_t i = 0;
  while ((i = skip_three_bytes(text, skip_ascii(text, i))) < text.size()) {
    const std::size_t size = measure_valid_character(text, i);
    if (size == 0) return i;
    i += size;
  }
  return i;
}

void validate(const Texts& texts, const char* name) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::size_t valid = measure_valid(texts[i]);
    if (valid == texts[i].size()) continue;
    throw std::invalid_argument(std::string(name) + ": string " + std::to_string(i) +
                                " is not valid UTF-8 at byte " + std::to_string(valid) +
                                " of its " + std::to_string(texts[i].size()) + ".");
  }
}

bool is_space(char32_t code_point) {
  if (code_point >= space_bounds.back()) return false;
  const auto after = std::ranges::upper_bound(space_bounds, code_point);
  return (after - space_bounds.begin()) % 2 == 1;
}

std::string_view strip_start(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = measure_space(text, 0);
    if (size == 0) break;
    text.remove_prefix(size);
  }
  return text;
}

std::string_view strip_end(std::string_view text) {
  while (!text.empty()) {
    std::size_t last = text.size() - 1;
    while (is_continuation(text[last])) --last;
    if (measure_space(text, last) == 0) break;
    text.remove_suffix(text.size() - last);
  }
  return text;
}

void split_words(std::string_view text, std::vector<std::string_view>& words) {
  words.clear();
  std::size_t start = 0;
  const auto end_word = [&](std::size_t end) {
    if (end > start) words.push_back(text.substr(start, end - start));
  };
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t space = measure_space(text, i);
    if (space > 0) {
      end_word(i);
      start = i + space;
    }
    i += std::max<std::size_t>(space, 1);
  }
  end_word(text.size());
}

}  // namespace tallystick
