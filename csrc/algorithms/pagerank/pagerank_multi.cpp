#include "algorithms/pagerank/host_sweep.hpp"
#include "algorithms/pagerank/pagerank.hpp"
#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/partition/partition.hpp"
#include "runtime/context.hpp"

#include <array>
#include <deque>
#include <memory>
#include <optional>

namespace warpgraph {
namespace pagerank {
namespace {

using runtime::Link;
using runtime::PendingSegment;
using runtime::Segment;

constexpr std::size_t packet_size = std::size_t{1} << 20;

/// What segments have. Their metadata is the number of sweeps before.
enum SegmentType : std::int64_t { contributions_of_part, totals_of_part };

/// What all endpoints read.
template <class W>
struct Problem {
  const CsrView<W>& transposed;
  const PageRankVectors& vectors;
  const PageRankOptions& options;
  const PartitionView partition;
  const Start start;  // without an array for the contributions
  const Update update;
  double* const scores;
};

/// What has arrived after one sweep.
struct Arrived {
  std::int64_t vertices = 0;
  int parts = 0;
  Totals totals;
};

/// The sweeps of one endpoint over the rows of its part.
///
/// The arrays of contributions after even and odd numbers of sweeps are overwritten in turns. That
/// needs no wait for deliveries: an endpoint writes those after k + 2 sweeps when it has all parts
/// after k + 1, which others send when they have received its own after k. For the same reason what
/// arrives belongs to this sweep or to the next one, whose array is not read any more by then.
template <class W>
class PartSweeps {
 public:
  PartSweeps(const Problem<W>& problem, int part, Link& in, Link& out)
      : problem_(problem),
        first_(problem.partition.begin(part)),
        last_(problem.partition.end(part)),
        part_(problem.transposed, problem.partition, part),
        rows_(with_weights_of(part_, problem.transposed)),
        blocks_(rows_, work_per_block),
        contributions_{HostArray<double>(n()), HostArray<double>(n())},
        in_(in),
        out_(out) {}

  /// Writes the scores of the part.
  template <class Report>
  Iteration run(const Report& report) {
    const Iteration last = run_sweeps(
        problem_.options, n(), start().mass.value(),
        [&](const Iteration& iteration, double mass) { return sweep(iteration, mass); }, report);
    const Scores scores{problem_.update.weight_sums, contributions_after(last.result)};
    for (std::int64_t v = first_; v < last_; ++v) problem_.scores[v] = scores[v];
    return last;
  }

  static std::size_t bytes(std::int64_t n_vertices) {
    return static_cast<std::size_t>(n_vertices) * 2 * sizeof(double);
  }

 private:
  [[nodiscard]] std::int64_t n() const { return problem_.transposed.n_vertices; }
  [[nodiscard]] double* contributions_after(int sweeps) const {
    return contributions_[static_cast<std::size_t>(sweeps % 2)].get();
  }

  Totals start() {
    Start visit = problem_.start;
    visit.contributions = contributions_after(0);
    Totals totals;
    start_vertices(visit, first_, last_, [&](int, const Totals& some) { totals.add(some); });
    return exchange(0, totals);
  }

  Totals sweep(const Iteration& iteration, double mass) {
    const SweepVectors vectors{contributions_after(iteration.sweeps),
                               contributions_after(iteration.sweeps + 1), mass,
                               iteration.acceleration.omega()};
    Totals totals;
    sweep_rows(rows_, blocks_, first_, problem_.update, vectors,
               [&](int, const Totals& some) { totals.add(some); });
    return exchange(iteration.sweeps + 1, totals);
  }

  /// Sends the contributions of this part to all others, and receives theirs. Returns the totals of
  /// all parts.
  Totals exchange(int sweeps, const Totals& own) {
    const std::span<const double> contributions(contributions_after(sweeps) + first_,
                                                contributions_after(sweeps) + last_);
    out_.send(labelled(runtime::segment_of(contributions, sweeps), contributions_of_part));
    const auto kept = std::make_shared<const Totals>(own);
    const std::span<const Totals> totals(kept.get(), 1);
    out_.send(labelled(runtime::segment_of(totals, sweeps), totals_of_part), {}, kept);
    Arrived& arrived = arrived_[static_cast<std::size_t>(sweeps % 2)];
    while (arrived.parts < problem_.partition.n_parts - 1 ||
           arrived.vertices < n() - (last_ - first_)) {
      std::optional<PendingSegment> pending = in_.receive();
      EXPECTS(pending, "an endpoint of PageRank has ended before the others");
      take(*pending);
    }
    Totals sum = own;
    sum.add(std::exchange(arrived, {}).totals);
    return sum;
  }

