#include "keys.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"
#include "slow.hpp"

namespace tallystick {
namespace {

void keys_are_found_as_by_the_slow_ones() {
  std::mt19937 random(6);
  for (const std::size_t n : {0U, 1U, 40U, 1500U}) {
    for (const std::uint32_t n_values : {1U, 2U, 256U}) {
      for (const std::uint32_t longest : {1U, 3U, 20U}) {
        const auto keys = draw_keys(random, n, n_values, longest);
        check_keys(keys, draw_keys(random, n / 2 + 3, n_values, longest), random());
        check_keys(keys, keys, random());
      }
    }
  }
}

void keys_are_found_in_several_parts() {
  std::vector<std::uint8_t> bytes;
  std::vector<std::int64_t> offsets{0};
  for (std::uint32_t i = 0; i < 100000; ++i) {
    for (const int shift : {0, 8, 16}) bytes.push_back(static_cast<std::uint8_t>(i >> shift));
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  const Texts keys{bytes, offsets};
  const auto places = find_texts(keys, keys, 5);
  for (std::size_t i = 0; i < places.size(); ++i) check(places[i] == static_cast<std::int64_t>(i));
}

}  // namespace

void test_keys() {
  keys_are_found_as_by_the_slow_ones();
  keys_are_found_in_several_parts();
}

}  // namespace tallystick
