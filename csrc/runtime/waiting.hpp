// How threads of the runtime wait, and how a stall is found.
//
// A thread waits at a Doorbell until a condition holds; whoever may have made it true rings. If the
// machine has a core for each thread, they spin before they sleep. Waits are divided into slices of
// 10 ms. After each slice the thread polls (for Ctrl-C on the thread that called Context::run),
// leaves if another endpoint has failed, and notes in its WaitRecord that it has found its
// condition false. The thread that called Context::run also looks for a stall.
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
// A thread that waits for work of a device counts as running, unless the work is known to be behind
// an event which endpoints of the run have to record (devices/held_streams.hpp). Then it waits for
// that event: each note says that it was not recorded yet, so that the work could not be done.
#pragma once

#include "core/interrupt.hpp"
#include "core/threads/parallel.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace warpgraph::runtime {

class Gate;

/// What one endpoint's thread waits for.
class WaitRecord {
 public:
  explicit WaitRecord(std::string name) : name_(std::move(name)) {}

  struct Reading {
    bool ended = false;
    std::uint64_t wait = 0;   // its number; 0: in no wait
    std::uint64_t notes = 0;  // evaluations of its condition that were false
    std::string waits_for;
  };

  /// Of the endpoint, for sentences.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  void begin(std::string waits_for);
  void note();
  void leave() noexcept;
  /// The endpoint's body has returned.
  void end() noexcept;
  [[nodiscard]] Reading read() const;

 private:
  const std::string name_;
  mutable std::mutex mutex_;
  std::uint64_t waits_ = 0;
  Reading reading_;
};

/// State that the threads of one run share.
class RunControl {
 public:
  /// `names` of the threads, for sentences.
  explicit RunControl(std::vector<std::string> names)
      : has_a_core_for_each_(names.size() <= static_cast<std::size_t>(configured_threads())),
        previous_(names.size()) {
    for (std::string& name : names) records_.emplace_back(std::move(name));
  }

  [[nodiscard]] LoopControl& errors() noexcept { return errors_; }
  [[nodiscard]] WaitRecord& record(std::size_t thread) { return records_[thread]; }
  [[nodiscard]] bool has_a_core_for_each() const noexcept { return has_a_core_for_each_; }
  /// Throws std::runtime_error, which says who waits for what, if no endpoint can ever continue.
  /// Called again and again by one thread; compares with what it has read in the call before.
  void find_stall();
  /// Keeps a gate for open_gates(). Throws Stopped if that was called.
  void keep(const std::shared_ptr<Gate>& gate);
  /// After the run has failed: nobody may ever record the events that streams wait for, and those
  /// who own the streams wait for them.
  void open_gates() noexcept;

 private:
  const bool has_a_core_for_each_;
  LoopControl errors_;
  std::deque<WaitRecord> records_;
  std::vector<WaitRecord::Reading> previous_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Gate>> gates_;  // under the mutex, as the next one
  bool gates_are_open_ = false;
};

/// Thrown on an endpoint's thread to end its body after another endpoint has failed. Not an error
/// itself: Context::run throws that of the other endpoint.
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

  [[nodiscard]] RunControl& run() const noexcept { return run_; }
  [[nodiscard]] WaitRecord& record() const noexcept { return record_; }
  /// Throws Stopped if another endpoint has failed.
  void leave_if_stopped() const;
  [[nodiscard]] bool may_spin() const noexcept;
  /// Called after each slice of a wait.
  void look_for_stall() const;

 private:
  RunControl& run_;
  WaitRecord& record_;
  const bool finds_stalls_;
  const ThreadOfRun* const previous_;
};

/// Polls, and throws Stopped if another endpoint of the thread's run has failed.
void check_thread();

/// The gate is opened when the run of this thread fails, if it has one. Throws Stopped if it has
/// failed.
void open_if_run_fails(const std::shared_ptr<Gate>& gate);

/// Calls step(), which may be in a destructor, if this thread is one of a run. What it throws is an
/// error of the run.
void fail_run_if_throws(const std::function<void()>& step) noexcept;

/// Sleeps a little between two polls of something that rings no bell, longer after many polls.
/// Throws as check_thread() does.
void pause_between_polls(std::uint64_t polls);

/// Who makes the condition of a wait true: endpoints of the same run, or anyone.
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
  /// The condition was false.
  void note() const;

 private:
  const Source source_;
  bool begun_ = false;
};

/// An event that endpoints of the run have not recorded yet, and that work of a device is behind.
/// Without an event, none is known.
struct Holder {
  std::shared_ptr<const void> event;
  std::function<std::string()> waits_for;  // describes the wait for it
};

/// The wait of this thread for a holder.
class WaitForHolder {
 public:
  void note(const Holder& holder);

 private:
  std::shared_ptr<const void> event_;
  std::optional<RecordedWait> wait_;
};

/// Waits for what a device does. is_reached() asks it. holder() says what it is behind.
template <class IsReached, class GetHolder>
void wait_for_device(IsReached&& is_reached, GetHolder&& holder) {
  constexpr std::uint64_t polls_per_note = 256;
  WaitForHolder wait;
  for (std::uint64_t polls = 1; !is_reached(); ++polls) {
    pause_between_polls(polls);
    if (polls % polls_per_note == 0) wait.note(holder());
  }
}

class Doorbell {
 public:
  /// After a change that may make a condition true. The change must be visible before the call.
  void ring() noexcept;

  /// Returns when ready() is true; it is evaluated on this thread, and may have effects when it
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

 private:
  /// True: there was a ring after `seen`.
  [[nodiscard]] bool spin(std::uint32_t seen) const noexcept;
  /// Spins, then sleeps until the next ring after `seen`. False if a slice has passed without one.
  bool sleep(std::uint32_t seen);

  std::atomic<std::uint32_t> rings_{0};
  std::atomic<std::uint32_t> sleepers_{0};
  std::mutex mutex_;
  std::condition_variable rung_;
};

}  // namespace warpgraph::runtime
