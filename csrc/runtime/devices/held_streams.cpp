#include "runtime/devices/held_streams.hpp"

#include "runtime/event.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace warpgraph::runtime {

using detail::EventState;

/// Everything in it is under the mutex of the streams. Events that hold nothing any more are
/// dropped when they are seen, so that no chain of events becomes long.
class Hold {
 public:
  struct Item {
    EventFuture event;
    std::shared_ptr<Gate> gate;
  };

  void add(const Item& item) {
    const auto is_known = [&](const Item& known) { return known.gate == item.gate; };
    if (std::none_of(items_.begin(), items_.end(), is_known)) items_.push_back(item);
  }
  void add(const Hold& other) {
    for (const Item& item : other.items_) add(item);
  }
  /// Whether nothing holds it any more, which stays so.
  bool has_ended() {
    if (is_visited_) return false;  // an event that waits for itself
    is_visited_ = true;
    std::erase_if(items_, [](const Item& item) { return has_ended(item); });
    is_visited_ = false;
    return items_.empty();
  }
  [[nodiscard]] Holder holder() {
    if (is_visited_) return {};
    is_visited_ = true;
    Holder found;
    for (const Item& item : items_) {
      if (found.event == nullptr) found = holder(item);
    }
    is_visited_ = false;
    return found;
  }

 private:
  static bool has_ended(const Item& item) {
    const EventState& event = *item.event.state_;
    const EventState::Phase phase = event.phase.load();
    if (phase == EventState::pending) return item.gate->is_open();
    if (phase == EventState::abandoned) return true;
    return std::all_of(event.points.begin(), event.points.end(), [](const auto& point) {
      return point->behind() == nullptr || point->behind()->has_ended();
    });
  }
  static Holder holder(const Item& item) {
    const EventState& event = *item.event.state_;
    const EventState::Phase phase = event.phase.load();
    Holder found;
    if (phase == EventState::pending && event.source == Source::run && !item.gate->is_open()) {
      found = {item.event.state_, item.event.waits_for_};
    }
    if (phase != EventState::recorded) return found;
    for (const auto& point : event.points) {
      if (found.event == nullptr && point->behind() != nullptr) found = point->behind()->holder();
    }
    return found;
  }

  std::vector<Item> items_;
  bool is_visited_ = false;
};

namespace {

struct Streams {
  std::mutex mutex;
  std::map<std::pair<int, CUstream_st*>, std::shared_ptr<Hold>> holds;
};

/// Never destroyed: threads may wait at exit.
Streams& streams() {
  static Streams& instance = *new Streams;
  return instance;
}

std::pair<int, CUstream_st*> key_of(StreamRef stream) {
  return {stream.device.index, stream.handle};
}

/// Points that were recorded before keep the hold of before: the stream gets a new one.
template <class Added>
void add(StreamRef stream, const Added& added) noexcept {
  const std::lock_guard lock(streams().mutex);
  try {
    auto larger = std::make_shared<Hold>();
    std::shared_ptr<Hold>& now = streams().holds[key_of(stream)];
    if (now != nullptr) larger->add(*now);
    larger->add(added);
    now = std::move(larger);
  } catch (...) {  // out of memory: less is known
  }
}

}  // namespace

std::shared_ptr<Hold> hold_of(StreamRef stream) {
  const std::lock_guard lock(streams().mutex);
  const auto found = streams().holds.find(key_of(stream));
  if (found == streams().holds.end()) return nullptr;
  if (found->second != nullptr && !found->second->has_ended()) return found->second;
  streams().holds.erase(found);
  return nullptr;
}

void add_hold(StreamRef stream, const EventFuture& event, std::shared_ptr<Gate> gate) noexcept {
  add(stream, Hold::Item{event, std::move(gate)});
}

void add_hold(StreamRef stream, const std::shared_ptr<Hold>& hold) noexcept {
  if (hold != nullptr) add(stream, *hold);
}

Holder holder_of(const std::shared_ptr<Hold>& hold) {
  if (hold == nullptr) return {};
  const std::lock_guard lock(streams().mutex);
  return hold->holder();
}

void wait_while_held(StreamRef stream) noexcept {
  fail_run_if_throws([&] {
    const auto holder = [&] { return holder_of(hold_of(stream)); };
    wait_for_device([&] { return holder().event == nullptr; }, holder);
  });
}

}  // namespace warpgraph::runtime
