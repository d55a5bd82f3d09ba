#include "algorithms/pagerank/device_parts.hpp"
#include "algorithms/pagerank/part_exchange.hpp"
#include "algorithms/pagerank/sweep_kernels.cuh"
#include "core/cuda/stream_pool.hpp"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/partition/device_partition.hpp"
#include "runtime/context.hpp"
#include "runtime/devices/array_messages.hpp"

#include <deque>

namespace warpgraph {
namespace pagerank {
namespace {

using runtime::Link;
using runtime::PendingSegment;
using runtime::ref;

enum ResultType : std::int64_t { sweeps_done, scores_of_part };

std::size_t packet_for(std::int64_t n_items) {
  return std::max(runtime::packet_for<double>(n_items), sizeof(Totals) * total_copies);
}

/// One sweep over the rows of a part, whose vertices begin at `first`.
template <class Value, Kept kept>
__global__ void __launch_bounds__(most_threads(kept), 1)
    sweep_part(const __grid_constant__ SweepParameters<Value> all, vertex_t first,
               SweepVectors vectors, Totals* copies) {
  __shared__ SweepState state;
  if (threadIdx.x == 0) state = {vectors.mass, vectors.omega};
  __syncthreads();
  const DeviceContributions<kept> before{vectors.before, 0};
  Totals totals;
  cuda::sum_rows<kept == Kept::octets>(
      all.transposed, all.rows, all.value.with(before),
      UpdateRow{all.update, vectors.before + first, vectors.after + first, state, totals},
      all.segment_sums, cuda::dynamic_shared<cuda::OctetStages>() + threadIdx.x / cuda::warp_lanes);
  add_totals(copies, totals);
}

struct WritePartScores {
  Scores scores;
  double* to;
  __device__ void operator()(std::int64_t v) const { to[v] = scores[v]; }
};

template <class W>
struct Problem {
  const CsrView<W>& transposed;
  const PageRankVectors& vectors;
  const PageRankOptions& options;
  DevicePartition& parts;
};

/// Arrays of one endpoint in the memory of its device.
template <class W>
struct PartArrays {
  CsrView<W> rows;
  // Of the part's vertices; null if there are none:
  double* weight_sums;
  double* personalization;
  double* dangling;
  double* start;
  double* scores;
  std::array<ExchangedArrays, 2> exchanged;
};

/// The rows of one endpoint, and what it has of the vectors.
template <class W, class Value>
class DevicePart {
 public:
  DevicePart(const Problem<W>& problem, int part, Device device, Link& vectors_in, Link& in,
             Link& out, Link& results)
      : problem_(problem),
        part_(part),
        device_(device),
        vectors_in_(vectors_in),
        in_(in),
        results_(results),
        exchange_(problem.parts.parts(), part, total_copies, in, out) {}

  /// For the host's thread.
  void send_vectors(Link& link) const {
    runtime::send_array(link, slice(problem_.vectors.weight_sums), 0);
    runtime::send_array(link, slice(problem_.vectors.personalization), 1);
    runtime::send_array(link, slice(problem_.vectors.dangling), 2);
    runtime::send_array(link, slice(problem_.vectors.start), 3);
    link.shutdown();
  }

  Iteration run() {
    const cuda::BorrowedStream borrowed(device_);
    const cuda::Stream& stream = *borrowed;
    memory_ = std::make_shared<cuda::DeviceBuffer<std::byte>>(array_bytes(), stream);
    cuda::BumpAllocator allocator(memory_->data());
    PartArrays<W> arrays = take_arrays(allocator);
    arrays.rows = problem_.parts.rows(part_, problem_.transposed);
    const std::array<void*, 4> received{arrays.weight_sums, arrays.personalization, arrays.dangling,
                                        arrays.start};
    runtime::receive_arrays(vectors_in_, received, ref(stream));
    exchange_.set_arrays(arrays.exchanged);
    const Iteration last = iterate(arrays, stream);
    const WeightSums weight_sums{arrays.weight_sums, arrays.rows.offsets};
    const double* const found = exchange_.after(last.result).contributions + exchange_.begin();
    cuda::for_each(stream, exchange_.size(), WritePartScores{{weight_sums, found}, arrays.scores});
    runtime::Segment scores = runtime::segment_of(std::span<const double>(arrays.scores, n_rows()),
                                                  exchange_.begin(), device_);
    scores.item_type = scores_of_part;
    results_.send(scores, runtime::EventFuture(runtime::point_on(ref(stream))),
                  std::exchange(memory_, nullptr));
    return last;
  }