  static Segment labelled(Segment segment, SegmentType type) {
    segment.item_type = type;
    return segment;
  }

  void take(PendingSegment& pending) {
    const Segment& segment = pending.description();
    const auto sweeps = static_cast<int>(segment.metadata);
    Arrived& arrived = arrived_[static_cast<std::size_t>(sweeps % 2)];
    if (segment.item_type == totals_of_part) {
      arrived.totals.add(pending.wait_direct().as<Totals>()[0]);
      ++arrived.parts;
      return;
    }
    const auto vertices = static_cast<std::int64_t>(segment.bytes / sizeof(double));
    double* const part = contributions_after(sweeps) + problem_.partition.begin(segment.source.id);
    pending.wait_into(reinterpret_cast<std::byte*>(part) + segment.offset);
    arrived.vertices += vertices;
  }

  const Problem<W>& problem_;
  const vertex_t first_;
  const vertex_t last_;
  const GraphPart part_;
  const CsrView<W> rows_;
  const RowBlocks blocks_;
  const std::array<HostArray<double>, 2> contributions_;
  std::array<Arrived, 2> arrived_;  // after even and odd numbers of sweeps
  Link& in_;
  Link& out_;
};

void require_memory(const CsrPattern& transposed, std::size_t n_endpoints, std::size_t limit) {
  const auto n = static_cast<std::size_t>(transposed.n_vertices);
  const auto work = n + static_cast<std::size_t>(transposed.n_arcs);
  const std::size_t offsets = (n + n_endpoints) * sizeof(edge_t);
  const std::size_t blocks = work / static_cast<std::size_t>(work_per_block) * sizeof(vertex_t);
  MemoryBudget(Device{}, limit)
      .require(concat("PageRank on ", n_endpoints, " endpoints of the host"),
               n_endpoints * 2 * n * sizeof(double) + offsets + blocks, "name fewer devices");
}

}  // namespace
}  // namespace pagerank

template <class W>
PageRankResult pagerank_multi(const CsrView<W>& transposed, const PageRankVectors& vectors,
                              const PageRankOptions& options, PageRankScores scores,
                              const std::vector<Device>& devices) {
  using namespace pagerank;
  require_memory(transposed, devices.size(), options.memory_limit);
  const int n_parts = static_cast<int>(devices.size());
  const std::int64_t n = transposed.n_vertices;
  const WeightSums weight_sums = weight_sums_of(transposed, vectors.weight_sums);
  const Problem<W> problem{transposed,
                           vectors,
                           options,
                           equal_arcs(transposed, n_parts),
                           {distribution_of(vectors.start, n), weight_sums, nullptr},
                           update_of(vectors, options, weight_sums, n),
                           scores.items.data()};
  runtime::Context context(devices);
  runtime::Router& all = context.router(n_parts, n_parts, runtime::broadcast(), "to all parts");
  std::deque<PartSweeps<W>> parts;
  for (const runtime::Endpoint endpoint : context.endpoints()) {
    parts.emplace_back(problem, endpoint.id, context.link(all, endpoint, packet_size),
                       context.link(endpoint, all, packet_size));
  }
  Link& progress = context.link(context.endpoints().front(), context.host(), 1);
  Iteration last{};
  context.run(
      [&](runtime::Endpoint at) {
        PartSweeps<W>& part = parts[static_cast<std::size_t>(at.id)];
        if (at.id > 0) {
          part.run([](int) {});
          return;
        }
        last = part.run([&](int sweeps) {
          Segment report;
          report.metadata = sweeps;
          progress.send(report);
        });
      },
      [&] {
        while (const std::optional<PendingSegment> pending = progress.receive()) {
          report_progress(pending->description().metadata, options.max_sweeps);
        }
      });
  report_progress(options.max_sweeps, options.max_sweeps);
  return {last.sweeps, last.change, last.has_converged};
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(pagerank_multi)

}  // namespace warpgraph
