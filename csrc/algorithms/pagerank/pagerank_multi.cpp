#include "algorithms/pagerank/device_parts.hpp"
#include "algorithms/pagerank/host_sweep.hpp"
#include "algorithms/pagerank/part_exchange.hpp"
#include "graph/partition/partition.hpp"
#include "runtime/context.hpp"

#include <deque>

namespace warpgraph {
namespace pagerank {
namespace {

using runtime::Link;
using runtime::PendingSegment;

constexpr std::size_t packet_size = std::size_t{1} << 20;

/// The arguments that all endpoints read.
struct Problem {
  const CsrPattern& transposed;
  const std::function<SweptRows(const GraphPart&)> rows_of;
  const PageRankOptions& options;
  const PartitionView partition;
  const Start start;  // without an array for the contributions
  const Update update;
  double* const scores;
};

/// The sweeps of one endpoint over the rows of its part.
class PartSweeps {
 public:
  PartSweeps(const Problem& problem, int part, Link& in, Link& out)
      : problem_(problem),
        part_(problem.transposed, problem.partition, part),
        rows_(problem.rows_of(part_)),
        exchange_(problem.partition, part, in, out) {}

  /// Sweeps until convergence, and writes the scores of the part.
  Iteration run(FunctionRef<void(int)> report) {
    const Iteration last = run_sweeps(
        problem_.options, start().mass.value(),
        [&](const Iteration& iteration, double mass) { return sweep(iteration, mass); }, report);
    const Scores scores{problem_.update.weight_sums, exchange_.contributions_after(last.result)};
    for (std::int64_t v = exchange_.begin(); v < exchange_.end(); ++v) {
      problem_.scores[v] = scores[v];
    }
    return last;
  }

 private:
  Totals start() {
    Start visit = problem_.start;
    visit.contributions = exchange_.contributions_after(0);
    Totals totals;
    start_vertices(visit, exchange_.begin(), exchange_.end(),
                   [&](int, const Totals& some) { totals.add(some); });
    return exchange_.exchange(0, totals);
  }

  Totals sweep(const Iteration& iteration, double mass) {
    const SweepVectors vectors{exchange_.contributions_after(iteration.sweeps),
                               exchange_.contributions_after(iteration.sweeps + 1), mass,
                               iteration.acceleration.omega()};
    Totals totals;
    rows_.sweep(exchange_.begin(), problem_.update, vectors,
                [&](int, const Totals& some) { totals.add(some); });
    return exchange_.exchange(iteration.sweeps + 1, totals);
  }

  const Problem& problem_;
  const GraphPart part_;
  const SweptRows rows_;
  PartExchange exchange_;
};

PageRankResult run_on_endpoints(const Problem& problem, const std::vector<Device>& devices) {
  const int n_parts = problem.partition.n_parts;
  runtime::Context context(devices);
  runtime::Router& all = context.router(n_parts, n_parts, runtime::broadcast(), "to all parts");
  std::deque<PartSweeps> parts;
  for (const runtime::Endpoint endpoint : context.endpoints()) {
    parts.emplace_back(problem, endpoint.id, context.link(all, endpoint, packet_size),
                       context.link(endpoint, all, packet_size));
  }
  Link& progress = context.link(context.endpoints().front(), context.host(), 1);
  const int max_sweeps = problem.options.max_sweeps;
  Iteration last{};
  context.run(
      [&](runtime::Endpoint at) {
        PartSweeps& part = parts[static_cast<std::size_t>(at.id)];
        if (at.id > 0) {
          part.run([](int) {});
          return;
        }
        last = part.run([&](int sweeps) {
          runtime::Segment report;
          report.metadata = sweeps;
          progress.send(report);
        });
      },
      [&] {
        while (const std::optional<PendingSegment> pending = progress.receive()) {
          report_progress(pending->description().metadata, max_sweeps);
        }
      });
  report_progress(max_sweeps, max_sweeps);
  return {last.sweeps, last.change, last.has_converged};
}

}  // namespace
}  // namespace pagerank

MemoryNeed need_of_pagerank_on_workers(const CsrPattern& transposed, std::size_t n_workers) {
  return {concat("PageRank on ", n_workers, " endpoints of the host"),
          pagerank::bytes_of_sweeps(transposed, n_workers), "name fewer devices"};
}

template <class W>
PageRankResult pagerank_multi(const CsrView<W>& transposed, const PageRankVectors& vectors,
                              const PageRankOptions& options, PageRankScores scores,
                              const std::vector<Device>& devices) {
  using namespace pagerank;
  const std::int64_t n = transposed.n_vertices;
#if defined(WARPGRAPH_HAS_CUDA)
  if (devices.front().is_cuda()) return pagerank_on_devices(transposed, vectors, options, scores);
#endif
  options.budget.require(need_of_pagerank_on_workers(transposed, devices.size()));
  const WeightSums weight_sums =
      weight_sums_of(transposed, transposed.weights == nullptr, vectors.weight_sums);
  return run_on_endpoints(
      {transposed,
       [&](const GraphPart& part) { return SweptRows(with_weights_of(part, transposed)); },
       options,
       equal_arcs(transposed, static_cast<int>(devices.size())),
       {distribution_of(vectors.start, n), weight_sums, nullptr},
       update_of(vectors, options, weight_sums, n),
       scores.items.data()},
      devices);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(pagerank_multi)

}  // namespace warpgraph
