/// Cuts a text into tokens by the kinds of its characters, as mteval does.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text.hpp"

namespace tallystick {

/// What the rules tell apart: spaces are dropped, singles are tokens, points are tokens except
/// within numbers, dashes are tokens after a digit. An edge is the end of a text, which points take
/// for a digit: no rule matches there.
enum class Kind : std::uint8_t { letter, space, single, digit, point, dash, edge };

/// The kind of the character that begins somewhere, and its size in bytes.
struct Character {
  Kind kind;
  std::size_t size;
};

/// Marks the bytes that begin a character which may be no letter and no digit.
template <typename IsMark>
constexpr std::array<bool, 0x100> mark_bytes(const std::array<Kind, 0x80>& ascii_kinds,
                                             IsMark is_mark) {
  std::array<bool, 0x100> marks{};
  for (std::size_t c = 0; c < marks.size(); ++c) {
    marks[c] = c < 0x80 ? ascii_kinds[c] != Kind::letter && ascii_kinds[c] != Kind::digit
                        : is_mark(static_cast<unsigned char>(c));
  }
  return marks;
}

/// Cuts a text into tokens in one pass, where mteval rewrites it in three or four.
///
/// The passes insert spaces after a point that follows a non-digit, before a point that a non-digit
/// follows, and on both sides of a dash that follows a digit. A match takes both of its characters,
/// so that in a run of points only every other one matches in the first pass: that is what
/// cut_points works out from the run's length and the characters around it.
///
/// Rules classify the character that begins somewhere, mark the bytes that need a look, and tell
/// what kind of character is taken to stand before the text and after it.
template <typename Rules>
class Cutter {
 public:
  Cutter(std::string_view text, std::vector<std::string_view>& tokens)
      : text_(text), tokens_(tokens) {}

  void cut_all() {
    std::size_t done = 0;
    for (std::size_t first = 0; first < text_.size(); first += window_size) {
      std::uint64_t marks = find_marks(text_.substr(first, window_size));
      for (; marks != 0; marks &= marks - 1) {
        const std::size_t i = first + static_cast<std::size_t>(std::countr_zero(marks));
        if (i >= done) done = cut_around(i);
      }
    }
    cut(text_.size());
  }

 private:
  static constexpr std::size_t window_size = 64;

  /// Bit k tells whether a token may begin or end at byte k.
  ///
  /// Found without a branch, because where words end no processor foresees.
  static std::uint64_t find_marks(std::string_view window) {
    std::uint64_t marks = 0;
    for (std::size_t k = 0; k < window.size(); ++k) {
      marks |= std::uint64_t{Rules::marks[static_cast<unsigned char>(window[k])]} << k;
    }
    return marks;
  }

  /// Cuts before and after the character at byte i, as its kind asks for; returns where it ends, or
  /// where the run of points ends that begins with it.
  std::size_t cut_around(std::size_t i) {
    const Character character = Rules::classify(text_, i);
    const std::size_t next = i + character.size;
    switch (character.kind) {
      case Kind::letter:
      case Kind::digit:
      case Kind::edge:
        break;
      case Kind::space:
        cut(i);
        start_ = next;
        break;
      case Kind::dash:
        if (look_back(i) != Kind::digit) break;
        [[fallthrough]];
      case Kind::single:
        cut(i);
        cut(next);
        break;
      case Kind::point:
        return cut_points(i, is_numeric(look_back(i)));
    }
    return next;
  }

  /// The kind of the character before byte i.
  Kind look_back(std::size_t i) const {
    if (i == 0) return Rules::edge;
    do --i;
    while (i > 0 && is_continuation(text_[i]));
    return Rules::classify(text_, i).kind;
  }

  /// Ends the token under way; the next one begins here.
  void cut(std::size_t at) {
    if (at > start_) tokens_.emplace_back(text_.data() + start_, at - start_);
    start_ = at;
  }

  static bool is_numeric(Kind kind) { return kind == Kind::digit || kind == Kind::edge; }

  Character look(std::size_t i) const {
    return i < text_.size() ? Rules::classify(text_, i) : Character{Rules::edge, 0};
  }

  /// Cuts around the points that begin at `first`; returns where they end.
  std::size_t cut_points(std::size_t first, bool follows_digit) {
    std::size_t at = first;
    std::size_t length = 0;
    Character character = look(at);
    for (; character.kind == Kind::point; character = look(at)) {
      if (length == 1) cut(first);
      if (length >= 1) cut(at);
      at += character.size;
      ++length;
    }
    const bool precedes_digit = is_numeric(character.kind);
    if (length == 1 && !(follows_digit && precedes_digit)) cut(first);
    if (!precedes_digit || (length % 2 == 0) == follows_digit) cut(at);
    return at;
  }

  std::string_view text_;
  std::vector<std::string_view>& tokens_;
  std::size_t start_ = 0;
};

}  // namespace tallystick
