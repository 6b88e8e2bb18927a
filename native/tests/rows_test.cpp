#include "rows.hpp"

#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <span>
#include <vector>

#include "check.hpp"
#include "slow.hpp"

namespace tallystick {
namespace {

void groups_equal_the_slow_ones() {
  std::mt19937 random(4);
  for (const std::size_t n_rows : {0U, 1U, 50U, 2000U}) {
    for (const std::size_t width : {0U, 1U, 3U, 8U, 9U, 17U}) {
      for (const std::uint32_t n_values : {1U, 2U, 256U}) {
        check_groups(draw_numbers<std::uint8_t>(random, n_rows * width, n_values), n_rows, width);
      }
    }
  }
}

void append_word(std::vector<std::uint8_t>& bytes, std::uint64_t word) {
  std::uint8_t parts[sizeof(word)];
  std::memcpy(parts, &word, sizeof(word));
  bytes.insert(bytes.end(), std::begin(parts), std::end(parts));
}

std::uint64_t hash_word(std::uint64_t word) {
  std::vector<std::uint8_t> bytes;
  append_word(bytes, word);
  return hash_row(bytes);
}

void rows_that_only_hash_alike_stay_two() {
  std::vector<std::uint8_t> bytes;
  append_word(bytes, 1);
  append_word(bytes, hash_word(1));
  append_word(bytes, 2);
  append_word(bytes, hash_word(2));
  const std::span<const std::uint8_t> rows(bytes);
  check(hash_row(rows.first(16)) == hash_row(rows.last(16)));
  check_groups(bytes, 2, 16);
}

}  // namespace

void test_rows() {
  groups_equal_the_slow_ones();
  rows_that_only_hash_alike_stay_two();
}

}  // namespace tallystick
