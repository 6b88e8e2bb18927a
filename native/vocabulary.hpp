/// Numbers words across texts, so that each distinct one is stemmed once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
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

  /// The number of a word's stem, or `absent` for a stop word.
  Number number(std::string_view word) {
    const std::uint64_t digest = digest_word(word);
    Entry& entry = slots_.find(digest, [&](const Entry& one) { return holds(one, digest, word); });
    return entry.number != absent ? entry.stem : add(word, digest, entry);
  }

  /// Forgets all words if there are too many to keep; whether it did.
  bool forget_if_full();

 private:
  /// Letters are never 0, so that a word of up to eight is given by its bytes; a longer one has a
  /// place among the long words.
  struct Entry {
    std::uint64_t digest = 0;
    Number number = absent;
    Number stem = absent;

    std::uint64_t hash() const { return digest; }
  };

  static std::uint64_t load(const char* letters) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, letters, sizeof(bits));
    return bits;
  }

  /// The bytes of a word of up to eight, else a hash; eight bytes from its last one on are read.
  static std::uint64_t digest_word(std::string_view word) {
    constexpr std::uint64_t odd = 0xD6E8FEB86659FD93;
    std::uint64_t digest = 0;
    for (; word.size() > 8; word.remove_prefix(8)) {
      digest = (digest ^ load(word.data())) * odd;
      digest ^= digest >> 32;
    }
    return digest ^ (load(word.data()) & ~std::uint64_t{0} >> (64 - 8 * word.size()));
  }

  bool holds(const Entry& entry, std::uint64_t digest, std::string_view word) const {
    if (entry.digest != digest) return false;
    return word.size() <= 8 ? entry.number == short_word
                            : entry.number != short_word && long_words_[entry.number] == word;
  }

  static constexpr Number short_word = absent - 1;

  void forget();
  Number add(std::string_view word, std::uint64_t digest, Entry& slot);
  void insert(std::string_view word, std::uint64_t digest, Entry& slot, Number stem);
  Number number_stem(std::string_view word);
  std::span<char> keep(std::string_view word);

  Texts stop_words_;
  bool stem_;
  std::size_t n_expected_;
  std::pmr::monotonic_buffer_resource memory_;
  Slots<Entry> slots_;
  std::size_t n_words_ = 0;
  std::vector<std::string_view> long_words_;
  WordNumbers stems_;
};

}  // namespace tallystick
