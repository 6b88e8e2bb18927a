/// Shares the examples out among threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tallystick {

/// Takes chunks of examples one after the other, until none is left or one has thrown.
///
/// Chunks are taken in order and finished once taken, so that of all examples that would throw the
/// first one always does: what is rethrown is the same for any number of threads.
class ExampleQueue {
 public:
  /// Few enough to share short lists out evenly, enough to make taking them cost nothing.
  static constexpr std::size_t chunk_size = 16;

  explicit ExampleQueue(std::size_t n) : n_(n) {}

  template <typename MakeWorker>
  void work(MakeWorker& make_worker) noexcept {
    std::size_t first = 0;
    try {
      auto work_on = make_worker();
      while (!failed_ && (first = next_.fetch_add(chunk_size)) < n_) {
        const std::size_t last = std::min(first + chunk_size, n_);
        for (std::size_t i = first; i < last; ++i) work_on(i);
      }
    } catch (...) {
      keep(first, std::current_exception());
    }
  }

  void rethrow() const {
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
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr error_;
  std::size_t first_failed_ = 0;
};

/// Calls make_worker() once in each thread, and each worker with the examples that fall to it.
///
/// A worker is called with the number of an example and owns the scratch memory of its thread;
/// make_worker is called by several threads at once. 0 threads: as many as the machine runs at
/// once. What a worker throws is rethrown here.
template <typename MakeWorker>
void for_each_example(std::size_t n, unsigned threads, MakeWorker make_worker) {
  const std::size_t wanted =
      threads == 0 ? std::max(std::thread::hardware_concurrency(), 1U) : threads;
  const std::size_t n_chunks = (n + ExampleQueue::chunk_size - 1) / ExampleQueue::chunk_size;
  ExampleQueue queue(n);
  std::vector<std::thread> others;
  if (n_chunks > 1) others.reserve(std::min(wanted, n_chunks));
  try {
    while (others.size() + 1 < std::min(wanted, n_chunks)) {
      others.emplace_back([&] { queue.work(make_worker); });
    }
  } catch (...) {
    // The machine has no more threads to give: those that run do all the work.
  }
  queue.work(make_worker);
  for (std::thread& other : others) other.join();
  queue.rethrow();
}

}  // namespace tallystick
