// Forests of the parts of a graph, merged along a binomial tree: the endpoint of rank r merges what
// the ranks r + 1, r + 2, r + 4, ... have found, while these are below r + (the lowest 1 bit of r).
// So the parts that are merged are neighbours, and their edges, in the order of their positions,
// are those of one after those of the other. A message is the address of what an endpoint has
// found, which it keeps until all have ended.
//
// All endpoints of the runtime are on the host; their threads search on the devices.
#pragma once

#include "algorithms/mst/mst.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "runtime/context.hpp"
#include "runtime/worklist/shares.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace warpgraph::mst {

/// `Parts` finds and merges the forests, on the endpoints' threads, each within a budget:
///   Parts::Found of_part(std::size_t rank, MemoryBudget budget);
///   Parts::Found merged(std::size_t rank, Found mine, const Found& theirs, MemoryBudget budget);
///   SpanningForest<W> whole(Found mine, const Found& theirs, MemoryBudget budget), the last one.
template <class W, class Parts>
class ForestTree {
 public:
  ForestTree(const std::vector<Device>& devices, Parts& parts, MemoryBudget budget)
      : devices_(devices),
        parts_(parts),
        budget_(budget),
        n_threads_(num_threads()),
        context_(std::vector<Device>(devices.size())),
        progress_(devices.size(), solve_units * (2 * std::ssize(devices) - 1)),
        found_(devices.size()) {
    for (const Found& found : found_) addresses_.push_back(&found);
    for (const runtime::Endpoint from : context_.endpoints()) {
      const runtime::Endpoint to{from.id & (from.id - 1)};
      links_.push_back(from.id == 0 ? nullptr : &context_.link(from, to, sizeof(Address), 1));
    }
  }

  SpanningForest<W> run() {
    context_.run([&](runtime::Endpoint endpoint) { work(static_cast<std::size_t>(endpoint.id)); },
                 [&] { progress_.report_until_done(); });
    return std::move(result_);
  }

 private:
  using Found = typename Parts::Found;
  using Address = const Found*;

  /// The units of progress of one forest.
  static constexpr std::int64_t solve_units = 1000;

  void work(std::size_t rank) {
    solve(rank, 1, [&](MemoryBudget budget) { found_[rank] = parts_.of_part(rank, budget); });
    for (std::size_t child = 1; has_child(rank, child); child *= 2) {
      if (auto message = links_[rank + child]->receive()) merge(rank, child, *message);
    }
    if (rank == 0) return;
    links_[rank]->send(runtime::segment_of(std::span<const Address>(&addresses_[rank], 1)));
  }

  void merge(std::size_t rank, std::size_t child, runtime::PendingSegment& message) {
    const Found& theirs = *message.wait_direct().as<Address>()[0];
    const bool is_last = rank == 0 && !has_child(rank, 2 * child);
    solve(rank, 2 * child, [&](MemoryBudget budget) {
      if (is_last) {
        result_ = parts_.whole(std::move(found_[rank]), theirs, budget);
      } else {
        found_[rank] = parts_.merged(rank, std::move(found_[rank]), theirs, budget);
      }
    });
  }

  [[nodiscard]] bool has_child(std::size_t rank, std::size_t child) const {
    return (rank & child) == 0 && rank + child < devices_.size();
  }

  /// Calls find(budget) with the threads of `n_parts` parts.
  template <class Find>
  void solve(std::size_t rank, std::size_t n_parts, Find&& find) {
    const auto n_mine = static_cast<std::size_t>(n_threads_) * n_parts / devices_.size();
    const CallThreads threads(std::clamp(static_cast<int>(n_mine), 1, n_threads_));
    const MemoryBudget share = runtime::share_of_budget(devices_, devices_[rank], budget_);
    progress_.count(rank, solve_units, [&] { find(share); });
  }

  const std::vector<Device>& devices_;
  Parts& parts_;
  const MemoryBudget budget_;
  const int n_threads_;
  runtime::Context context_;
  runtime::SharedProgress progress_;
  std::vector<Found> found_;
  std::vector<Address> addresses_;  // the receiver reads them here, after send() has returned
  std::vector<runtime::Link*> links_;
  SpanningForest<W> result_;
};

}  // namespace warpgraph::mst
