/// Numbers the characters of a pair of texts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "numbers.hpp"
#include "text.hpp"

namespace tallystick {

/// Numbers the code points of a text; those of ASCII are their own numbers.
///
/// The others are looked up in pages that are added as scripts come into use, so that no table of
/// all code points is cleared or kept in cache.
class CharacterNumbers {
 public:
  CharacterNumbers() { pages_.fill(unused); }

  /// Replaces `numbers` by those of the text's code points, all or all but spaces.
  void number_all(std::string_view text, Sequence& numbers, bool with_spaces = true) {
    for (const std::size_t place : places_met_) numbers_at_[place] = absent;
    places_met_.clear();
    translate(text, numbers, with_spaces, [this](char32_t one) { return number(one); });
  }

  /// The same for another text, whose other code points are absent where the first has none.
  void find_all(std::string_view text, Sequence& numbers, bool with_spaces = true) const {
    translate(text, numbers, with_spaces, [this](char32_t one) { return find(one); });
  }

  /// The numbers of the first text lie below this.
  Number bound() const { return n_ascii + static_cast<Number>(places_met_.size()); }

 private:
  static constexpr Number n_ascii = 128;
  static constexpr std::size_t page_size = 128;
  static constexpr std::uint16_t unused = 0xFFFF;

  template <typename Look>
  static void translate(std::string_view text, Sequence& numbers, bool with_spaces, Look look_up) {
    numbers.resize(text.size());
    Number* next = numbers.data();
    while (!text.empty()) {
      bool is_kept = with_spaces;
      if (const auto byte = static_cast<unsigned char>(text.front()); byte < n_ascii) {
        is_kept |= !is_ascii_space(byte);
        *next = byte;
        text.remove_prefix(1);
      } else {
        is_kept |= measure_space(text, 0) == 0;
        *next = look_up(take_code_point(text));
      }
      next += is_kept ? 1 : 0;
    }
    numbers.resize(static_cast<std::size_t>(next - numbers.data()));
  }

  Number number(char32_t character) {
    std::uint16_t& page = pages_[character / page_size];
    if (page == unused) {
      page = static_cast<std::uint16_t>(numbers_at_.size() / page_size);
      numbers_at_.resize(numbers_at_.size() + page_size, absent);
    }
    const std::size_t place = page * page_size + character % page_size;
    if (numbers_at_[place] == absent) {
      numbers_at_[place] = bound();
      places_met_.push_back(place);
    }
    return numbers_at_[place];
  }

  Number find(char32_t character) const {
    const std::uint16_t page = pages_[character / page_size];
    return page == unused ? absent : numbers_at_[page * page_size + character % page_size];
  }

  std::array<std::uint16_t, 0x110000 / page_size> pages_;
  std::vector<Number> numbers_at_;
  std::vector<std::size_t> places_met_;
};

}  // namespace tallystick
