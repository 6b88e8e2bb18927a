#include "words.hpp"

#include <algorithm>
#include <array>
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

}  // namespace

void split_alphanumerics(std::string_view text, std::string& lowered,
                         std::vector<std::string_view>& words,
                         std::vector<std::size_t>& line_ends) {
  constexpr std::string_view kelvin = "\xE2\x84\xAA";
  constexpr std::string_view dotted_i = "\xC4\xB0";
  if (lowered.size() < text.size()) lowered.resize(text.size());
  words.clear();
  line_ends.clear();
  char* start = lowered.data();
  char* end = start;
  const auto end_word = [&] {
    if (end == start) return;
    words.emplace_back(start, static_cast<std::size_t>(end - start));
    start = end;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (const char letter = alphanumerics[byte]; letter != 0) {
      *end++ = letter;
    } else if (byte == 0xE2 && text.substr(i).starts_with(kelvin)) {
      *end++ = 'k';
      i += kelvin.size() - 1;
    } else {
      if (byte == 0xC4 && text.substr(i).starts_with(dotted_i)) *end++ = 'i';
      end_word();
      if (byte == '\n') line_ends.push_back(words.size());
    }
  }
  end_word();
  line_ends.push_back(words.size());
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
