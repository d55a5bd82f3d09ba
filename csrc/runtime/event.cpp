#include "runtime/event.hpp"

#include <algorithm>
#include <stdexcept>

namespace warpgraph::runtime {

using detail::EventState;

void EventState::finish(Phase as, StreamPoints after, const StreamRef* opener) {
  std::vector<std::shared_ptr<Gate>> waiting;
  {
    const std::lock_guard lock(mutex);
    if (phase.load() == abandoned) return;
    points = std::move(after);
    waiting = std::move(gates);
    phase.store(as);
  }
  bell.ring();
  if (waiting.empty()) return;
  if (opener == nullptr) {
    for (const auto& gate : waiting) gate->open();
    return;
  }
  try {
    for (const auto& point : points) point->hold(*opener);
    for (const auto& gate : waiting) gate->open_after(*opener);
  } catch (...) {  // the device has failed
    for (const auto& gate : waiting) gate->open();
    throw;
  }
}

bool EventState::are_points_reached() const {
  return std::all_of(points.begin(), points.end(),
                     [](const auto& point) { return point->is_reached(); });
}

Holder EventState::holder_of_points() const {
  Holder found;
  for (const auto& point : points) {
    if (found.event == nullptr) found = holder_of(point->behind());
  }
  return found;
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
  wait_for_device([&] { return state_->are_points_reached(); },
                  [&] { return state_->holder_of_points(); });
}

bool EventFuture::hold(StreamRef stream) const {
  if (state_->phase.load() != EventState::pending) return false;
  const std::lock_guard lock(state_->mutex);
  if (state_->phase.load() != EventState::pending) return false;
  const std::shared_ptr<Gate> gate = gate_on(stream);
  if (gate == nullptr) return false;
  try {
    open_if_run_fails(gate);
    state_->gates.push_back(gate);
  } catch (...) {
    gate->open();
    throw;
  }
  add_hold(stream, *this, gate);
  return true;
}

void EventFuture::wait(StreamRef stream) const {
  if (state_ == nullptr || hold(stream)) return;
  wait_for_record();
  for (const auto& point : state_->points) point->hold(stream);
}

void Event::give_up() noexcept {
  if (state_ != nullptr && state_->phase.load() == EventState::pending) {
    state_->finish(EventState::abandoned, {}, nullptr);
  }
}

void Event::record() { state_->finish(EventState::recorded, {}, nullptr); }

void Event::record(StreamRef stream) { record({point_on(stream)}, stream); }

void Event::record(StreamPoints points, StreamRef opener) {
  state_->finish(EventState::recorded, std::move(points), &opener);
}

}  // namespace warpgraph::runtime
