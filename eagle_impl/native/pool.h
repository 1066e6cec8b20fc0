// A pool of threads in which nobody is waited for in vain.
//
// Generating is hundreds of short tasks one after the other. OpenMP ends each with a barrier that
// every thread must reach, also one that has nothing to do and that the system does not let run
// just then: on a busy machine that makes it twenty times slower. Here the caller works too and
// takes whatever is left, so that a thread which does not come costs only its help.

#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

class Pool {
 public:
  // The pool of the process. It is never destroyed: its threads end with the process.
  static Pool& shared() {
    static Pool* pool = new Pool;
    return *pool;
  }

  // To be called once: `threads` compute, the caller among them.
  void start(int threads) {
    for (int i = 1; i < threads; ++i) std::thread([this] { work(); }).detach();
    helpers_ = threads - 1;
  }

  // Calls task(i) for every i below count, in any order, and returns when all have returned.
  template <typename Task>
  void run(int64_t count, const Task& task) {
    std::unique_lock<std::mutex> alone(caller_, std::try_to_lock);
    if (helpers_ == 0 || count < 2 || !alone) {  // another caller has the helpers
      for (int64_t i = 0; i < count; ++i) task(i);
      return;
    }
    call_ = [](const void* of, int64_t i) { (*static_cast<const Task*>(of))(i); };
    task_ = &task;
    done_ = 0;
    const uint64_t job = (open_ >> 32) + 1;
    open_ = job << 32 | static_cast<uint64_t>(count);
    if (asleep_ > 0) {
      std::lock_guard<std::mutex> lock(sleep_);
      wake_.notify_all();
    }
    while (help()) {
    }
    while (done_ < count) std::this_thread::yield();  // to a helper that has not finished
  }

 private:
  // Runs one task of the present job. False if all are taken.
  bool help() {
    uint64_t open = open_;
    while (static_cast<uint32_t>(open) != 0) {
      if (!open_.compare_exchange_weak(open, open - 1)) continue;
      // Having taken a task, the job stays as it is until the task is done.
      call_(task_, static_cast<uint32_t>(open) - 1);
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

  std::atomic<uint64_t> open_{0};  // number of the job << 32 | tasks that nobody has taken
  std::atomic<int64_t> done_{0};
  void (*call_)(const void*, int64_t) = nullptr;
  const void* task_ = nullptr;
  int helpers_ = 0;
  std::mutex caller_, sleep_;
  std::condition_variable wake_;
  std::atomic<int> asleep_{0};
};
