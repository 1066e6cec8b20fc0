// A pool of threads in which nobody is waited for in vain.
//
// Generating is hundreds of short tasks one after the other. OpenMP ends each with a barrier that
// every thread must reach, also one that has nothing to do and that the system does not let run
// just then: on a busy machine that makes it twenty times slower. Here the caller works too and
// takes whatever is left, so that a thread which does not come costs only its help. One that has
// begun and is stopped must be waited for; when that happens, the caller works alone for a while.

#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

class Pool {
 public:
  // The pool of the process. It is never destroyed: its threads end with the process.
  static Pool& shared() {
    static Pool* pool = new Pool;
    return *pool;
  }

  // From now on `threads` compute, the caller among them; there is no way back to fewer.
  void start(int threads) {
    for (; helpers_ < threads - 1; ++helpers_) std::thread([this] { work(); }).detach();
  }

  int64_t threads() const { return helpers_ + 1; }

  // Calls task(i) for every i below count, in about this order, and returns when all have returned.
  template <typename Task>
  void run(int64_t count, const Task& task) {
    std::unique_lock<std::mutex> alone(caller_, std::try_to_lock);
    if (count < 2 || helpers_ == 0 || !alone || without_help_ > 0) {
      if (alone) without_help_ = std::max(0, without_help_ - 1);  // else another has the helpers
      for (int64_t i = 0; i < count; ++i) task(i);
      return;
    }
    call_ = [](const void* of, int64_t i) { (*static_cast<const Task*>(of))(i); };
    task_ = &task;
    count_ = count;
    done_ = 0;
    const uint64_t job = (open_ >> 32) + 1;
    open_ = job << 32 | static_cast<uint64_t>(count);
    if (asleep_ > 0) {
      std::lock_guard<std::mutex> lock(sleep_);
      wake_.notify_all();
    }
    const auto begun = Clock::now();
    int64_t own = 0;
    while (help()) ++own;
    const auto finished = Clock::now();
    for (int waited = 0; done_ < count; ++waited)  // for helpers that have begun
      waited < kSpins ? pause() : std::this_thread::yield();
    const auto patience = std::chrono::microseconds(200) + 4 * (finished - begun) / (own + 1);
    if (Clock::now() - finished > patience) without_help_ = kAlone;
  }

 private:
  using Clock = std::chrono::steady_clock;

  // Runs one task of the present job. False if all are taken.
  bool help() {
    uint64_t open = open_;
    while (static_cast<uint32_t>(open) != 0) {
      if (!open_.compare_exchange_weak(open, open - 1)) continue;
      // Having taken a task, the job stays as it is until the task is done.
      call_(task_, count_ - static_cast<uint32_t>(open));
      ++done_;
      return true;
    }
    return false;
  }

  void work() {
    for (;;) {
      for (int idle = 0; idle < kSpins; ++idle)
        if (help())
          idle = 0;
        else
          pause();
      std::unique_lock<std::mutex> lock(sleep_);
      ++asleep_;
      wake_.wait(lock, [this] { return static_cast<uint32_t>(open_) != 0; });
      --asleep_;
    }
  }

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  // About a tenth of a millisecond: longer than a decoder lets pass between two tasks.
  static constexpr int kSpins = 4000;

  static constexpr int kAlone = 256;  // jobs: those of one or two tokens

  std::atomic<uint64_t> open_{0};  // number of the job << 32 | tasks that nobody has taken
  std::atomic<int64_t> done_{0};
  void (*call_)(const void*, int64_t) = nullptr;
  const void* task_ = nullptr;
  int64_t count_ = 0;
  int helpers_ = 0, without_help_ = 0;
  std::mutex caller_, sleep_;
  std::condition_variable wake_;
  std::atomic<int> asleep_{0};
};

}  // namespace
