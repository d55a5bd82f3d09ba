// Forests of the parts of a graph, merged along a binomial tree: the endpoint of rank r merges what
// the ranks r + 1, r + 2, r + 4, ... send, while these are below r + (the lowest 1 bit of r). So
// the parts that are merged are neighbours, and their edges, in the order of their positions, are
// those of one after those of the other. A message is the positions of a forest's edges.
//
// All endpoints of the runtime are on the host, since forests lie there; their threads search on
// the devices.
#include "algorithms/mst/mst_multi.hpp"

#include "core/containers/at.hpp"
#include "core/containers/bitmap.hpp"
#include "core/memory/memory_budget.hpp"
#include "runtime/context.hpp"
#include "runtime/worklist/shares.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace warpgraph::mst {
namespace {

/// Ascending.
using Positions = HostVector<edge_t>;

/// The entries i, below n_entries, of a forest's edges in ascending order, each as position(i).
template <class W, class Renumber>
Positions ascending(const SpanningForest<W>& forest, edge_t n_entries, Renumber&& position) {
  Bitmap chosen(n_entries);
  parallel_for(
      std::ssize(forest.positions),
      [&, view = chosen.view()](std::int64_t i) { view.set_atomically(forest.positions[at(i)]); },
      light_grain);
  Positions found;
  found.reserve(forest.positions.size());
  for (edge_t word = 0; word < std::ssize(chosen.words()); ++word) {
    for (std::uint64_t bits = chosen.words()[at(word)]; bits != 0; bits &= bits - 1) {
      found.push_back(position(64 * word + std::countr_zero(bits)));
    }
  }
  return found;
}

/// The graph with these entries only, in their order.
template <class W>
Csr<W> subgraph(const CsrView<W>& graph, const Positions& positions) {
  const std::int64_t n_offsets = std::int64_t{graph.n_vertices} + 1;
  Csr<W> made{HostVector<edge_t>(at(n_offsets)), HostVector<vertex_t>(positions.size()),
              HostVector<W>(positions.size())};
  parallel_blocks(n_offsets, light_grain, [&](int, std::int64_t first, std::int64_t last) {
    auto next = std::lower_bound(positions.begin(), positions.end(), graph.offsets[first]);
    for (std::int64_t u = first; u < last; ++u) {
      while (next != positions.end() && *next < graph.offsets[u]) ++next;
      made.offsets[at(u)] = next - positions.begin();
    }
  });
  parallel_for(
      std::ssize(positions),
      [&](std::int64_t i) {
        made.heads[at(i)] = graph.heads[positions[at(i)]];
        made.weights[at(i)] = graph.weights[positions[at(i)]];
      },
      light_grain);
  return made;
}

template <class W>
std::size_t bytes_to_merge(const CsrPattern& graph, std::size_t n_edges) {
  return (at(graph.n_vertices) + 1) * sizeof(edge_t) +
         n_edges * (sizeof(edge_t) + sizeof(vertex_t) + sizeof(W));
}

template <class W>
class ForestTree {
 public:
  ForestTree(const std::vector<Device>& devices, const CsrView<W>& graph,
             const std::vector<edge_t>& first_entries, const ForestSolver<W>& solver,
             std::size_t memory_limit)
      : devices_(devices),
        graph_(graph),
        first_entries_(first_entries),
        solver_(solver),
        memory_limit_(memory_limit),
        n_threads_(num_threads()),
        context_(std::vector<Device>(devices.size())),
        n_solved_(2 * std::ssize(devices) - 1),
        progress_(devices.size(), solve_units * n_solved_),
        sent_(devices.size()) {
    const std::size_t packet = std::max(graph.n_vertices, 1) * sizeof(edge_t);
    for (const runtime::Endpoint from : context_.endpoints()) {
      const runtime::Endpoint to{from.id & (from.id - 1)};
      links_.push_back(from.id == 0 ? nullptr : &context_.link(from, to, packet, 1));
    }
  }

