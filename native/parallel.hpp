/// Shares the examples out among threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "interrupt.hpp"

namespace tallystick {

/// Takes chunks of examples one after the other, until none is left or one has thrown.
///
/// Chunks are taken in order and finished once taken, so that of all examples that would throw the
/// first one always does: what is rethrown is the same for any number of threads.
class ExampleQueue {
 public:
  /// Few enough to share short lists out evenly, enough to make taking them cost nothing.
  static constexpr std::size_t chunk_size = 16;

  ExampleQueue(std::size_t n, Interrupt* interrupt) : n_(n), interrupt_(interrupt) {}

  template <typename MakeWorker>
  void work(MakeWorker& make_worker) noexcept {
    std::size_t first = 0;
    try {
      auto work_on = make_worker();
      while (!failed_ && (first = next_.fetch_add(chunk_size)) < n_) {
        if (interrupt_ != nullptr) interrupt_->check();
        const std::size_t last = std::min(first + chunk_size, n_);
        for (std::size_t i = first; i < last; ++i) work_on(i);
      }
    } catch (...) {
      keep(first, std::current_exception());
    }
  }

  /// Works, and then tells whoever waits that one more thread is done.
  template <typename MakeWorker>
  void help(MakeWorker& make_worker) noexcept {
    work(make_worker);
    const std::lock_guard lock(mutex_);
    ++n_done_;
    done_.notify_one();
  }

  /// Waits for as many threads that help, and goes on asking the caller whether to stop.
  void wait(std::size_t n_threads) {
    std::unique_lock lock(mutex_);
    while (!done_.wait_for(lock, Interrupt::pause, [&] { return n_done_ == n_threads; })) {
      lock.unlock();
      if (interrupt_ != nullptr) interrupt_->poll();
      lock.lock();
    }
  }

  void rethrow() const {
    if (interrupt_ != nullptr && interrupt_->is_stopped()) throw Interrupted();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void keep(std::size_t first, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_ || first < first_failed_) {
      error_ = std::move(error);
      first_failed_ = first;
    }
    failed_ = true;
  }

  std::size_t n_;
  Interrupt* interrupt_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::condition_variable done_;
  std::size_t n_done_ = 0;
  std::exception_ptr error_;
  std::size_t first_failed_ = 0;
};

/// Calls make_worker() once in each thread, and each worker with the examples that fall to it.
///
/// A worker is called with the number of an example and owns the scratch memory of its thread;
/// make_worker is called by several threads at once. 0 threads: as many as the machine runs at
/// once. What a worker throws is rethrown here; an interrupt stops all of them between two chunks,
/// and within an example where the worker looks for it.
template <typename MakeWorker>
void for_each_example(std::size_t n, unsigned threads, Interrupt* interrupt,
                      MakeWorker make_worker) {
  const std::size_t wanted =
      threads == 0 ? std::max(std::thread::hardware_concurrency(), 1U) : threads;
  const std::size_t n_chunks = (n + ExampleQueue::chunk_size - 1) / ExampleQueue::chunk_size;
  ExampleQueue queue(n, interrupt);
  std::vector<std::thread> others;
  if (n_chunks > 1) others.reserve(std::min(wanted, n_chunks));
  try {
    while (others.size() + 1 < std::min(wanted, n_chunks)) {
      others.emplace_back([&] { queue.help(make_worker); });
    }
  } catch (...) {
    // The machine has no more threads to give: those that run do all the work.
  }
  queue.work(make_worker);
  queue.wait(others.size());
  for (std::thread& other : others) other.join();
  queue.rethrow();
}

}  // namespace tallystick