  /// On the device beside the rows, with the buffers of links.
  [[nodiscard]] std::size_t bytes() const {
    const CsrPattern rows = problem_.parts.shape(part_);
    return array_bytes() + cuda::RowClasses::bytes_needed(rows) +
           runtime::buffers_per_link * (vectors_in_.packet_size() + in_.packet_size());
  }

 private:
  [[nodiscard]] std::size_t n_rows() const { return static_cast<std::size_t>(exchange_.size()); }
  [[nodiscard]] std::span<const double> slice(std::span<const double> items) const {
    if (items.empty()) return {};
    return items.subspan(static_cast<std::size_t>(exchange_.begin()), n_rows());
  }

  PartArrays<W> take_arrays(cuda::BumpAllocator& memory) const {
    const auto n = static_cast<std::size_t>(problem_.transposed.n_vertices);
    const auto take_slice = [&](std::span<const double> items) {
      return items.empty() ? nullptr : memory.take<double>(n_rows());
    };
    PartArrays<W> arrays{};
    arrays.weight_sums = take_slice(problem_.vectors.weight_sums);
    arrays.personalization = take_slice(problem_.vectors.personalization);
    arrays.dangling = take_slice(problem_.vectors.dangling);
    arrays.start = take_slice(problem_.vectors.start);
    arrays.scores = memory.take<double>(n_rows());
    for (ExchangedArrays& after : arrays.exchanged) {
      after = {memory.take<double>(n), memory.take<Totals>(exchange_.n_totals())};
    }
    return arrays;
  }
  [[nodiscard]] std::size_t array_bytes() const {
    cuda::BumpAllocator sizes;
    take_arrays(sizes);
    return sizes.bytes();
  }

  [[nodiscard]] static Value value_of([[maybe_unused]] const PartArrays<W>& arrays) {
    if constexpr (std::is_same_v<Value, Received<W>>) {
      return {nullptr, arrays.rows.weights};
    } else {
      return {nullptr};
    }
  }

  [[nodiscard]] Update update_of(const PartArrays<W>& arrays) const {
    const std::int64_t n = problem_.transposed.n_vertices;
    const Distribution personalization = distribution(arrays.personalization, n);
    const double alpha = problem_.options.alpha;
    return {personalization,
            problem_.vectors.dangling.empty() ? personalization : distribution(arrays.dangling, n),
            {arrays.weight_sums, arrays.rows.offsets},
            alpha,
            1 - alpha};
  }

  Iteration iterate(const PartArrays<W>& arrays, const cuda::Stream& stream) {
    const CsrPattern& rows = arrays.rows;
    const auto classes = problem_.parts.derived(part_).template get<cuda::RowClasses>(
        0, [&](const cuda::Stream& own) { return cuda::RowClasses(rows, own); });
    const cuda::DeviceBuffer<double> segment_sums(
        static_cast<std::size_t>(classes->view().n_segments), stream);
    SweepParameters<Value> parameters{};
    parameters.transposed = rows;
    parameters.rows = classes->view();
    parameters.value = value_of(arrays);
    parameters.update = update_of(arrays);
    parameters.segment_sums = segment_sums.data();
    const bool stages = octets_if_staged(parameters.rows, stream) == Kept::octets;
    const auto kernel = stages ? sweep_part<Value, Kept::octets> : sweep_part<Value, Kept::nothing>;
    const unsigned most = most_threads(stages ? Kept::octets : Kept::nothing);
    const std::size_t shared = stages ? octet_bytes : 0;
    const std::int64_t blocks = cuda::resident_blocks(stream, kernel, most, shared);
    const unsigned threads = threads_for(rows, parameters.rows, blocks, most);
    const double mass = start(arrays, blocks, threads, stream).mass.value();
    const auto sweep = [&](const Iteration& iteration, double mass_before) {
      const int sweeps = iteration.sweeps + 1;
      cuda::launch_cooperative(stream, blocks, threads, shared, kernel, parameters,
                               exchange_.begin(), exchange_.vectors(iteration, mass_before),
                               zeroed_totals(sweeps, stream));
      return exchange(sweeps, stream);
    };
    return run_sweeps(problem_.options, problem_.transposed.n_vertices, mass, sweep,
                      [&](int sweeps) { report(sweeps); });
  }

  Totals start(const PartArrays<W>& arrays, std::int64_t blocks, unsigned threads,
               const cuda::Stream& stream) {
    const Start visit{distribution(arrays.start, problem_.transposed.n_vertices),
                      {arrays.weight_sums, arrays.rows.offsets},
                      exchange_.after(0).contributions + exchange_.begin()};
    cuda::launch(stream, blocks, threads, 0, start_sweeps, visit,
                 static_cast<std::int64_t>(exchange_.size()), zeroed_totals(0, stream));
    return exchange(0, stream);
  }

