// Events and event futures: an event is recorded once, by the host after some work is done, or on a
// stream after the work that is on it. Its futures can be handed out and waited for before that, by
// threads of the host and by streams of devices.
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

  /// Streams that wait already go on after the work that is on `opener`, which is held until the
  /// points are reached; if it is null, at once.
  void finish(Phase as, StreamPoints after, const StreamRef* opener);
  [[nodiscard]] bool are_points_reached() const;
  /// Of the first point that has one.
  [[nodiscard]] Holder holder_of_points() const;

  const Source source;
  std::atomic<Phase> phase{pending};
  StreamPoints points;  // written before the phase
  Doorbell bell;
  std::mutex mutex;
  std::vector<std::shared_ptr<Gate>> gates;  // of streams that wait; under the mutex
};
}  // namespace detail

/// What a wait is for, as a sentence without a full stop. Called only if the wait takes long.
using Description = std::function<std::string()>;

/// What waits for an event. Copies wait for the same one.
class EventFuture {
 public:
  /// Of work that is done.
  EventFuture() = default;
  /// Of an event that was recorded at this point.
  explicit EventFuture(std::shared_ptr<StreamPoint> point);

  /// Whether the event was recorded and the work before it is done.
  [[nodiscard]] bool is_complete() const;
  /// Blocks this thread until then. What was written before is then visible. Throws
  /// std::runtime_error if the event was destroyed unrecorded.
  void wait() const;
  /// Work that is put on the stream from now on begins after the event. Returns at once, also if
  /// the event was not recorded yet, unless the driver cannot hold streams (then this thread waits
  /// for the record). A stream goes on if the event is destroyed unrecorded.
  void wait(StreamRef stream) const;

 private:
  friend class Event;
  friend class Hold;
  EventFuture(std::shared_ptr<detail::EventState> state, Description waits_for)
      : state_(std::move(state)), waits_for_(std::move(waits_for)) {}

  void wait_for_record() const;
  /// Holds the stream until the event is recorded. False: it was, or the driver has no gates.
  [[nodiscard]] bool hold(StreamRef stream) const;

  std::shared_ptr<detail::EventState> state_;
  Description waits_for_;
};

/// Its owner records it, or gives it up, as its destructor does.
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

  /// The work is done.
  void record();
  /// It is done when the work is that is on the stream now.
  void record(StreamRef stream);
  /// It is done when all points are reached. `opener` is a stream that may be held until then, for
  /// those that wait for the event already.
  void record(StreamPoints points, StreamRef opener);
  /// As its destruction: if it was not recorded, it never will be, and later records have no
  /// effect.
  void give_up() noexcept;
  /// `waits_for` describes a wait, for the error that reports a stall.
  [[nodiscard]] EventFuture future(Description waits_for = &describe) const {
    return {state_, std::move(waits_for)};
  }
  [[nodiscard]] bool is_complete() const { return EventFuture(state_, {}).is_complete(); }

 private:
  static std::string describe() { return "an endpoint waits for an event"; }

  std::shared_ptr<detail::EventState> state_;
};

}  // namespace warpgraph::runtime
