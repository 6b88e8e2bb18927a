/// Lets whoever called a kernel stop it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <thread>
#include <utility>

namespace tallystick {

/// Thrown by a kernel that was told to stop.
struct Interrupted {};

/// Tells all threads of a kernel to stop, once the thread that called it wants them to.
class Interrupt {
 public:
  using Clock = std::chrono::steady_clock;

  /// How long the caller is not asked again.
  static constexpr Clock::duration pause = std::chrono::milliseconds(100);

  /// `wants_to_stop` is called in the thread that makes the interrupt, and in no other.
  explicit Interrupt(std::function<bool()> wants_to_stop)
      : wants_to_stop_(std::move(wants_to_stop)) {}

  /// Asks the caller, if this is its thread and the pause is over; whether to stop.
  bool poll() {
    if (is_stopped()) return true;
    if (std::this_thread::get_id() != caller_) return false;
    const Clock::time_point now = Clock::now();
    if (now < next_) return false;
    next_ = now + pause;
    if (wants_to_stop_()) stopped_.store(true, std::memory_order_relaxed);
    return is_stopped();
  }

  /// Throws Interrupted if the kernel is to stop.
  void check() {
    if (poll()) throw Interrupted();
  }

  bool is_stopped() const { return stopped_.load(std::memory_order_relaxed); }

 private:
  std::function<bool()> wants_to_stop_;
  std::thread::id caller_ = std::this_thread::get_id();
  Clock::time_point next_ = Clock::now() + pause;
  std::atomic<bool> stopped_{false};
};

/// Looks every so often whether a long loop is to stop; each thread has its own.
class Watch {
 public:
  /// Without an interrupt nothing stops the loop.
  explicit Watch(Interrupt* interrupt = nullptr) : interrupt_(interrupt) {}

  /// Called before so many steps of a few nanoseconds; throws Interrupted if they are not to be
  /// taken.
  void spend(std::size_t steps) {
    if (steps < left_) {
      left_ -= steps;
    } else {
      left_ = most_steps;
      if (interrupt_ != nullptr) interrupt_->check();
    }
  }

 private:
  /// Some 20 milliseconds.
  static constexpr std::size_t most_steps = std::size_t{1} << 24U;

  Interrupt* interrupt_;
  std::size_t left_ = most_steps;
};

}  // namespace tallystick
