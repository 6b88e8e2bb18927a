/// Slow and obvious versions of the kernels for labels, with which the fast ones must agree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "check.hpp"
#include "concordance.hpp"
#include "keys.hpp"
#include "rows.hpp"

namespace tallystick {

inline void check_groups(const std::vector<std::uint8_t>& bytes, std::size_t n_rows,
                         std::size_t width) {
  std::map<std::vector<std::uint8_t>, std::int64_t> numbers;
  GroupedRows expected;
  for (std::size_t i = 0; i < n_rows; ++i) {
    std::vector<std::uint8_t> row;
    for (std::size_t j = 0; j < width; ++j) row.push_back(bytes[i * width + j]);
    const auto next = static_cast<std::int64_t>(numbers.size());
    const auto [place, is_new] = numbers.try_emplace(row, next);
    if (is_new) expected.first.push_back(static_cast<std::int64_t>(i));
    expected.inverse.push_back(place->second);
  }
  const GroupedRows actual = group_rows({bytes, n_rows, width});
  check(expected.first == actual.first);
  check(expected.inverse == actual.inverse);
}

inline void check_concordance(const RankedCells& cells) {
  const std::size_t wide = cells.n_resamples;
  std::vector<double> expected(cells.weights.size());
  for (std::size_t i = 0; i < cells.left.size(); ++i) {
    for (std::size_t j = 0; j < cells.left.size(); ++j) {
      if (cells.left[j] >= cells.left[i] || cells.right[j] == cells.right[i]) continue;
      const double sign = cells.right[j] < cells.right[i] ? 1 : -1;
      for (std::size_t own = 0; own < wide; ++own) {
        expected[i * wide + own] += sign * cells.weights[j * wide + own];
      }
    }
  }
  check(expected == count_concordance(cells));
}

/// Texts one after the other, which own their bytes.
struct Keys {
  std::vector<std::uint8_t> bytes;
  std::vector<std::int64_t> offsets;

  Texts view() const { return {bytes, offsets}; }
};

/// n keys of at most `longest` bytes, each one of n_values.
inline Keys draw_keys(std::mt19937& random, std::size_t n, std::uint32_t n_values,
                      std::uint32_t longest) {
  Keys keys{{}, {0}};
  for (std::size_t i = 0; i < n; ++i) {
    const auto key = draw_numbers<std::uint8_t>(random, random() % (longest + 1), n_values);
    keys.bytes.insert(keys.bytes.end(), key.begin(), key.end());
    keys.offsets.push_back(static_cast<std::int64_t>(keys.bytes.size()));
  }
  return keys;
}

/// Looks for every sought key from the first one on, and for equal hashes of equal keys.
inline void check_keys(const Keys& keys, const Keys& sought, std::uint64_t seed) {
  const Texts texts = keys.view();
  const Texts asked = sought.view();
  const auto places = find_texts(texts, asked, seed);
  const auto hashes = hash_texts(texts);
  const auto asked_hashes = hash_texts(asked);
  check(places.size() == asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    std::size_t place = 0;
    while (place < texts.size() && texts[place] != asked[i]) ++place;
    const bool known = place < texts.size();
    check(places[i] == (known ? static_cast<std::int64_t>(place) : -1));
    check(!known || hashes[place] == asked_hashes[i]);
  }
}

}  // namespace tallystick
