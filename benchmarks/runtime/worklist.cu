// Table 5: what soft priority and the fusion of kernels are worth to a distributed worklist.
// Shortest paths from a corner of a grid with some edges missing, which is deep as road networks
// are, with and without each of the two.
#include "cases.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/stream_pool.hpp"
#include "graph/generate/generate.hpp"
#include "runtime/worklist/device_worklist.cuh"

#include <algorithm>
#include <memory>
#include <queue>

namespace warpgraph::benchmark {
namespace {

using runtime::Flags;
using runtime::Priority;
using Graph = Csr<std::int32_t>;
using Distances = std::vector<std::int32_t>;

constexpr std::int32_t unreached = 1 << 30;
constexpr std::int32_t longest_edge = 100;

/// Each worker owns consecutive rows of the grid. Of other vertices it keeps the best distance that
/// it has sent to their owner.
struct Relaxation {
  struct LocalWork {
    vertex_t vertex;
    std::int32_t distance;
  };
  using RemoteWork = LocalWork;

  __device__ RemoteWork pack(const LocalWork& item) const { return item; }
  __device__ LocalWork unpack(const RemoteWork& item) const { return item; }
  __device__ Flags on_send(int at, const LocalWork& item) const {
    if (!lower(best[item.vertex], item.distance)) return Flags::drop;
    return owner(item) == at ? Flags::keep : Flags::pass;
  }
  __device__ Flags on_receive(int at, const RemoteWork& item) const {
    if (owner(item) != at) return Flags::pass;
    return lower(best[item.vertex], item.distance) ? Flags::keep : Flags::drop;
  }
  __device__ Priority priority(const LocalWork& item) const { return item.distance; }
  __device__ int owner(const RemoteWork& item) const { return item.vertex / n_each; }
  __device__ edge_t begin(int, LocalWork& item) const {
    if (relaxed_load(best[item.vertex]) < item.distance) return 0;
    return offsets[item.vertex + 1] - offsets[item.vertex];
  }
  __device__ bool child(int, const LocalWork& item, edge_t i, LocalWork& out) const {
    const edge_t arc = offsets[item.vertex] + i;
    out = {heads[arc], item.distance + weights[arc]};
    return true;
  }

  const edge_t* offsets;
  const vertex_t* heads;
  const std::int32_t* weights;
  std::int32_t* best;
  vertex_t n_each;  // vertices of a worker
};

/// Dijkstra's algorithm from vertex 0.
Distances distances_of(const Graph& graph) {
  Distances distances(graph.offsets.size() - 1, unreached);
  using Entry = std::pair<std::int32_t, vertex_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  distances[0] = 0;
  for (queue.emplace(0, 0); !queue.empty();) {
    const auto [distance, vertex] = queue.top();
    queue.pop();
    const auto v = static_cast<std::size_t>(vertex);
    if (distances[v] < distance) continue;
    for (auto arc = static_cast<std::size_t>(graph.offsets[v]);
         arc < static_cast<std::size_t>(graph.offsets[v + 1]); ++arc) {
      const std::int32_t through = distance + graph.weights[arc];
      std::int32_t& known = distances[static_cast<std::size_t>(graph.heads[arc])];
      if (through >= known) continue;
      known = through;
      queue.emplace(through, graph.heads[arc]);
    }
  }
  return distances;
}

/// The memory of one worker.
struct Share {
  Share(const Graph& graph, Device device)
      : stream(device),
        offsets(cuda::to_device(std::span<const edge_t>(graph.offsets), *stream)),
        heads(cuda::to_device(std::span<const vertex_t>(graph.heads), *stream)),
        weights(cuda::to_device(std::span<const std::int32_t>(graph.weights), *stream)),
        best(graph.offsets.size() - 1, *stream) {
    (*stream).synchronize();
  }
  const cuda::BorrowedStream stream;
  const cuda::DeviceBuffer<edge_t> offsets;
  const cuda::DeviceBuffer<vertex_t> heads;
  const cuda::DeviceBuffer<std::int32_t> weights;
  const cuda::DeviceBuffer<std::int32_t> best;
};

class Searches {
 public:
  Searches(const Options& options, std::vector<Device> workers, vertex_t side)
      : options_(options),
        workers_(std::move(workers)),
        side_(side),
        graph_(grid<std::int32_t>({side_, side_, 0.1}, {WeightRule::Kind::integer, 1, longest_edge},
                                  5)),
        expected_(distances_of(graph_)) {
    for (const Device device : workers_) {
      const cuda::DeviceGuard guard(device);
      shares_.push_back(std::make_unique<Share>(graph_, device));
    }
  }