  SpanningForest<W> run() {
    context_.run([&](runtime::Endpoint endpoint) { work(at(endpoint.id)); },
                 [&] { progress_.report_until_done(); });
    return std::move(result_);
  }

 private:
  /// Of the progress of one forest.
  static constexpr std::int64_t solve_units = 1000;

  void work(std::size_t rank) {
    Positions mine = forest_of_part(rank);
    for (std::size_t child = 1; has_child(rank, child); child *= 2) {
      if (std::optional<runtime::PendingSegment> pending = links_[rank + child]->receive()) {
        const std::span<const edge_t> theirs = pending->wait_direct().as<edge_t>();
        mine.insert(mine.end(), theirs.begin(), theirs.end());
      }
      mine = merged(rank, child, std::move(mine));
    }
    if (rank == 0 || mine.empty()) return;
    sent_[rank] = std::move(mine);
    links_[rank]->send(runtime::segment_of(std::span<const edge_t>(sent_[rank])));
  }

  [[nodiscard]] bool has_child(std::size_t rank, std::size_t child) const {
    return (rank & child) == 0 && rank + child < devices_.size();
  }

  /// Calls solve(memory limit) with the threads of `n_parts` parts.
  template <class Solve>
  SpanningForest<W> solved(std::size_t rank, std::size_t n_parts, Solve&& solve) {
    const auto share = static_cast<std::size_t>(n_threads_) * n_parts / devices_.size();
    const CallThreads threads(std::clamp(static_cast<int>(share), 1, n_threads_));
    SpanningForest<W> forest;
    const std::size_t limit = runtime::share_of_memory(devices_, devices_[rank], memory_limit_);
    progress_.count(rank, solve_units, [&] { forest = solve(limit); });
    return forest;
  }

  Positions forest_of_part(std::size_t rank) {
    const auto forest = solved(
        rank, 1, [&](std::size_t limit) { return solver_.of_part(devices_[rank], rank, limit); });
    const edge_t first = first_entries_[rank];
    return ascending(forest, first_entries_[rank + 1] - first,
                     [&](edge_t entry) { return first + entry; });
  }

  /// The forest of the edges of two forests.
  Positions merged(std::size_t rank, std::size_t child, Positions both) {
    SpanningForest<W> forest = solved(rank, 2 * child, [&](std::size_t limit) {
      const Device device = devices_[rank];
      const std::size_t bytes = bytes_to_merge<W>(graph_, both.size());
      MemoryBudget(Device{}, device.is_cuda() ? 0 : limit)
          .require("merging two forests", bytes, "pass fewer devices");
      const Csr<W> graph = subgraph(graph_, both);
      return solver_.of_graph(device, graph.view(),
                              device.is_cuda() ? limit : left_of_limit(limit, bytes));
    });
    const auto position = [&](edge_t entry) { return both[at(entry)]; };
    if (rank > 0 || has_child(rank, 2 * child)) {
      return ascending(forest, std::ssize(both), position);
    }
    for (edge_t& entry : forest.positions) entry = position(entry);
    result_ = std::move(forest);
    return {};
  }

  const std::vector<Device>& devices_;
  const CsrView<W>& graph_;
  const std::vector<edge_t>& first_entries_;
  const ForestSolver<W>& solver_;
  const std::size_t memory_limit_;
  const int n_threads_;
  runtime::Context context_;
  const std::int64_t n_solved_;
  runtime::SharedProgress progress_;
  std::vector<Positions> sent_;  // until the end of the run
  std::vector<runtime::Link*> links_;
  SpanningForest<W> result_;
};

}  // namespace

template <class W>
SpanningForest<W> mst_multi(const std::vector<Device>& devices, const CsrView<W>& graph,
                            const std::vector<edge_t>& first_entries, const ForestSolver<W>& solver,
                            std::size_t memory_limit) {
  return ForestTree<W>(devices, graph, first_entries, solver, memory_limit).run();
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(mst_multi)

}  // namespace warpgraph::mst
