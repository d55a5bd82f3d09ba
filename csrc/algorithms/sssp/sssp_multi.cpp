// sssp on several workers of the runtime.
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
#include "algorithms/sssp/part_search.hpp"
#include "algorithms/sssp/searches.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "runtime/worklist/distributed_worklist.hpp"

#include <atomic>
#include <deque>
#include <set>

namespace warpgraph {
namespace {

using namespace shortest_paths;
using runtime::Endpoint;
using runtime::Flags;
using runtime::Link;

/// Items between two looks at what has arrived; they only go to buckets.
constexpr std::size_t items_per_batch = 1 << 14;
/// Reports of progress of a worker, about.
constexpr vertex_t reports_per_worker = 16;

/// The distance of the farthest of some targets, as it is known during a search: it only falls.
template <class W>
class FarthestTarget {
 public:
  FarthestTarget(const PartSearch<W>& part, std::span<const vertex_t> targets) {
    for (const vertex_t target : targets) {
      if (part.owns(target)) targets_.push_back(target);
    }
  }
  /// O(1) unless the farthest one has been lowered.
  W distance(const PartSearch<W>& part) {
    const auto of = [&](std::size_t i) { return part.distance_of(targets_[i]); };
    while (n_reached_ < targets_.size() && of(n_reached_) != infinity<W>()) ++n_reached_;
    if (n_reached_ < targets_.size()) return infinity<W>();
    if (targets_.empty()) return W{0};
    if (of(farthest_) == distance_) return distance_;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      if (of(farthest_) < of(i)) farthest_ = i;
    }
    return distance_ = of(farthest_);
  }

 private:
  std::vector<vertex_t> targets_;
  std::size_t n_reached_ = 0;
  std::size_t farthest_ = 0;
  W distance_ = infinity<W>();
};

/// The application of the worklist.
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
  Flags on_send(Endpoint, const LocalWork& item) const {
    return item.lowered.vertex == no_vertex ? Flags::keep : Flags::pass;
  }
  Flags on_receive(Endpoint at, const RemoteWork& lowered) {
    PartSearch<W>& part = *worker(at).part;
    if (!part.lower(lowered)) return Flags::drop;
    return part.owns(lowered.vertex) ? Flags::keep : Flags::pass;
  }
  runtime::Priority priority(const LocalWork& item) const { return item.priority; }

  /// On the thread of the worker, which allocates what it uses.
  void begin(Endpoint at) {
    Worker& self = worker(at);
    self.part.emplace(graph_, partition_, at.id, width_, options_.limit);
    self.farthest.emplace(*self.part, options_.targets);
  }
  template <class Push>
  void process(Endpoint at, std::span<const LocalWork> items, Push&& push) {
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
  void report(Endpoint at, Link& to_host) {
    Worker& self = worker(at);
    const std::int64_t more = self.part->n_relaxed() - self.n_reported;
    if (more <= partition_.size(at.id) / reports_per_worker) return;
    self.n_reported += more;
    runtime::Segment news;
    news.metadata = more;
    to_host.send(news);
  }
  /// Writes the distances of the worker's vertices.
  void end(Endpoint at, std::span<W> distances) {
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

  Worker& worker(Endpoint at) { return workers_[static_cast<std::size_t>(at.id)]; }
  /// Benign race: a distance that another worker has read too early is too large.
  void tighten(Endpoint at) {
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

/// Returns the bytes that the memory limit leaves to lists; 0: no limit.
template <class W>
std::size_t require_memory(const CsrView<W>& graph, const SsspOptions<W>& options,
                           std::size_t n_workers, bool predecessors) {
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  const std::size_t recovery = predecessors ? 5 * sizeof(vertex_t) * n : 0;
  const std::size_t results = n * (sizeof(W) + (predecessors ? sizeof(vertex_t) : 0));
  // About one message for each vertex is under way, in a packet and in a queue that doubles.
  const std::size_t per_message =
      sizeof(Lowered<W>) + 2 * sizeof(typename SharedSearch<W>::LocalWork);
  const std::size_t arrays = n * (n_workers * sizeof(W) + per_message);
  const std::size_t search = arrays + min_list_bytes<W>(graph.n_vertices, graph.n_arcs);
  MemoryBudget(Device{}, options.memory_limit)
      .require("finding shortest paths by several workers", results + std::max(search, recovery),
               "name fewer devices, ask for a narrower dtype or leave out the predecessors");
  return options.memory_limit == 0 ? 0 : options.memory_limit - results - arrays;
}

/// False if an integer sum may not have fitted.
template <class W>
bool search(const CsrView<W>& graph, vertex_t source, const std::vector<Device>& devices,
            const SsspOptions<W>& options, std::size_t list_bytes, std::span<W> distances) {
  ListBudget list_budget(list_bytes);
  SharedSearch<W> app(graph, options, devices.size());
  runtime::Context context(devices);
  runtime::WorklistOptions how;
  how.batch = items_per_batch;
  how.first_threshold = 0;
  runtime::DistributedWorklist<SharedSearch<W>> list(context, context.host(), context.endpoints(),
                                                     app, how);
  const int n_workers = static_cast<int>(devices.size());
  runtime::Router& to_host = context.router(n_workers, 1, runtime::gather(), "progress");
  std::vector<Link*> reports;
  for (const Endpoint at : context.endpoints()) reports.push_back(&context.link(at, to_host, 1));
  Link& progress = context.link(to_host, context.host(), 1);
  context.run(
      [&](Endpoint at) {
        const WithListBudget within(list_budget);
        app.begin(at);
        list.work(at, [&](std::span<const typename SharedSearch<W>::LocalWork> items, auto&& push) {
          app.process(at, items, push);
          app.report(at, *reports[static_cast<std::size_t>(at.id)]);
        });
        app.end(at, distances);
      },
      [&] {
        const typename SharedSearch<W>::LocalWork seed{{W{0}, source}, 0};
        list.start({&seed, 1});
        std::int64_t done = 0;
        while (const std::optional<runtime::PendingSegment> news = progress.receive()) {
          done = std::min<std::int64_t>(done + news->description().metadata, graph.n_vertices);
          report_progress(done, graph.n_vertices);
        }
      });
  return app.fits_all();
}

}  // namespace

template <class W>
void sssp_multi(const CsrView<W>& graph, vertex_t source, const std::vector<Device>& devices,
                const SsspOptions<W>& options, SsspResult<W> result) {
#if defined(WARPGRAPH_HAS_CUDA)
  if (devices.at(0).is_cuda()) return sssp_multi_cuda(graph, source, options, result);
#endif
  const std::size_t list_bytes =
      require_memory(graph, options, devices.size(), !result.predecessors.empty());
  try {
    const bool fits_all = search(graph, source, devices, options, list_bytes, result.distances);
    complete<W>(graph, {&source, 1}, options, fits_all, result);
  } catch (const ListBudgetExceeded&) {
    SsspOptions<W> in_little_memory = options;
    in_little_memory.method = SsspMethod::dijkstra;
    sssp_cpu(graph, source, in_little_memory, result);
  }
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(sssp_multi)

}  // namespace warpgraph
