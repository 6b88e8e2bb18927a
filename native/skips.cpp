#include "skips.hpp"

#include <algorithm>

namespace tallystick {
namespace {

/// The tokens that make a pair with the one at a position.
std::span<const Number> follow(std::span<const Number> tokens, std::size_t position,
                               std::size_t gap) {
  const auto rest = tokens.subspan(position + 1);
  return gap < rest.size() ? rest.first(gap + 1) : rest;
}

}  // namespace

std::int64_t count_skips(std::size_t n, std::size_t gap) {
  if (n == 0) return 0;
  const std::size_t farthest = gap < n - 1 ? gap + 1 : n - 1;
  return static_cast<std::int64_t>(farthest * n - farthest * (farthest + 1) / 2);
}

std::int64_t SkipMatcher::count_matches(std::span<const Number> hypothesis,
                                        std::span<const Number> reference, std::size_t n_numbers,
                                        std::size_t gap) {
  hypothesis_.build(hypothesis, n_numbers);
  reference_.build(reference, n_numbers);
  counts_.assign(n_numbers, 0);
  std::int64_t matches = 0;
  for (std::size_t number = 0; number < n_numbers; ++number) {
    const auto ours = hypothesis_.find(number);
    const auto theirs = reference_.find(number);
    if (theirs.empty()) continue;
    for (const Number position : ours) {
      const auto near = follow(hypothesis, position, gap);
      watch_.spend(2 * near.size());  // They are gone through again below.
      for (const Number next : near) ++counts_[next];
    }
    for (const Number position : theirs) {
      const auto near = follow(reference, position, gap);
      watch_.spend(near.size());
      for (const Number next : near) {
        if (next == absent || counts_[next] == 0) continue;
        --counts_[next];
        ++matches;
      }
    }
    for (const Number position : ours) {
      for (const Number next : follow(hypothesis, position, gap)) counts_[next] = 0;
    }
  }
  return matches;
}

void SkipMatcher::Index::build(std::span<const Number> tokens, std::size_t n_numbers) {
  starts.assign(n_numbers + 1, 0);
  for (const Number token : tokens) {
    if (token != absent) ++starts[token];
  }
  Number end = 0;
  for (Number& start : starts) start = end += start;
  positions.resize(end);
  for (std::size_t i = tokens.size(); i-- > 0;) {
    if (tokens[i] != absent) positions[--starts[tokens[i]]] = static_cast<Number>(i);
  }
}

std::span<const Number> SkipMatcher::Index::find(std::size_t number) const {
  return std::span(positions).subspan(starts[number], starts[number + 1] - starts[number]);
}

}  // namespace tallystick
