#include "kernels/workers.hpp"

#include <latch>
#include <mutex>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

namespace emulator {
namespace {

/// Never destroyed: its threads may still be waiting when static objects are destroyed.
struct Worker {
  std::function<void()> task;
  std::latch* done = nullptr;
  std::binary_semaphore wake{0};

  Worker() {
    std::thread([this] {
      for (;;) {
        wake.acquire();
        std::exchange(task, nullptr)();
        std::latch* const latch = done;
        give_back();
        if (latch != nullptr) latch->count_down();
      }
    }).detach();
  }
  void begin(std::function<void()> next, std::latch* counted_down) {
    task = std::move(next);
    done = counted_down;
    wake.release();
  }
  void give_back();
};

struct Idle {
  std::mutex mutex;
  std::vector<Worker*> workers;
};

Idle& idle() {
  static Idle& instance = *new Idle;
  return instance;
}

void Worker::give_back() {
  const std::lock_guard lock(idle().mutex);
  idle().workers.push_back(this);
}

Worker& take_worker() {
  const std::lock_guard lock(idle().mutex);
  if (idle().workers.empty()) return *new Worker;
  Worker* worker = idle().workers.back();
  idle().workers.pop_back();
  return *worker;
}

}  // namespace

void run_on_workers(unsigned n, const std::function<void()>& task) {
  std::latch done(static_cast<std::ptrdiff_t>(n) - 1);
  for (unsigned i = 1; i < n; ++i) {
    take_worker().begin(task, &done);
  }
  task();
  done.wait();
}

void run_in_background(std::function<void()> task) {
  take_worker().begin(std::move(task), nullptr);
}

}  // namespace emulator
