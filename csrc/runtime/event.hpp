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
  /// Whether the event was recorded.
  [[nodiscard]] bool is_recorded() const;
  /// Work that is put on the stream from now on begins after the event. This thread waits until the
  /// event was recorded, and throws as wait() does: a stream that waited for memory which the host
  /// or another stream writes later could stop work that comes first, since the driver does not
  /// know of such waits.
  void wait(StreamRef stream) const;
  /// If the event was recorded, blocks this thread until the work before it is done or has failed.
  void finish() const noexcept;

 private:
  friend class Event;
  EventFuture(std::shared_ptr<detail::EventState> state, Description waits_for)
      : state_(std::move(state)), waits_for_(std::move(waits_for)) {}

  void wait_for_record() const;

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
  /// It is done when all points are reached.
  void record(StreamPoints points);
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
