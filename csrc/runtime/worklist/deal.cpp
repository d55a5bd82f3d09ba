#include "runtime/worklist/deal.hpp"

#include "core/containers/at.hpp"
#include "core/interrupt.hpp"
#include "core/threads/parallel.hpp"
#include "runtime/context.hpp"
#include "runtime/worklist/shares.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace warpgraph::runtime {
namespace {

/// Least duration of a block: it may take less than the clock can tell.
constexpr double least_seconds = 1e-9;

double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

bool all_alike(const std::vector<Device>& devices) {
  return std::all_of(devices.begin(), devices.end(),
                     [&](Device device) { return are_alike(device, devices[0]); });
}

/// Returns the part that an endpoint takes at a time of its share of the items that are left.
double part_of_share(const DealOptions& options, bool alike) {
  if (!options.equal_work) return 1. / 2;
  return alike ? 1 : 7. / 8;  // speeds of unlike devices are estimates
}

/// One run, and its endpoints' shares.
class Dealing {
 public:
  Dealing(const std::vector<Device>& devices, std::int64_t n_items, const DealOptions& options)
      : n_items_(n_items),
        context_(devices),
        threads_(share_of(devices, {}, num_threads())),
        progress_(devices.size(), n_items),
        dealer_(n_items, smallest_blocks(devices, options), all_alike(devices),
                part_of_share(options, all_alike(devices))) {
    for (const Device device : devices) {
      budgets_.push_back(share_of_budget(devices, device, options.budget));
    }
  }

  void run(const ProcessBlock& process) {
    context_.run([&](Endpoint endpoint) { work(at(endpoint.id), process); },
                 [&] { progress_.report_until_done(); });
    report_progress(n_items_, n_items_);
  }

 private:
  [[nodiscard]] std::vector<std::int64_t> smallest_blocks(const std::vector<Device>& devices,
                                                          const DealOptions& options) const {
    const std::int64_t equal = (n_items_ + std::ssize(devices) - 1) / std::ssize(devices);
    std::vector<std::int64_t> sizes;
    for (const Device device : devices) {
      const std::int64_t efficient =
          options.smallest_block(device) * (device.is_cuda() ? 1 : threads_);
      sizes.push_back(std::clamp<std::int64_t>(efficient, 1, std::max<std::int64_t>(equal, 1)));
    }
    return sizes;
  }

  void work(std::size_t endpoint, const ProcessBlock& process) {
    const Device device = context_.device(Endpoint{static_cast<int>(endpoint)});
    const CallThreads threads(device.is_cuda() ? num_threads() : threads_);
    for (;;) {
      poll();
      const Block block = dealer_.next(endpoint, seconds_now());
      if (block.size == 0) return;
      progress_.count(endpoint, block.size, [&] { process(device, block, budgets_[endpoint]); });
    }
  }

  const std::int64_t n_items_;
  Context context_;
  const int threads_;  // of each endpoint on the host
  SharedProgress progress_;
  BlockDealer dealer_;
  std::vector<MemoryBudget> budgets_;
};

}  // namespace

BlockDealer::BlockDealer(std::int64_t n_items, const std::vector<std::int64_t>& smallest_blocks,
                         bool alike, double part)
    : n_items_(n_items), alike_(alike), part_(part), left_(n_items) {
  for (const std::int64_t smallest : smallest_blocks) endpoints_.push_back({smallest});
}

Block BlockDealer::next(std::size_t endpoint, double now) {
  const std::lock_guard lock(mutex_);
  Endpoint& me = endpoints_[endpoint];
  if (me.size > 0) {
    me.speed = static_cast<double>(me.size) / std::max(now - me.begun, least_seconds);
  }
  me.size = 0;
  if (left_ == 0 || others_end_sooner(me, now)) {
    me.has_ended = true;
    return {};
  }
  me.size = std::min(left_, wanted_by(me, now));
  me.begun = now;
  left_ -= me.size;
  return {n_items_ - left_ - me.size, me.size};
}

double BlockDealer::speed_of(const Endpoint& endpoint, double like, double now) {
  if (endpoint.speed > 0) return endpoint.speed;
  if (endpoint.size == 0) return like;
  const double seconds = std::max(now - endpoint.begun, least_seconds);
  return std::min(like, static_cast<double>(endpoint.size) / seconds);
}

std::int64_t BlockDealer::wanted_by(const Endpoint& endpoint, double now) const {
  if (endpoint.speed == 0 && !alike_) return endpoint.smallest;
  const double wanted = share_of_left(endpoint, now) * part_;
  const double n_smallest = std::ceil(wanted / static_cast<double>(endpoint.smallest));
  return static_cast<std::int64_t>(n_smallest) * endpoint.smallest;
}

double BlockDealer::share_of_left(const Endpoint& endpoint, double now) const {
  const auto ended_a_block = [](const Endpoint& other) { return other.speed > 0; };
  if (std::none_of(endpoints_.begin(), endpoints_.end(), ended_a_block)) {
    // First blocks are equal: the rest is for endpoints that come later.
    return static_cast<double>(n_items_) / static_cast<double>(endpoints_.size());
  }
  const double mine = endpoint.speed > 0 ? endpoint.speed : 1;
  double all = 0;
  for (const Endpoint& other : endpoints_) {
    if (!other.has_ended) all += endpoint.speed > 0 ? speed_of(other, mine, now) : 1;
  }
  return static_cast<double>(left_) * mine / all;
}

bool BlockDealer::others_end_sooner(const Endpoint& endpoint, double now) const {
  if (endpoint.speed == 0) return false;
  double least = std::numeric_limits<double>::infinity();
  for (const Endpoint& other : endpoints_) {
    if (&other == &endpoint || other.has_ended || other.speed == 0) continue;
    const double begun = static_cast<double>(other.size) - other.speed * (now - other.begun);
    least = std::min(least, (std::max(begun, 0.0) + static_cast<double>(left_)) / other.speed);
  }
  const std::int64_t size = std::min(endpoint.smallest, left_);
  return static_cast<double>(size) / endpoint.speed > least;
}

void deal(const std::vector<Device>& devices, std::int64_t n_items, const DealOptions& options,
          const ProcessBlock& process) {
  Dealing(devices, n_items, options).run(process);
}

}  // namespace warpgraph::runtime