  Totals* zeroed_totals(int sweeps, const cuda::Stream& stream) const {
    Totals* const copies = exchange_.own_totals(sweeps);
    cuda::fill_bytes(copies, 0, total_copies, stream);
    return copies;
  }

  /// After the work that is on the stream. Returns the totals of all parts.
  Totals exchange(int sweeps, const cuda::Stream& stream) {
    exchange_.send(sweeps, device_, runtime::EventFuture(runtime::point_on(ref(stream))), memory_);
    exchange_.receive(sweeps, [&](PendingSegment& pending, std::byte* place) {
      pending.wait_into(place, ref(stream));
    });
    cuda::copy(totals_.data(), static_cast<const Totals*>(exchange_.after(sweeps).totals),
               totals_.size(), stream);
    runtime::EventFuture(runtime::point_on(ref(stream))).wait();
    Totals sum;
    for (std::size_t i = 0; i < totals_.size(); ++i) sum.add(totals_[i]);
    return sum;
  }

  /// The first part tells the host.
  void report(int sweeps) {
    if (part_ != 0) return;
    runtime::Segment segment;
    segment.metadata = sweeps;
    segment.item_type = sweeps_done;
    results_.send(segment);
  }

  const Problem<W>& problem_;
  const int part_;
  const Device device_;
  Link& vectors_in_;
  Link& in_;
  Link& results_;
  PartExchange exchange_;
  std::shared_ptr<cuda::DeviceBuffer<std::byte>> memory_;  // until all is delivered
  const cuda::PinnedBuffer<Totals> totals_{exchange_.n_totals()};
};

void receive_results(Link& results, const PageRankOptions& options, std::span<double> scores) {
  while (std::optional<PendingSegment> pending = results.receive()) {
    const runtime::Segment& segment = pending->description();
    if (segment.item_type == sweeps_done) {
      report_progress(segment.metadata, options.max_sweeps);
    } else {
      double* const part = scores.data() + segment.metadata;
      pending->wait_into(reinterpret_cast<std::byte*>(part) + segment.offset);
    }
  }
}

template <class Value, class W>
PageRankResult run_on_devices(const Problem<W>& problem, PageRankScores scores) {
  using namespace runtime;
  const std::vector<Device>& devices = problem.parts.devices();
  const int n = static_cast<int>(devices.size());
  const std::size_t packet = pagerank::packet_for(problem.transposed.n_vertices);
  Context context(devices);
  Router& all = context.router(n, n, broadcast(), "to all parts");
  Router& collect = context.router(n, 1, gather(), "to the host");
  Link& results = context.link(collect, context.host(), packet);
  std::deque<DevicePart<W, Value>> parts;
  std::vector<Link*> vectors;
  for (const Endpoint endpoint : context.endpoints()) {
    vectors.push_back(&context.link(context.host(), endpoint, packet, buffers_per_link));
    parts.emplace_back(problem, endpoint.id, context.device(endpoint), *vectors.back(),
                       context.link(all, endpoint, packet, buffers_per_link),
                       context.link(endpoint, all, packet),
                       context.link(endpoint, collect, packet));
  }
  problem.parts.require_memory(
      "PageRank of a part of the graph", problem.transposed,
      [&](int part) { return parts[static_cast<std::size_t>(part)].bytes(); },
      problem.options.memory_limit);
  Iteration last{};
  context.run(
      [&](Endpoint at) {
        const Iteration found = parts[static_cast<std::size_t>(at.id)].run();
        if (at.id == 0) last = found;
      },
      [&] {
        for (std::size_t i = 0; i < parts.size(); ++i) parts[i].send_vectors(*vectors[i]);
        receive_results(results, problem.options, scores.items);
      });
  report_progress(problem.options.max_sweeps, problem.options.max_sweeps);
  return {last.sweeps, last.change, last.has_converged};
}

}  // namespace
}  // namespace pagerank

template <class W>
PageRankResult pagerank_on_devices(const CsrView<W>& transposed, const PageRankVectors& vectors,
                                   const PageRankOptions& options, PageRankScores scores) {
  using namespace pagerank;
  const Problem<W> problem{transposed, vectors, options, *options.parts};
  return transposed.weights == nullptr ? run_on_devices<ReceivedUnweighted<>>(problem, scores)
                                       : run_on_devices<Received<W>>(problem, scores);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(pagerank_on_devices)

}  // namespace warpgraph
