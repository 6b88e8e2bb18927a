#include "interrupt.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include "check.hpp"
#include "levenshtein.hpp"
#include "parallel.hpp"

namespace tallystick {
namespace {

template <typename Call>
bool is_interrupted(Call call) {
  try {
    call();
  } catch (const Interrupted&) {
    return true;
  }
  return false;
}

void a_long_pair_is_stopped() {
  std::vector<Number> from(1'000'000);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<Number>(i);
  const std::vector<Number> to(from.rbegin(), from.rend());
  Interrupt interrupt([] { return true; });
  Levenshtein levenshtein{Watch(&interrupt)};
  check(is_interrupted([&] { levenshtein.align({from, to, static_cast<Number>(from.size())}); }));
  check(interrupt.is_stopped());
}

void a_caller_is_not_asked_at_once() {
  int n_asked = 0;
  Interrupt interrupt([&] {
    ++n_asked;
    return false;
  });
  check(!interrupt.poll());
  check(n_asked == 0);
}

/// The caller's own examples are done at once, and the other thread goes on until it is stopped.
void a_caller_is_asked_while_others_work() {
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> has_started{false};
  Interrupt interrupt([&] { return std::this_thread::get_id() == caller; });
  check(is_interrupted([&] {
    for_each_example(2 * ExampleQueue::chunk_size, 2, &interrupt, [&] {
      return [&](std::size_t) {
        if (std::this_thread::get_id() == caller) {
          while (!has_started) std::this_thread::yield();
        } else {
          has_started = true;
          while (true) interrupt.check();
        }
      };
    });
  }));
}

void examples_are_stopped_between_chunks() {
  Interrupt interrupt([] { return true; });
  std::atomic<std::size_t> n_done{0};
  constexpr std::size_t n = 1'000'000;
  check(is_interrupted([&] {
    for_each_example(n, 1, &interrupt, [&] {
      return [&](std::size_t) {
        ++n_done;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      };
    });
  }));
  check(n_done % ExampleQueue::chunk_size == 0);
  check(n_done < n);
}

}  // namespace

void test_interrupt() {
  a_long_pair_is_stopped();
  a_caller_is_not_asked_at_once();
  a_caller_is_asked_while_others_work();
  examples_are_stopped_between_chunks();
}

}  // namespace tallystick
