#include "core/cuda/events/event_pool.hpp"

#include <map>
#include <mutex>
#include <vector>

namespace warpgraph::cuda {
namespace {

struct EventPool {
  std::mutex mutex;
  std::map<int, std::vector<Event>> idle;
};

/// Returns the pool, which is never destroyed: at exit the driver may be gone before static
/// destructors run.
EventPool& event_pool() {
  static EventPool& instance = *new EventPool;
  return instance;
}

Event take(Device device) {
  {
    const std::lock_guard lock(event_pool().mutex);
    std::vector<Event>& idle = event_pool().idle[device.index];
    if (!idle.empty()) {
      Event event = std::move(idle.back());
      idle.pop_back();
      return event;
    }
  }
  return Event(device, cudaEventDisableTiming);
}

}  // namespace

BorrowedEvent::BorrowedEvent(Device device) : device_(device), event_(take(device)) {}

BorrowedEvent::~BorrowedEvent() {
  try {
    const std::lock_guard lock(event_pool().mutex);
    event_pool().idle[device_.index].push_back(std::move(event_));
  } catch (...) {  // out of memory: the event is destroyed instead
  }
}

}  // namespace warpgraph::cuda
