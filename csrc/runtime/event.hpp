// Events and event futures: an event is recorded once, by the host after some work is done, or on a
// stream after the work that is on it. Its futures can be handed out and waited for before that, by
// threads of the host, and for streams of devices.
#pragma once

#include "runtime/devices/stream_point.hpp"
#include "runtime/waiting.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace warpgraph::runtime {

using StreamPoints = std::vector<std::shared_ptr<StreamPoint>>;

namespace detail {
struct EventState {
  enum Phase : std::uint32_t { pending, recorded, abandoned };
  explicit EventState(Source source_of) : source(source_of) {}

  void finish(Phase as, StreamPoints after);
  [[nodiscard]] bool are_points_reached() const;

  const Source source;
  std::atomic<Phase> phase{pending};
  StreamPoints points;  // written before the phase
  Doorbell bell;
  std::mutex mutex;
};
}  // namespace detail

/// Describes what a wait is for, as a sentence without a full stop. It is called only if the wait
/// takes long.
using Description = std::function<std::string()>;

/// Reference to an event for the code that waits for it. Copies wait for the same event.
class EventFuture {
 public:
  /// Makes the future of work that is done.
  EventFuture() = default;
  /// Makes the future of an event that was recorded at this point.
  explicit EventFuture(std::shared_ptr<StreamPoint> point);

  /// Returns whether the event was recorded and the work before it is done.
  [[nodiscard]] bool is_complete() const;
  /// Blocks this thread until the work before the event is done; its writes are then visible.
  /// Throws std::runtime_error if the event was destroyed unrecorded.
  void wait() const;
  /// Returns whether the event was recorded.
  [[nodiscard]] bool is_recorded() const;
  /// Lets later work on the stream begin after the event. This thread waits until the event was
  /// recorded, and throws as wait() does: a stream that waited for memory which the host or another
  /// stream writes later could stop work that comes first, since the driver does not know of such
  /// waits.
  void wait(StreamRef stream) const;
  /// Blocks this thread until the work before the event is done or has failed, if the event was
  /// recorded.
  void finish() const noexcept;

 private:
  friend class Event;
  EventFuture(std::shared_ptr<detail::EventState> state, Description waits_for)
      : state_(std::move(state)), waits_for_(std::move(waits_for)) {}

  void wait_for_record() const;

  std::shared_ptr<detail::EventState> state_;
  Description waits_for_;
};

/// An event, recorded by its owner or given up, as by its destructor.
class Event {
 public:
  explicit Event(Source source = Source::anyone)
      : state_(std::make_shared<detail::EventState>(source)) {}
  ~Event() { give_up(); }
  Event(Event&&) noexcept = default;
  Event& operator=(Event&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }

  /// Records the event: the work is done.
  void record();
  /// Records the event after the work that is on the stream now.
  void record(StreamRef stream);
  /// Records the event as done when all points are reached.
  void record(StreamPoints points);
  /// Gives the event up, as its destructor does: if it was not recorded, it never will be, and
  /// later records have no effect.
  void give_up() noexcept;
  /// Returns a future. `waits_for` describes a wait for it, for the error that reports a stall.
  [[nodiscard]] EventFuture future(Description waits_for = &describe) const {
    return {state_, std::move(waits_for)};
  }
  [[nodiscard]] bool is_complete() const { return EventFuture(state_, {}).is_complete(); }

 private:
  static std::string describe() { return "an endpoint waits for an event"; }

  std::shared_ptr<detail::EventState> state_;
};

}  // namespace warpgraph::runtime
