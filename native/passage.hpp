/// A text as the overlap kernels see it: tokens by number, sentence by sentence.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "matches.hpp"
#include "numbers.hpp"

namespace tallystick {

/// Tokens of a hypothesis are numbered from 0 on; those of a reference that the hypothesis lacks
/// are `absent`.
struct Passage {
  Sequence tokens;
  /// How many tokens there are up to the end of each sentence.
  std::vector<std::size_t> ends;

  /// Calls visit(first, last) with the bounds of each sentence, in order.
  template <typename Visit>
  void for_each_sentence(Visit visit) const {
    std::size_t first = 0;
    for (const std::size_t last : ends) {
      if (last > first) visit(first, last);
      first = last;
    }
  }

  std::span<const Number> part(std::size_t first, std::size_t last) const {
    return std::span(tokens).subspan(first, last - first);
  }
};

/// A bit for each token of a sentence.
class Marks {
 public:
  void clear(std::size_t n) { words_.assign((n + 63) / 64, 0); }

  void set(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }

  /// Sets those of 64 bits, which begin at some place, that are set and within.
  void set_all(std::size_t first, std::uint64_t bits) {
    words_[first / 64] |= bits << (first % 64);
    const std::uint64_t rest = first % 64 == 0 ? 0 : bits >> (64 - first % 64);
    if (rest != 0) words_[first / 64 + 1] |= rest;
  }

  bool operator[](std::size_t i) const { return (words_[i / 64] >> (i % 64) & 1U) != 0; }

  /// Calls visit(i) for each bit that is set, in order.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t word = words_[w]; word != 0; word &= word - 1) {
        visit(64 * w + static_cast<std::size_t>(std::countr_zero(word)));
      }
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace tallystick
