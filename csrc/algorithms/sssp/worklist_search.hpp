// A search by several workers of the runtime: the application of its worklist.
//
// Each worker owns a range of vertices. Work items are vertices that have been lowered by a worker
// that does not own them; they travel round the ring, and a worker drops those that are not nearer
// than what it knows. A worker that has vertices of a later priority defers a reminder, an item
// without a vertex; so the worklist's agreement decides when all begin with that priority.
//
// No item belongs to a smaller priority than the one that all work on, since weights are not
// negative and rounding is monotone: what part_search.hpp relies on. The search ends if no worker
// has a reminder. Limits and targets end it earlier: a worker forgets vertices beyond the limit and
// beyond the farthest target, of which all workers know the distances found so far.
#pragma once

#include "algorithms/sssp/farthest_target.hpp"
#include "algorithms/sssp/part_search.hpp"
#include "algorithms/sssp/sssp.hpp"
#include "runtime/link.hpp"
#include "runtime/worklist/distributed_worklist.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace warpgraph::shortest_paths {

/// The approximate number of a worker's reports of progress.
inline constexpr vertex_t reports_per_worker = 16;

/// The search, as the application of the worklist.
template <class W>
class SharedSearch {
 public:
  using RemoteWork = Lowered<W>;
  struct LocalWork {
    Lowered<W> lowered;          // without a vertex: a reminder
    runtime::Priority priority;  // of a reminder; others are always active
  };

  SharedSearch(const CsrView<W>& graph, const SsspOptions<W>& options, std::size_t n_workers)
      : graph_(graph),
        options_(options),
        partition_(equal_arcs(graph, static_cast<int>(n_workers))),
        width_(bucket_width(graph, 1)),
        workers_(n_workers),
        farthest_targets_(n_workers) {
    for (std::atomic<W>& farthest : farthest_targets_) farthest = infinity<W>();
  }

  RemoteWork pack(const LocalWork& item) const { return item.lowered; }
  LocalWork unpack(const RemoteWork& lowered) const { return {lowered, 0}; }
  runtime::Flags on_send(runtime::Endpoint, const LocalWork& item) const {
    return item.lowered.vertex == no_vertex ? runtime::Flags::keep : runtime::Flags::pass;
  }
  runtime::Flags on_receive(runtime::Endpoint at, const RemoteWork& lowered) {
    PartSearch<W>& part = *worker(at).part;
    if (!part.lower(lowered)) return runtime::Flags::drop;
    return part.owns(lowered.vertex) ? runtime::Flags::keep : runtime::Flags::pass;
  }
  runtime::Priority priority(const LocalWork& item) const { return item.priority; }

  /// Begins the search of a worker on its thread, which allocates its arrays.
  void begin(runtime::Endpoint at) {
    Worker& self = worker(at);
    self.part.emplace(graph_, partition_, at.id, width_, options_.limit);
    self.farthest.emplace(*self.part, options_.targets);
  }
  template <class Push>
  void process(runtime::Endpoint at, std::span<const LocalWork> items, Push&& push) {
    Worker& self = worker(at);
    for (const LocalWork& item : items) {
      if (item.lowered.vertex == no_vertex) {
        self.reminders.erase(item.priority);
        self.part->begin(item.priority);
      } else {
        self.part->add(item.lowered);
      }
    }
    if (!options_.targets.empty()) tighten(at);
    self.part->relax_some();
    self.part->send_lowered([&](const Lowered<W>& lowered) { push({lowered, 0}); });
    const Bucket next = self.part->next_priority();
    if (next == no_bucket) return;
    if (!self.reminders.empty() && *self.reminders.begin() <= next) return;
    self.reminders.insert(next);
    push({{infinity<W>(), no_vertex}, next});
  }
  /// Tells the host how many more vertices were relaxed, if it is time.
  void report(runtime::Endpoint at, runtime::Link& to_host) {
    Worker& self = worker(at);
    const std::int64_t more = self.part->n_relaxed() - self.n_reported;
    if (more <= partition_.size(at.id) / reports_per_worker) return;
    self.n_reported += more;
    runtime::Segment news;
    news.metadata = more;
    to_host.send(news);
  }
  /// Writes the distances of the worker's vertices.
  void end(runtime::Endpoint at, std::span<W> distances) {
    Worker& self = worker(at);
    std::ranges::copy(self.part->own_distances(), distances.begin() + self.part->first_vertex());
    if (!self.part->fits_all()) fits_all_.store(false);
    self.part.reset();
  }
  [[nodiscard]] bool fits_all() const { return fits_all_.load(); }

 private:
  struct Worker {
    std::optional<PartSearch<W>> part;
    std::optional<FarthestTarget<W>> farthest;
    std::set<Bucket> reminders;  // in the worklist
    std::int64_t n_reported = 0;
  };

  Worker& worker(runtime::Endpoint at) { return workers_[static_cast<std::size_t>(at.id)]; }
  /// Tightens a worker's limit to the farthest target. Benign race: a distance of another worker
  /// that is read too early is too large.
  void tighten(runtime::Endpoint at) {
    Worker& self = worker(at);
    farthest_targets_[static_cast<std::size_t>(at.id)].store(self.farthest->distance(*self.part),
                                                             std::memory_order_relaxed);
    W farthest{0};
    for (const std::atomic<W>& of_worker : farthest_targets_) {
      farthest = std::max(farthest, of_worker.load(std::memory_order_relaxed));
    }
    self.part->tighten(farthest);
  }

  const CsrView<W> graph_;
  const SsspOptions<W>& options_;
  const PartitionView partition_;
  const double width_;
  std::deque<Worker> workers_;
  std::deque<std::atomic<W>> farthest_targets_;
  std::atomic<bool> fits_all_{true};
};

}  // namespace warpgraph::shortest_paths
