/// What the tests of the kernels share: how a fact is checked, and random numbers to try.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <source_location>
#include <stdexcept>
#include <vector>

namespace tallystick {

/// Ends the program where a fact does not hold, and says where it stands.
inline void check(bool holds, std::source_location where = std::source_location::current()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%u: %s: does not hold\n", where.file_name(),
               static_cast<unsigned>(where.line()), where.function_name());
  std::exit(EXIT_FAILURE);
}

/// Whether a call is refused as the kernels refuse bad input.
template <typename Call>
bool refuses(Call call) {
  try {
    call();
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

/// n whole numbers from 0 up to below `bound`, the same on every machine.
template <typename Number>
std::vector<Number> draw_numbers(std::mt19937& random, std::size_t n, std::uint32_t bound) {
  std::vector<Number> numbers(n);
  for (Number& number : numbers) number = static_cast<Number>(random() % bound);
  return numbers;
}

void test_chrf();
void test_concordance();
void test_edits();
void test_interrupt();
void test_keys();
void test_ngrams();
void test_rouge();
void test_rows();
void test_tags();
void test_ter();
void test_tokenize();

}  // namespace tallystick
