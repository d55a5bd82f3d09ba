// Events and event futures: an event is recorded once, after some work is done; its futures can be
// handed out and waited for before that.
#pragma once

#include "runtime/waiting.hpp"

#include <memory>
#include <stdexcept>
#include <utility>

namespace warpgraph::runtime {

namespace detail {
struct EventState {
  enum Phase : std::uint32_t { pending, recorded, abandoned };
  explicit EventState(Source source_of) : source(source_of) {}
  void finish(Phase as) noexcept {
    phase.store(as);
    bell.ring();
  }
  const Source source;
  std::atomic<Phase> phase{pending};
  Doorbell bell;
};
}  // namespace detail

/// What waits for an event. Copies wait for the same one.
class EventFuture {
 public:
  /// Of work that is done.
  EventFuture() = default;

  [[nodiscard]] bool is_recorded() const noexcept {
    return state_ == nullptr || state_->phase.load() == detail::EventState::recorded;
  }
  /// Blocks this thread until the event is recorded. What the recording thread wrote before is then
  /// visible. Throws std::runtime_error if the event was destroyed unrecorded.
  void wait() const {
    if (is_recorded()) return;
    using detail::EventState;
    state_->bell.wait([&] { return state_->phase.load() != EventState::pending; },
                      [&] { return waits_for_; }, state_->source);
    if (state_->phase.load() == EventState::abandoned) {
      throw std::runtime_error("the event will never be recorded: its owner has given it up");
    }
  }

 private:
  friend class Event;
  EventFuture(std::shared_ptr<detail::EventState> state, std::string waits_for)
      : state_(std::move(state)), waits_for_(std::move(waits_for)) {}

  std::shared_ptr<detail::EventState> state_;
  std::string waits_for_;
};

/// Its owner records it, or gives it up by destroying it.
class Event {
 public:
  explicit Event(Source source = Source::anyone)
      : state_(std::make_shared<detail::EventState>(source)) {}
  ~Event() {
    if (state_ != nullptr && state_->phase.load() == detail::EventState::pending) {
      state_->finish(detail::EventState::abandoned);
    }
  }
  Event(Event&&) noexcept = default;
  Event& operator=(Event&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }

  void record() noexcept { state_->finish(detail::EventState::recorded); }
  /// `waits_for` describes a wait, for the error that reports a stall.
  [[nodiscard]] EventFuture future(std::string waits_for = "an endpoint waits for an event") const {
    return {state_, std::move(waits_for)};
  }

 private:
  std::shared_ptr<detail::EventState> state_;
};

}  // namespace warpgraph::runtime
