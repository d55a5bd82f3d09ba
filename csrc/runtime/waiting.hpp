// Waits of the threads of the runtime, and detection of a stall.
//
// A thread waits at a Doorbell until a condition holds; a thread that may have made it true rings.
// If the machine has a core for each thread, they spin before they sleep. Waits are divided into
// slices of 10 ms. After each slice the thread polls (for Ctrl-C on the thread that called
// Context::run), leaves if another endpoint has failed, and notes in its WaitRecord that it has
// found its condition false. The thread that called Context::run also looks for a stall.
//
// A stall is proved, not guessed from elapsed time. All conditions of such waits are changed by
// endpoints of the same run only, outside of their waits. find_stall() reads all records twice. If
// at the first reading every endpoint that has not ended is in some wait, and at the second reading
// in the same wait, then no endpoint has left its wait in between, so no condition has changed in
// between. If each has also evaluated its condition in between (two more notes: the first one may
// belong to an evaluation that began before the first reading), all conditions are false and will
// stay so. A wait for an event that comes from outside has no record, so its endpoint counts as
// running.
//
// A thread that waits for work of a device counts as running: that work was put on a stream before.
#pragma once

#include "core/interrupt.hpp"
#include "core/threads/parallel.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace warpgraph::runtime {

/// Record of what one endpoint's thread waits for.
class WaitRecord {
 public:
  struct Reading {
    bool ended = false;
    std::uint64_t wait = 0;   // number of the wait; 0 outside of waits
    std::uint64_t notes = 0;  // number of evaluations of its condition that were false
    std::string waits_for;
  };

  void begin(std::string waits_for);
  void note();
  void leave() noexcept;
  /// Notes that the endpoint's body has returned.
  void end() noexcept;
  [[nodiscard]] Reading read() const;

 private:
  mutable std::mutex mutex_;
  std::uint64_t waits_ = 0;
  Reading reading_;
};

/// State that the threads of one run share.
class RunControl {
 public:
  explicit RunControl(std::size_t n_threads)
      : has_a_core_for_each_(n_threads <= static_cast<std::size_t>(configured_threads())),
        records_(n_threads),
        previous_(n_threads) {}

  [[nodiscard]] LoopControl& errors() noexcept { return errors_; }
  [[nodiscard]] WaitRecord& record(std::size_t thread) { return records_[thread]; }
  [[nodiscard]] bool has_a_core_for_each() const noexcept { return has_a_core_for_each_; }
  /// Throws std::runtime_error, which says which endpoints wait for what, if no endpoint can ever
  /// continue. One thread calls it again and again; it compares with the readings of the call
  /// before.
  void find_stall();

 private:
  const bool has_a_core_for_each_;
  LoopControl errors_;
  std::deque<WaitRecord> records_;
  std::vector<WaitRecord::Reading> previous_;
};

/// Exception on an endpoint's thread that ends its body after another endpoint has failed. It is
/// not an error itself: Context::run throws that of the other endpoint.
struct Stopped {};

/// The hooks of endpoints' threads; the thread that called Context::run has its own.
class StoppedHooks final : public CallHooks {
 public:
  explicit StoppedHooks(const LoopControl& errors) : errors_(errors) {}
  [[gnu::noinline]] void poll() override {
    if (errors_.stopped()) throw Stopped{};
  }
  void progress(std::int64_t, std::int64_t) override {}

 private:
  const LoopControl& errors_;
};

/// Makes the calling thread one of a run, until the destructor.
class ThreadOfRun {
 public:
  ThreadOfRun(RunControl& run, std::size_t thread, bool finds_stalls) noexcept;
  ~ThreadOfRun();
  ThreadOfRun(const ThreadOfRun&) = delete;
  ThreadOfRun& operator=(const ThreadOfRun&) = delete;

  [[nodiscard]] WaitRecord& record() const noexcept { return record_; }
  /// Throws Stopped if another endpoint has failed.
  void leave_if_stopped() const;
  [[nodiscard]] bool may_spin() const noexcept;
  /// Looks for a stall, after each slice of a wait.
  void look_for_stall() const;

 private:
  RunControl& run_;
  WaitRecord& record_;
  const bool finds_stalls_;
  const ThreadOfRun* const previous_;
};

/// Scope in which the calling thread is part of no run.
class OutsideOfRuns {
 public:
  OutsideOfRuns() noexcept;
  ~OutsideOfRuns();
  OutsideOfRuns(const OutsideOfRuns&) = delete;
  OutsideOfRuns& operator=(const OutsideOfRuns&) = delete;

 private:
  const ThreadOfRun* const thread_;
};

/// Polls, and throws Stopped if another endpoint of the thread's run has failed.
void check_thread();

/// Sleeps a little between two polls of a condition whose change rings no bell, longer after many
/// polls. Throws as check_thread() does.
void pause_between_polls(std::uint64_t polls);

/// Threads that make the condition of a wait true: endpoints of the same run, or any.
enum class Source { run, anyone };

/// A wait of this thread in its record, for find_stall(), from begin() on.
class RecordedWait {
 public:
  explicit RecordedWait(Source source) noexcept : source_(source) {}
  ~RecordedWait();
  RecordedWait(const RecordedWait&) = delete;
  RecordedWait& operator=(const RecordedWait&) = delete;
  [[nodiscard]] bool has_begun() const noexcept { return begun_; }
  void begin(std::string waits_for);
  /// Notes that the condition was false.
  void note() const;

 private:
  const Source source_;
  bool begun_ = false;
};

/// Waits for work of a device. is_reached() asks the device whether it is done.
template <class IsReached>
void wait_for_device(IsReached&& is_reached) {
  for (std::uint64_t polls = 1; !is_reached(); ++polls) pause_between_polls(polls);
}

class Doorbell {
 public:
  /// Wakes the threads that wait, after a change that may make a condition true, which must be
  /// visible.
  void ring() noexcept;

  /// Waits until ready() is true; it is evaluated on this thread, and may have effects when it
  /// returns true. waits_for() describes the wait, and is only called if it takes long. Throws what
  /// poll() throws, and Stopped.
  template <class Ready, class WaitsFor>
  void wait(Ready&& ready, WaitsFor&& waits_for, Source source = Source::run) {
    if (ready()) return;
    RecordedWait long_wait(source);  // begins after its first slice
    for (;;) {
      const std::uint32_t seen = rings_.load();
      if (ready()) return;
      if (sleep(seen)) {
        check_thread();
      } else if (long_wait.has_begun()) {
        long_wait.note();
      } else {
        long_wait.begin(waits_for());
      }
    }
  }

  /// Waits until ready(), without polls and without a search for stalls; calls remind() at first
  /// and every few milliseconds.
  template <class Ready, class Remind>
  void wait_and_remind(Ready&& ready, Remind&& remind) {
    for (std::uint32_t seen = rings_.load(); !ready(); seen = rings_.load()) {
      remind();
      while (!ready() && sleep(seen)) seen = rings_.load();
    }
  }

 private:
  /// Spins for a while. Returns true if there was a ring after `seen`.
  [[nodiscard]] bool spin(std::uint32_t seen) const noexcept;
  /// Spins, then sleeps until the next ring after `seen`. Returns false if a slice has passed
  /// without one.
  bool sleep(std::uint32_t seen);

  std::atomic<std::uint32_t> rings_{0};
  std::atomic<std::uint32_t> sleepers_{0};
  std::mutex mutex_;
  std::condition_variable rung_;
};

}  // namespace warpgraph::runtime
