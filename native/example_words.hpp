/// Numbers the distinct words of one example after the other.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "numbers.hpp"
#include "words.hpp"

namespace tallystick {

/// Numbers the words that `split_alphanumerics` finds in a hypothesis, and finds them in
/// references.
///
/// An open-addressing table that is small enough to stay in the fastest cache, and that is emptied
/// at once: what a slot holds counts only in its own example.
class ExampleWords {
 public:
  /// Forgets all words and makes room for those of a text, which must stay as it is.
  void clear(const Alphanumerics& text) {
    const std::size_t size = std::bit_ceil(std::max<std::size_t>(4 * text.size(), 64));
    if (slots_.size() < size) slots_.resize(size);
    mask_ = size - 1;
    shift_ = 64U - static_cast<unsigned>(std::countr_zero(size));
    longer_.clear(0);
    ++example_;
  }

  /// Writes the number of each word of that text; returns how many distinct ones there are.
  Number number_all(const Alphanumerics& text, Sequence& numbers) {
    numbers.resize(text.size());
    Number n = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      Letters letters = text.letters(i);
      if (letters.first == 0) letters.rest = longer_.number(text[i]);
      Slot& slot = find(letters);
      // Without a branch, as about every other word is new.
      const bool is_known = slot.example == example_;
      const Number number = is_known ? slot.number : n;
      slot = {letters, example_, number};
      numbers[i] = number;
      n += is_known ? 0 : 1;
    }
    return n;
  }

  /// Writes the number of each word of another text, or `absent`.
  void find_all(const Alphanumerics& text, Sequence& numbers) {
    numbers.resize(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
      Letters letters = text.letters(i);
      if (letters.first == 0) letters.rest = longer_.find(text[i]);
      const Slot& slot = find(letters);
      numbers[i] = slot.example == example_ ? slot.number : absent;
    }
  }

 private:
  struct Slot {
    Letters letters;
    std::uint32_t example = 0;
    Number number = absent;
  };

  /// The slot of a word, or the one that it would take.
  Slot& find(const Letters& letters) {
    std::size_t at = static_cast<std::size_t>((letters.hash() * golden_ratio) >> shift_);
    while (slots_[at].example == example_ && slots_[at].letters != letters) at = (at + 1) & mask_;
    return slots_[at];
  }

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  unsigned shift_ = 0;
  std::uint32_t example_ = 0;
  /// Words that are too long to be told by their letters alone.
  WordNumbers longer_;
};

}  // namespace tallystick
