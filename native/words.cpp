#include "words.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "text.hpp"
#include "unicode_tables.hpp"

namespace tallystick {
namespace {

/// Each ASCII letter or digit in lower case, and 0 for all other bytes.
constexpr std::array<char, 0x100> alphanumerics = [] {
  std::array<char, 0x100> lower{};
  for (char c = '0'; c <= '9'; ++c) lower[static_cast<unsigned char>(c)] = c;
  for (char c = 'a'; c <= 'z'; ++c) {
    lower[static_cast<unsigned char>(c)] = c;
    lower[static_cast<unsigned char>(c - 'a' + 'A')] = c;
  }
  return lower;
}();

constexpr std::string_view kelvin_sign = "\xE2\x84\xAA";
constexpr std::string_view dotted_i = "\xC4\xB0";

bool is_word_character(char32_t code_point) {
  if (code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0)) return false;
  if (code_point == 0x200B || code_point == 0xFEFF || is_space(code_point)) return false;
  const auto after = std::ranges::upper_bound(category_bounds, code_point);
  const char category = categories[static_cast<std::size_t>(after - category_bounds.begin() - 1)];
  return category == 'N' || category == '-';
}

/// Whether the script of a word character parts words by no spaces.
bool stands_alone(char32_t code_point) {
  constexpr std::array<std::pair<char32_t, char32_t>, 10> ranges = {{{0x0E00, 0x0EFF},
                                                                     {0x1000, 0x109F},
                                                                     {0x1780, 0x17FF},
                                                                     {0x3005, 0x3007},
                                                                     {0x3040, 0x312F},
                                                                     {0x31A0, 0x31BF},
                                                                     {0x31F0, 0x31FF},
                                                                     {0x3400, 0x9FFF},
                                                                     {0xF900, 0xFAFF},
                                                                     {0xFF66, 0xFF9F}}};
  if (code_point < ranges.front().first) return false;
  if (code_point >= 0x20000 && code_point <= 0x3FFFF) return true;
  return std::ranges::any_of(ranges, [code_point](const auto& range) {
    return range.first <= code_point && code_point <= range.second;
  });
}

/// A bit for each byte of a text that is a letter or digit, and one for each that ends a line.
struct ByteMasks {
  std::uint64_t letters = 0;
  std::uint64_t line_ends = 0;
};

/// Gathers the lowest bit of each of eight bytes.
std::uint64_t gather_bits(const std::uint8_t* flags) {
  std::uint64_t word = 0;
  for (unsigned i = 0; i < 8; ++i) word |= std::uint64_t{flags[i]} << (8 * i);
  return word * 0x0102040810204080 >> 56;
}

/// Lower-cases 64 bytes and tells what they are.
ByteMasks lower_block(const char* text, char* lowered) {
  std::array<std::uint8_t, 64> is_letter;
  std::array<std::uint8_t, 64> is_line_end;
  for (std::size_t i = 0; i < 64; ++i) {
    const auto byte = static_cast<std::uint8_t>(text[i]);
    const auto lower = static_cast<std::uint8_t>(byte | 0x20);
    const bool letter = static_cast<std::uint8_t>(lower - 'a') < 26;
    const bool digit = static_cast<std::uint8_t>(byte - '0') < 10;
    is_letter[i] = static_cast<std::uint8_t>(letter | digit);
    is_line_end[i] = static_cast<std::uint8_t>(byte == '\n');
    lowered[i] = static_cast<char>(lower);
  }
  ByteMasks masks;
  for (std::size_t i = 0; i < 64; i += 8) {
    masks.letters |= gather_bits(&is_letter[i]) << i;
    masks.line_ends |= gather_bits(&is_line_end[i]) << i;
  }
  return masks;
}

/// Looks at 64 bytes at once; those beyond ASCII part words.
void split_blocks(std::string_view text, Alphanumerics& result) {
  std::array<char, 64> rest{};
  std::size_t n = 0;
  std::uint64_t inside = 0;
  for (std::size_t first = 0; first < text.size(); first += 64) {
    const char* block = text.data() + first;
    if (text.size() - first < 64) {
      std::ranges::copy(text.substr(first), rest.begin());
      block = rest.data();
    }
    const ByteMasks masks = lower_block(block, result.lowered.data() + first);
    std::uint64_t edges = masks.letters ^ (masks.letters << 1U | inside);
    inside = masks.letters >> 63U;
    for (std::uint64_t ends = masks.line_ends; ends != 0; ends &= ends - 1) {
      const std::uint64_t until = edges & (ends ^ (ends - 1));
      result.line_ends.push_back((n + static_cast<std::size_t>(std::popcount(until))) / 2);
    }
    for (; edges != 0; edges &= edges - 1) {
      result.edges[n++] =
          static_cast<std::uint32_t>(first + static_cast<std::size_t>(std::countr_zero(edges)));
    }
  }
  if (n % 2 != 0) result.edges[n++] = static_cast<std::uint32_t>(text.size());
  result.edges.resize(n);
}

/// Looks at bytes one by one, and at the two characters beyond ASCII whose lower case is within.
void split_bytes(std::string_view text, Alphanumerics& result) {
  std::uint32_t start = 0;
  std::uint32_t end = 0;
  std::size_t n = 0;
  const auto end_word = [&] {
    if (end == start) return;
    result.edges[n++] = start;
    result.edges[n++] = end;
    start = end;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    char letter = alphanumerics[static_cast<unsigned char>(text[i])];
    if (rest.starts_with(kelvin_sign)) letter = 'k';
    if (rest.starts_with(dotted_i)) letter = 'i';
    if (letter != 0) result.lowered[end++] = letter;
    if (letter == 0 || rest.starts_with(dotted_i)) end_word();
    if (text[i] == '\n') result.line_ends.push_back(n / 2);
    if (rest.starts_with(kelvin_sign)) i += kelvin_sign.size() - 1;
  }
  end_word();
  result.edges.resize(n);
}

}  // namespace

void split_alphanumerics(std::string_view text, Alphanumerics& result) {
  const std::size_t padded = (text.size() + 63) / 64 * 64 + Alphanumerics::slack;
  if (result.lowered.size() < padded) result.lowered.resize(padded);
  result.edges.resize(text.size() + 2);
  result.line_ends.clear();
  if (text.find(kelvin_sign) == text.npos && text.find(dotted_i) == text.npos) {
    split_blocks(text, result);
  } else {
    split_bytes(text, result);
  }
  result.line_ends.push_back(result.size());
}

void split_unicode_words(std::string_view text, std::vector<std::string_view>& words) {
  words.clear();
  std::size_t start = 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t at = text.size() - rest.size();
    const char32_t code_point = take_code_point(rest);
    const std::size_t next = text.size() - rest.size();
    const bool inside = is_word_character(code_point);
    const bool alone = inside && stands_alone(code_point);
    if (inside && !alone) continue;
    if (at > start) words.push_back(text.substr(start, at - start));
    if (alone) words.push_back(text.substr(at, next - at));
    start = next;
  }
  if (text.size() > start) words.push_back(text.substr(start));
}

}  // namespace tallystick
