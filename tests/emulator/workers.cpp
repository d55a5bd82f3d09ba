#include "workers.hpp"

#include <latch>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>

namespace emulator {
namespace {

/// Never destroyed: its threads may still be waiting when static objects are destroyed.
struct Worker {
  const std::function<void()>* task = nullptr;
  std::latch* done = nullptr;
  std::binary_semaphore wake{0};

  Worker() {
    std::thread([this] {
      for (;;) {
        wake.acquire();
        (*task)();
        std::latch& latch = *done;
        give_back();
        latch.count_down();
      }
    }).detach();
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
    Worker& worker = take_worker();
    worker.task = &task;
    worker.done = &done;
    worker.wake.release();
  }
  task();
  done.wait();
}

}  // namespace emulator
