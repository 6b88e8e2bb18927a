/// Counts skip-bigrams: pairs of tokens in the order of a text, with others between them or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "interrupt.hpp"
#include "numbers.hpp"

namespace tallystick {

/// How many pairs n tokens make with at most `gap` tokens between the two.
std::int64_t count_skips(std::size_t n, std::size_t gap);

/// Counts the pairs that two texts share; its scratch memory serves one after the other.
class SkipMatcher {
 public:
  explicit SkipMatcher(Watch watch = Watch()) : watch_(watch) {}

  /// How many pairs match: each distinct one as often as the text has it that has it less often.
  ///
  /// Time grows with the number of pairs; memory is linear in the number of tokens.
  std::int64_t count_matches(std::span<const Number> hypothesis, std::span<const Number> reference,
                             std::size_t n_numbers, std::size_t gap);

 private:
  /// The positions of each number, those of number k being positions[starts[k]] up to
  /// positions[starts[k + 1]].
  struct Index {
    std::vector<Number> starts;
    std::vector<Number> positions;

    void build(std::span<const Number> tokens, std::size_t n_numbers);
    std::span<const Number> find(std::size_t number) const;
  };

  Watch watch_;
  Index hypothesis_;
  Index reference_;
  /// How often each number follows the one under way: 93,000 equal tokens make more than 2^32
  /// pairs.
  std::vector<std::uint64_t> counts_;
};

}  // namespace tallystick
