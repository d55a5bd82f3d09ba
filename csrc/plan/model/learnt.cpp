#include "plan/model/learnt.hpp"

#include <algorithm>
#include <atomic>

namespace warpgraph::plan {
namespace {

constexpr std::size_t most_entries = 64;

std::atomic<bool> learning{true};
std::atomic<double> lost_while_waiting{0};

}  // namespace

void set_learning(bool is_on) noexcept { learning.store(is_on, std::memory_order_relaxed); }
bool is_learning() noexcept { return learning.load(std::memory_order_relaxed); }

std::optional<double> Learnt::seconds(std::uint64_t kind, std::string_view method,
                                      Place place) const {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_) {
    if (entry.kind == kind && entry.method == method && entry.place == place) return entry.seconds;
  }
  return std::nullopt;
}

void Learnt::add(std::uint64_t kind, std::string_view method, Place place, double seconds,
                 Seconds expected) {
  const double all = expected.preparing + expected.running;
  const double running = all > 0 ? seconds * expected.running / all : seconds;
  const bool is_estimate = expected.preparing > 0;
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.kind == kind && entry.method == method && entry.place == place) {
      const bool replaces = entry.is_estimate && !is_estimate;
      // Calls differ by what they reach: a mean of the last ones, in which short ones count more,
      // since machines have slow moments.
      const double share = running < entry.seconds ? 0.5 : 0.25;
      entry.seconds = replaces ? running : entry.seconds + share * (running - entry.seconds);
      entry.is_estimate = entry.is_estimate && is_estimate;
      return;
    }
  }
  if (entries_.size() < most_entries) {
    entries_.push_back({kind, method, place, running, is_estimate});
  }
}

bool Learnt::is_used() const {
  const std::lock_guard lock(mutex_);
  return is_used_;
}

void Learnt::begin(double lost, double lost_searching) {
  const std::lock_guard lock(mutex_);
  is_used_ = true;
  lost_ += lost;
  lost_searching_ += lost_searching;
}

double Learnt::lost_searching() const {
  const std::lock_guard lock(mutex_);
  return lost_searching_;
}

double Learnt::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

double lost_by_waiting() noexcept { return lost_while_waiting.load(std::memory_order_relaxed); }
void lose_by_waiting(double seconds) noexcept {
  double before = lost_while_waiting.load(std::memory_order_relaxed);
  while (!lost_while_waiting.compare_exchange_weak(before, before + seconds)) {
  }
}

}  // namespace warpgraph::plan
