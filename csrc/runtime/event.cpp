#include "runtime/event.hpp"

#include <algorithm>
#include <stdexcept>

namespace warpgraph::runtime {

using detail::EventState;

void EventState::finish(Phase as, StreamPoints after) {
  {
    const std::lock_guard lock(mutex);
    if (phase.load() == abandoned) return;
    points = std::move(after);
    phase.store(as);
  }
  bell.ring();
}

bool EventState::are_points_reached() const {
  return std::all_of(points.begin(), points.end(),
                     [](const auto& point) { return point->is_reached(); });
}

EventFuture::EventFuture(std::shared_ptr<StreamPoint> point)
    : state_(std::make_shared<EventState>(Source::anyone)) {
  state_->points.push_back(std::move(point));
  state_->phase.store(EventState::recorded);
}

bool EventFuture::is_complete() const {
  return state_ == nullptr ||
         (state_->phase.load() == EventState::recorded && state_->are_points_reached());
}

void EventFuture::wait_for_record() const {
  state_->bell.wait([&] { return state_->phase.load() != EventState::pending; }, waits_for_,
                    state_->source);
  if (state_->phase.load() == EventState::abandoned) {
    throw std::runtime_error("the event will never be recorded: its owner has given it up");
  }
}

void EventFuture::wait() const {
  if (state_ == nullptr) return;
  wait_for_record();
  wait_for_device([&] { return state_->are_points_reached(); });
}

bool EventFuture::is_recorded() const {
  return state_ == nullptr || state_->phase.load() == EventState::recorded;
}

void EventFuture::wait(StreamRef stream) const {
  if (state_ == nullptr) return;
  wait_for_record();
  for (const auto& point : state_->points) point->hold(stream);
}

void EventFuture::finish() const noexcept {
  if (state_ == nullptr || state_->phase.load() != EventState::recorded) return;
  for (const auto& point : state_->points) point->finish();
}

void Event::give_up() noexcept {
  if (state_ != nullptr && state_->phase.load() == EventState::pending) {
    state_->finish(EventState::abandoned, {});
  }
}

void Event::record() { state_->finish(EventState::recorded, {}); }

void Event::record(StreamRef stream) { record(StreamPoints{point_on(stream)}); }

void Event::record(StreamPoints points) { state_->finish(EventState::recorded, std::move(points)); }

}  // namespace warpgraph::runtime
