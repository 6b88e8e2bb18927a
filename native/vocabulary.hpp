/// Numbers words across texts, so that each distinct one is stemmed once.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "numbers.hpp"
#include "text.hpp"
#include "words.hpp"

namespace tallystick {

/// Gives the words that split_alphanumerics finds the numbers of their stems, and stop words none.
///
/// What it knows only makes it faster: it may be forgotten at any time, and numbers begin anew.
class Vocabulary {
 public:
  /// Makes room for about n_expected words.
  Vocabulary(const Texts& stop_words, bool stem, std::size_t n_expected);

  /// What stands for a stop word.
  static constexpr Number dropped = absent - 1;

  /// The number of the stem of word i of a text, or `dropped`.
  Number number(const Alphanumerics& text, std::size_t i) {
    const Letters letters = find_letters(text, i);
    Entry& entry = find(letters);
    return entry.number != absent ? entry.number : add(text[i], letters, entry);
  }

  /// Forgets all words if there are too many to keep; whether it did.
  bool forget_if_full();

 private:
  struct Entry {
    Letters letters;
    Number number = absent;

    std::uint64_t hash() const { return letters.hash(); }
  };

  /// The letters of word i of a text, or 0 and the number of a longer word.
  Letters find_letters(const Alphanumerics& text, std::size_t i) {
    Letters letters = text.letters(i);
    if (letters.first == 0) letters.rest = number_longer(text[i]);
    return letters;
  }

  Entry& find(const Letters& letters) {
    return words_.find(letters.hash(), [&](const Entry& one) { return one.letters == letters; });
  }

  void forget();
  Number add(std::string_view word, const Letters& letters, Entry& slot);
  Number number_longer(std::string_view word);
  Number number_stem(std::string_view word);
  std::span<char> keep(std::string_view word);

  Texts stop_words_;
  bool stem_;
  std::size_t n_expected_;
  /// Where what tables have views of is kept.
  std::pmr::monotonic_buffer_resource memory_;
  Slots<Entry> words_;
  std::size_t n_words_ = 0;
  /// Words that are too long to be told by their letters alone.
  WordNumbers longer_;
  WordNumbers stems_;
};

}  // namespace tallystick