  void measure_all(const std::string& name, const std::string& where) {
    Case made;
    made.name = name;
    made.where = where;
    made.size = {{"vertices", static_cast<std::int64_t>(expected_.size())},
                 {"arcs", static_cast<std::int64_t>(graph_.heads.size())}};
    for (const bool has_priority : {true, false}) {
      for (const bool fused : {true, false}) {
        const std::string name =
            concat(fused ? "fused" : "separate", has_priority ? ", soft priority" : "");
        made.contestants.push_back(
            {name, [=, this](int n) { return series(name, has_priority, fused, n); }});
      }
    }
    made.size_afterwards = [this] { return counts_; };
    measure(options_, made);
  }

 private:
  using List = runtime::DeviceWorklist<Relaxation>;

  Seconds series(const std::string& name, bool has_priority, bool fused, int n) {
    runtime::DeviceWorklistOptions options;
    options.fused = fused;
    if (has_priority) options.first_threshold = options.step = 10 * longest_edge;
    List list(workers_, options);
    Seconds seconds = repeated(n, [&] { return run(list); });
    runtime::WorkerReport sum;
    for (const runtime::WorkerReport& report : list.reports()) {
      sum.processed += report.processed;
      sum.rounds += report.rounds;
      sum.launches += report.launches;
    }
    counts_.emplace_back("work items, " + name, sum.processed);
    counts_.emplace_back("rounds of all workers, " + name, sum.rounds);
    counts_.emplace_back("launches, " + name, sum.launches);
    return seconds;
  }

  double run(List& list) {
    std::vector<Relaxation> apps;
    for (const auto& share : shares_) {
      const cuda::Stream& stream = *share->stream;
      cuda::fill(share->best.data(), unreached, static_cast<std::int64_t>(expected_.size()),
                 stream);
      stream.synchronize();
      apps.push_back({share->offsets.data(), share->heads.data(), share->weights.data(),
                      share->best.data(), n_each()});
    }
    std::vector<std::vector<Relaxation::LocalWork>> seeds(workers_.size());
    seeds[0].push_back({0, 0});
    const auto start = Clock::now();
    list.run(apps, seeds);
    const double seconds = seconds_since(start);
    check();
    return seconds;
  }

  void check() const {
    for (std::size_t w = 0; w < shares_.size(); ++w) {
      const Share& share = *shares_[w];
      const cuda::DeviceGuard guard((*share.stream).device());
      const auto found =
          cuda::to_host<Distances>(share.best.data(), expected_.size(), *share.stream);
      const std::size_t end = std::min((w + 1) * static_cast<std::size_t>(n_each()), found.size());
      for (std::size_t v = w * static_cast<std::size_t>(n_each()); v < end; ++v) {
        EXPECTS(found[v] == expected_[v], "the distance of vertex ", v, " is ", found[v],
                " instead of ", expected_[v]);
      }
    }
  }

  [[nodiscard]] vertex_t n_each() const {
    const auto n = static_cast<vertex_t>(workers_.size());
    return (side_ + n - 1) / n * side_;
  }

  const Options& options_;
  const std::vector<Device> workers_;
  const vertex_t side_;
  const Graph graph_;
  const Distances expected_;
  std::vector<std::unique_ptr<Share>> shares_;
  Sizes counts_;
};

}  // namespace

void worklists(const Options& options) {
  const std::vector<Device> all = options.devices();
  const std::vector<vertex_t> sides =
      options.smoke ? std::vector<vertex_t>{12} : std::vector<vertex_t>{512, 1024, 2048};
  for (const vertex_t side : sides) {
    const auto measure_on = [&](const std::vector<Device>& workers, const std::string& where) {
      const std::string name = concat("worklist, shortest paths in a grid of ", side, " x ", side,
                                      ", ", workers.size(), " workers");
      if (options.choose(name)) Searches(options, workers, side).measure_all(name, where);
    };
    for (const std::size_t n : {1, 4}) {
      measure_on(std::vector<Device>(n, all[0]), all[0].name());
    }
    if (all.size() > 1) measure_on(all, concat(all.size(), " GPUs"));
  }
}

}  // namespace warpgraph::benchmark
