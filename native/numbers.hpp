/// Numbers the distinct keys or words of an example 0, 1, 2, ... in order of first appearance.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "words_of_bytes.hpp"

namespace tallystick {

using Number = std::uint32_t;

/// The number of what was not met.
inline constexpr Number absent = std::numeric_limits<Number>::max();

/// Multiplying a hash by it spreads that over the highest bits (Knuth, The Art of Computer
/// Programming, 6.4).
inline constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15;

/// The tokens of a text by number.
using Sequence = std::vector<Number>;

/// An open-addressing hash table that keeps its memory when it is cleared.
///
/// An Entry has a `number`, `absent` where its slot is free, and a hash().
template <typename Entry>
class Slots {
 public:
  /// Forgets all entries and makes room for about n.
  void clear(std::size_t n) {
    n_entries_ = 0;
    free_slots(std::clamp(std::bit_ceil(2 * n), smallest, largest_start));
  }

  /// The slot that holds what `same` is true of, or the free one where it belongs.
  template <typename Same>
  Entry& find(std::uint64_t hash, Same same) {
    auto slot = static_cast<std::size_t>((hash * golden_ratio) >> shift_);
    while (slots_[slot].number != absent && !same(slots_[slot])) slot = (slot + 1) & mask_;
    return slots_[slot];
  }

  /// Puts an entry into the free slot that was found for it; slots found before may move.
  void fill(Entry& slot, const Entry& entry) {
    slot = entry;
    if (2 * ++n_entries_ > mask_ + 1) grow();
  }

 private:
  /// Sizes are powers of two, so that the highest bits of a hash are the number of a slot.
  static constexpr std::size_t smallest = 16;
  /// A long text has fewer distinct tokens than tokens: its table grows as it must.
  static constexpr std::size_t largest_start = std::size_t{1} << 16;

  void free_slots(std::size_t size) {
    if (slots_.size() < size) slots_.resize(size);
    std::fill_n(slots_.begin(), size, Entry{});
    mask_ = size - 1;
    shift_ = 64U - static_cast<unsigned>(std::countr_zero(size));
  }

  void grow() {
    const std::size_t n = mask_ + 1;
    const std::vector<Entry> old = std::exchange(slots_, {});
    free_slots(2 * n);
    for (const Entry& entry : std::span(old).first(n)) {
      if (entry.number == absent) continue;
      find(entry.hash(), [](const Entry&) { return false; }) = entry;
    }
  }

  std::vector<Entry> slots_;
  std::size_t n_entries_ = 0;
  std::size_t mask_ = 0;
  unsigned shift_ = 0;
};

/// Numbers keys of 64 bits.
class KeyNumbers {
 public:
  /// Forgets all keys and makes room for about n.
  void clear(std::size_t n) {
    slots_.clear(n);
    size_ = 0;
  }

  /// The number of a key; one that was not met gets the next.
  Number number(std::uint64_t key) {
    Entry& entry = find_entry(key);
    if (entry.number != absent) return entry.number;
    const Number next = size_++;
    slots_.fill(entry, {key, next});
    return next;
  }

  /// The number of a key, or `absent`.
  Number find(std::uint64_t key) { return find_entry(key).number; }

  std::size_t size() const { return size_; }

 private:
  struct Entry {
    std::uint64_t key = 0;
    Number number = absent;

    std::uint64_t hash() const { return key; }
  };

  Entry& find_entry(std::uint64_t key) {
    return slots_.find(key, [key](const Entry& entry) { return entry.key == key; });
  }

  Slots<Entry> slots_;
  Number size_ = 0;
};

/// Numbers words; it keeps views of them, so their bytes must stay where they are.
class WordNumbers {
 public:
  /// Forgets all words and makes room for about n.
  void clear(std::size_t n) {
    slots_.clear(n);
    words_.clear();
  }

  /// The number of a word; one that was not met gets the next.
  Number number(std::string_view word) {
    const Digest digest = digest_word(word);
    Entry& entry = find_entry(word, digest);
    if (entry.number != absent) return entry.number;
    const auto next = static_cast<Number>(words_.size());
    words_.push_back(word);
    slots_.fill(entry, {digest, next});
    return next;
  }

  /// The number of a word, or `absent`.
  Number find(std::string_view word) { return find_entry(word, digest_word(word)).number; }

  std::size_t size() const { return words_.size(); }

 private:
  /// A word of up to eight bytes is given by `bits` and `size`; of a longer one they are a hash.
  struct Digest {
    std::uint64_t bits = 0;
    std::uint32_t size = 0;

    bool operator==(const Digest&) const = default;

    std::uint64_t hash() const { return bits ^ size; }
  };

  struct Entry {
    Digest digest;
    Number number = absent;

    std::uint64_t hash() const { return digest.hash(); }
  };

  static constexpr std::uint32_t longer = 9;

  static Digest digest_word(std::string_view word) {
    const std::size_t size = word.size();
    if (size > word_size) return {hash_long(word), longer};
    return {load_word(word.data(), word.data() + size), static_cast<std::uint32_t>(size)};
  }

  static std::uint64_t hash_long(std::string_view word) {
    constexpr std::uint64_t odd = 0xD6E8FEB86659FD93;
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i + 8 < word.size(); i += 8) {
      hash = (hash ^ load_bytes<std::uint64_t>(word.data() + i)) * odd;
      hash ^= hash >> 32;
    }
    return (hash ^ load_bytes<std::uint64_t>(word.data() + word.size() - 8)) * odd;
  }

  Entry& find_entry(std::string_view word, const Digest& digest) {
    return slots_.find(digest.hash(), [&](const Entry& entry) {
      return entry.digest == digest && (digest.size != longer || words_[entry.number] == word);
    });
  }

  Slots<Entry> slots_;
  std::vector<std::string_view> words_;
};

}  // namespace tallystick
