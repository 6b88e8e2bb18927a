#include "edits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "check.hpp"
#include "levenshtein.hpp"

namespace tallystick {
namespace {

using Row = std::vector<std::size_t>;

/// The whole matrix of distances: row r for the first r numbers of `to`.
std::vector<Row> fill_slowly(const NumberPair& pair) {
  std::vector<Row> matrix(pair.to.size() + 1, Row(pair.from.size() + 1));
  for (std::size_t r = 0; r <= pair.to.size(); ++r) {
    for (std::size_t c = 0; c <= pair.from.size(); ++c) {
      if (r == 0 || c == 0) {
        matrix[r][c] = r + c;
      } else {
        const std::size_t cost = pair.from[c - 1] == pair.to[r - 1] ? 0 : 1;
        matrix[r][c] =
            std::min({matrix[r - 1][c - 1] + cost, matrix[r - 1][c] + 1, matrix[r][c - 1] + 1});
      }
    }
  }
  return matrix;
}

std::size_t count_edits_of(const NumberPair& pair, std::span<const Operation> path) {
  std::size_t i = 0;
  std::size_t j = 0;
  std::size_t n_edits = 0;
  for (const Operation operation : path) {
    if (operation == Operation::equal) check(pair.from[i] == pair.to[j]);
    if (operation == Operation::replace) check(pair.from[i] != pair.to[j]);
    if (operation != Operation::equal) ++n_edits;
    if (operation != Operation::insert) ++i;
    if (operation != Operation::remove) ++j;
  }
  check(i == pair.from.size() && j == pair.to.size());
  return n_edits;
}

/// A copy with some numbers changed or dropped, and one drawn anew at either end.
std::vector<Number> change_numbers(std::mt19937& random, const std::vector<Number>& numbers,
                                   std::uint32_t n_distinct) {
  std::vector<Number> changed = draw_numbers<Number>(random, 1, n_distinct);
  for (const Number number : numbers) {
    const auto chance = random() % 8;
    if (chance == 0) changed.push_back(absent);
    if (chance != 1) changed.push_back(number);
  }
  const auto last = draw_numbers<Number>(random, 1, n_distinct);
  changed.push_back(last.front());
  return changed;
}

void check_pair(Levenshtein& levenshtein, const NumberPair& pair) {
  const std::size_t distance = fill_slowly(pair).back().back();
  check(static_cast<std::size_t>(levenshtein.measure(pair)) == distance);
  check(count_edits_of(pair, levenshtein.align(pair)) == distance);
}

void distances_and_paths_equal_the_slow_ones() {
  std::mt19937 random(6);
  Levenshtein levenshtein;
  for (const std::size_t n : {0U, 1U, 3U, 63U, 64U, 65U, 128U, 200U, 256U, 257U, 600U}) {
    for (const std::uint32_t n_distinct : {1U, 2U, 5U, 300U}) {
      const auto from = draw_numbers<Number>(random, n, n_distinct);
      const auto near = change_numbers(random, from, n_distinct);
      const auto far = draw_numbers<Number>(random, random() % 300, n_distinct + 3);
      check_pair(levenshtein, {from, near, n_distinct});
      check_pair(levenshtein, {from, far, n_distinct});
    }
  }
}

/// Long enough for the path to be divided, and where it is not for a narrow band.
void long_paths_are_shortest() {
  std::mt19937 random(7);
  Levenshtein levenshtein;
  for (const std::uint32_t n_distinct : {2U, 50U}) {
    const auto from = draw_numbers<Number>(random, 2500, n_distinct);
    check_pair(levenshtein, {from, change_numbers(random, from, n_distinct), n_distinct});
    check_pair(levenshtein, {from, draw_numbers<Number>(random, 1900, n_distinct), n_distinct});
    auto near = from;
    near.front() = absent;
    near.back() = absent;
    near.erase(near.begin() + 1200);
    check_pair(levenshtein, {from, near, n_distinct});
  }
}

/// Strings in one buffer.
struct OwnedTexts {
  std::string bytes;
  std::vector<std::int64_t> offsets{0};

  explicit OwnedTexts(const std::vector<std::string>& strings) {
    for (const std::string& string : strings) {
      bytes += string;
      offsets.push_back(static_cast<std::int64_t>(bytes.size()));
    }
  }

  Texts view() const {
    return {{reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, offsets};
  }
};

void check_counts(const std::string& reference, const std::string& hypothesis, Unit unit,
                  const std::vector<std::int64_t>& expected) {
  const OwnedTexts references({reference});
  const OwnedTexts hypotheses({hypothesis});
  check(count_edits(hypotheses.view(), references.view(), unit, 1) == expected);
}

void units_are_told_apart() {
  check_counts("ab", " ab", Unit::characters, {2, 0, 0, 1});
  check_counts("ab", " ab\u3000", Unit::stripped, {2, 0, 0, 0});
  check_counts("größe", "grosse", Unit::characters, {3, 2, 0, 1});
  check_counts("中文😀", "中国😀", Unit::characters, {2, 1, 0, 0});
  check_counts("a  b c", "\ta b\n\nc ", Unit::words, {3, 0, 0, 0});
  // A lone tab or no-break space parts no words, and a long text is split in several windows.
  check_counts("a b", "a\tb", Unit::words, {0, 1, 1, 0});
  check_counts("a\u00A0b c", "a\u00A0\u00A0b c", Unit::words, {1, 1, 0, 1});
  check_counts(std::string(63, 'x') + " y", std::string(63, 'x') + "\t\ty", Unit::words,
               {2, 0, 0, 0});
  check_counts(std::string(62, 'x') + "\u3000 y", std::string(62, 'x') + " y", Unit::words,
               {2, 0, 0, 0});
}

void counts_do_not_depend_on_threads() {
  std::mt19937 random(8);
  std::vector<std::string> strings;
  for (std::size_t i = 0; i < 300; ++i) {
    std::string& string = strings.emplace_back();
    for (const auto k : draw_numbers<std::size_t>(random, random() % 90, 5)) {
      string += std::vector<std::string>{"a", " ", "é", "\u4e2d", "\U0001F600"}[k];
    }
  }
  const OwnedTexts references(strings);
  std::ranges::shuffle(strings, random);
  const OwnedTexts hypotheses(strings);
  for (const Unit unit : {Unit::characters, Unit::stripped, Unit::words}) {
    check(count_edits(hypotheses.view(), references.view(), unit, 1) ==
          count_edits(hypotheses.view(), references.view(), unit, 4));
    check(measure_distances(hypotheses.view(), references.view(), unit, 1) ==
          measure_distances(hypotheses.view(), references.view(), unit, 4));
  }
}

void steps_tell_where_they_begin() {
  const std::vector<std::int32_t> a{1, -2, 3, 4, 5};
  const std::vector<std::int32_t> b{-2, 3, 9, 5, 6};
  const std::vector<std::int64_t> expected{2, 0, 0, 0, 1, 0, 0, 2, 1, 1, 3, 2, 0, 4, 3, 3, 5, 4};
  check(align_ids(a, b) == expected);
  check(align_ids({}, {}).empty());
}

}  // namespace

void test_edits() {
  distances_and_paths_equal_the_slow_ones();
  long_paths_are_shortest();
  units_are_told_apart();
  counts_do_not_depend_on_threads();
  steps_tell_where_they_begin();
}

}  // namespace tallystick
