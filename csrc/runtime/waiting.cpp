#include "runtime/waiting.hpp"

#include <stdexcept>
#include <thread>
#include <utility>

namespace warpgraph::runtime {
namespace {

constexpr std::chrono::milliseconds slice{10};

thread_local const ThreadOfRun* current_thread = nullptr;

}  // namespace

void WaitRecord::begin(std::string waits_for) {
  const std::lock_guard lock(mutex_);
  reading_.wait = ++waits_;
  reading_.notes = 0;
  reading_.waits_for = std::move(waits_for);
}

void WaitRecord::note() {
  const std::lock_guard lock(mutex_);
  ++reading_.notes;
}

void WaitRecord::leave() noexcept {
  const std::lock_guard lock(mutex_);
  reading_.wait = 0;
}

void WaitRecord::end() noexcept {
  const std::lock_guard lock(mutex_);
  reading_.ended = true;
}

WaitRecord::Reading WaitRecord::read() const {
  const std::lock_guard lock(mutex_);
  return reading_;
}

void RunControl::find_stall() {
  constexpr std::uint64_t notes_that_prove = 2;
  std::string all;
  bool proved = true;
  bool same_waits = true;
  std::vector<WaitRecord::Reading> now;
  for (const WaitRecord& record : records_) now.push_back(record.read());
  for (std::size_t i = 0; i < now.size(); ++i) {
    // An endpoint that has ended since has left its wait.
    same_waits = same_waits && now[i].ended == previous_[i].ended;
    if (now[i].ended) continue;
    same_waits = same_waits && now[i].wait != 0 && now[i].wait == previous_[i].wait;
    proved = proved && now[i].notes >= previous_[i].notes + notes_that_prove;
    all += (all.empty() ? "" : "; ") + now[i].waits_for;
  }
  if (!same_waits) {
    previous_ = std::move(now);
  } else if (proved && !all.empty()) {
    throw std::runtime_error("no endpoint can continue: " + all);
  }
}

ThreadOfRun::ThreadOfRun(RunControl& run, std::size_t thread, bool finds_stalls) noexcept
    : run_(run),
      record_(run.record(thread)),
      finds_stalls_(finds_stalls),
      previous_(std::exchange(current_thread, this)) {}

ThreadOfRun::~ThreadOfRun() { current_thread = previous_; }

OutsideOfRuns::OutsideOfRuns() noexcept : thread_(std::exchange(current_thread, nullptr)) {}

OutsideOfRuns::~OutsideOfRuns() { current_thread = thread_; }

void ThreadOfRun::leave_if_stopped() const {
  if (run_.errors().stopped()) throw Stopped{};
}

bool ThreadOfRun::may_spin() const noexcept { return run_.has_a_core_for_each(); }

void ThreadOfRun::look_for_stall() const {
  if (finds_stalls_) run_.find_stall();
}

void check_thread() {
  poll();
  if (current_thread != nullptr) current_thread->leave_if_stopped();
}

void pause_between_polls(std::uint64_t polls) {
  // Asking a device takes half a microsecond: at first this thread does nothing else, since short
  // copies take a few; after about 100 us others may run; after some ms it sleeps.
  constexpr std::uint64_t max_without_pause = 200;
  constexpr std::uint64_t max_yields = 10'000;
  constexpr std::uint64_t polls_per_check = 64;
  if (polls % polls_per_check == 0) check_thread();
  if (polls < max_without_pause) return;
  if (polls < max_yields) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void Doorbell::ring() noexcept {
  // Both sides first write, then read the other one's word, sequentially consistent: either the
  // sleeper sees this ring, or this thread sees the sleeper.
  rings_.fetch_add(1);
  if (sleepers_.load() == 0) return;
  { const std::lock_guard lock(mutex_); }  // the sleeper is now asleep, or has not tested yet
  rung_.notify_all();
}

bool Doorbell::spin(std::uint32_t seen) const noexcept {
  // They take 30 microseconds, about as long as it takes to fall asleep and wake.
  constexpr int spins = 100;
  if (current_thread == nullptr || !current_thread->may_spin()) return false;
  for (int i = 0; i < spins; ++i) {
    if (rings_.load() != seen) return true;
    std::this_thread::yield();
  }
  return false;
}

bool Doorbell::sleep(std::uint32_t seen) {
  if (spin(seen)) return true;
  std::unique_lock lock(mutex_);
  sleepers_.fetch_add(1);
  const bool rung = rung_.wait_for(lock, slice, [&] { return rings_.load() != seen; });
  sleepers_.fetch_sub(1);
  return rung;
}

RecordedWait::~RecordedWait() {
  if (begun_) current_thread->record().leave();
}

void RecordedWait::begin(std::string waits_for) {
  check_thread();
  if (current_thread == nullptr || source_ == Source::anyone) return;
  current_thread->record().begin(std::move(waits_for));
  begun_ = true;
}

void RecordedWait::note() const {
  current_thread->record().note();
  check_thread();
  current_thread->look_for_stall();
}

}  // namespace warpgraph::runtime
