#include "algorithms/mst/device_rounds.cuh"
#include "algorithms/mst/edge_order.hpp"
#include "algorithms/mst/mst.hpp"
#include "algorithms/mst/portion.hpp"
#include "core/interrupt.hpp"
#include "core/memory_budget.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <bit>
#include <memory>

namespace warpgraph {
namespace {

using namespace mst;

/// Entries that a block looks at before it appends what it found: few enough for the stage to fit
/// shared memory, many enough to pay for finding the block's rows.
constexpr unsigned tile = 4 * cuda::threads_per_block;
constexpr std::int64_t sample_size = 2048;
/// Lists shorter than this are not worth a second pass.
constexpr std::int64_t smallest_capacity = 1 << 16;
/// A list must hold this part of what there may be to collect, or passes would become many.
constexpr std::int64_t smallest_part = 64;

/// For progress: light edges, heavy edges, the order.
constexpr std::int64_t steps_expected = 3;

/// The last of the rows low .. high that starts at or before position e, which lies in one of them.
__device__ vertex_t tail_between(const CsrPattern& graph, vertex_t low, vertex_t high, edge_t e) {
  while (low < high) {
    const vertex_t middle = low + (high - low + 1) / 2;
    if (graph.begin(middle) <= e) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/// The tail of the arc at position e, found by a full warp: each step looks at 32 rows at once and
/// so takes one wait for memory where bisection takes five.
__device__ vertex_t tail_by_warp(const CsrPattern& graph, edge_t e) {
  const auto lane = static_cast<vertex_t>(threadIdx.x % cuda::warp_size);
  // begin(low) <= e < begin(high), where begin(n_vertices) is the end of all rows.
  std::int64_t low = 0;
  std::int64_t high = graph.n_vertices;
  while (high - low > 1) {
    const std::int64_t step = (high - low + cuda::warp_size - 1) / cuda::warp_size;
    const std::int64_t probe = low + (lane + 1) * step;
    const bool at_or_before = probe < high && graph.offsets[probe] <= e;
    // Offsets never fall, so the lanes that say yes come first; the last lane never does.
    const int n = __popc(__ballot_sync(~0u, at_or_before));
    low += n * step;
    high = min(high, low + step);
  }
  return static_cast<vertex_t>(low);
}

/// Collects the edges from `begin` to before `end` that join two trees.
template <class W, class Candidate>
__global__ void collect_candidates(RankedGraph<W> graph, const vertex_t* label,
                                   Rank<order_key_t<W>> begin, Rank<order_key_t<W>> end,
                                   cuda::WorklistView<Candidate> found) {
  __shared__ cuda::BlockStage<Candidate, tile> stage;
  __shared__ vertex_t rows[2];  // of the tile's first and last entry
  stage.open();
  const edge_t stride = static_cast<edge_t>(gridDim.x) * tile;
  for (edge_t first = static_cast<edge_t>(blockIdx.x) * tile; first < graph.n_arcs;
       first += stride) {
    const edge_t last = min(first + static_cast<edge_t>(tile), graph.n_arcs);
    if (const unsigned warp = threadIdx.x / cuda::warp_size; warp < 2) {
      rows[warp] = tail_by_warp(graph, warp == 0 ? first : last - 1);
    }
    __syncthreads();
    for (edge_t e = first + threadIdx.x; e < last; e += blockDim.x) {
      const Rank<order_key_t<W>> rank = graph.rank(e);
      if (rank < begin || !(rank < end)) continue;
      const vertex_t v = graph.heads[e];
      const vertex_t u = tail_between(graph, rows[0], rows[1], e);
      if (v <= u) continue;
      const vertex_t a = label[u];
      const vertex_t b = label[v];
      if (a != b) stage.push(Candidate::make(a, b, rank.key, rank.position));
    }
    stage.flush(found);  // ends with a barrier, so `rows` may change
  }
}

/// How many trees there are, and a sample of what is left to collect.
template <class Key>
struct Survey {
  unsigned long long n_trees;
  unsigned long long n_hits;
  Rank<Key> hits[sample_size];
};

template <class W>
__global__ void take_survey(RankedGraph<W> graph, const vertex_t* label, Rank<order_key_t<W>> begin,
                            CounterRandom random, Survey<order_key_t<W>>* survey) {
  const std::int64_t i = cuda::global_index();
  const int roots = __syncthreads_count(i < graph.n_vertices && label[i] == i);
  if (threadIdx.x == 0) atomicAdd(&survey->n_trees, static_cast<unsigned long long>(roots));
  if (i >= sample_size) return;
  const auto e = static_cast<edge_t>(
      random.below(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(graph.n_arcs)));
  const vertex_t u = tail_between(graph, 0, graph.n_vertices - 1, e);
  const vertex_t v = graph.heads[e];
  const Rank<order_key_t<W>> rank = graph.rank(e);
  if (v > u && label[u] != label[v] && !(rank < begin)) {
    survey->hits[atomicAdd(&survey->n_hits, 1ull)] = rank;
  }
}

template <class W>
__global__ void gather_keys(RankedGraph<W> graph, const edge_t* positions, std::int64_t n,
                            order_key_t<W>* keys) {
  if (const std::int64_t i = cuda::global_index(); i < n) keys[i] = graph.key(positions[i]);
}

template <class W>
__global__ void gather_edges(CsrView<W> graph, const edge_t* positions, std::int64_t n,
                             vertex_t* ends, W* weights) {
  const std::int64_t i = cuda::global_index();
  if (i >= n) return;
  const edge_t e = positions[i];
  ends[2 * i] = tail_between(graph, 0, graph.n_vertices - 1, e);
  ends[2 * i + 1] = graph.heads[e];
  weights[i] = graph.weights[e];
}

/// Runs a CUB algorithm: call(scratch, bytes) is asked for its need, then does the work.
template <class Call>
void with_scratch(const cuda::Stream& stream, Call&& call) {
  const cuda::DeviceGuard guard(stream.device());
  std::size_t bytes = 0;
  CUDA_TRY(call(nullptr, bytes));
  const cuda::DeviceBuffer<std::byte> scratch(bytes, stream);
  CUDA_TRY(call(scratch.data(), bytes));
}

/// Writes n chosen positions to `positions` in Kruskal's order: sorted, then stably by key.
template <class W>
void sort_positions(const RankedGraph<W>& graph, const edge_t* chosen, std::int64_t n,
                    edge_t* positions, const cuda::Stream& stream) {
  using Key = order_key_t<W>;
  if (n == 0) return;
  const auto size = static_cast<std::size_t>(n);
  const cuda::DeviceBuffer<edge_t> sorted(size, stream);
  const int position_bits = std::bit_width(static_cast<std::uint64_t>(graph.n_arcs));
  with_scratch(stream, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, chosen, sorted.data(), n, 0,
                                          position_bits, stream.get());
  });
  const cuda::DeviceBuffer<Key> keys(size, stream);
  const cuda::DeviceBuffer<Key> sorted_keys(size, stream);
  cuda::launch_for(stream, n, gather_keys<W>, graph, sorted.data(), n, keys.data());
  with_scratch(stream, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys.data(), sorted_keys.data(),
                                           sorted.data(), positions, n, 0,
                                           static_cast<int>(8 * sizeof(Key)), stream.get());
  });
}

template <class W, class Candidate>
class Solver {
 public:
  Solver(const CsrView<W>& graph, const MstOptions& options, const cuda::Stream& stream)
      : graph_(graph, options.maximum),
        most_candidates_(options.mirrored ? graph.n_arcs / 2 : graph.n_arcs),
        capacity_(choose_capacity(options.memory_limit, stream.device())),
        limit_(capacity_ >= most_candidates_ ? most_candidates_ : capacity_ / 5 * 4),
        stream_(stream),
        parent_(vertices(), stream),
        high_(vertices(), stream),
        low_(Candidate::has_two_words ? vertices() : 0, stream),
        giant_(1, stream),
        survey_(1, stream),
        lists_(capacity_, stream),
        chosen_(graph.n_vertices, stream) {
    cuda::iota(parent_.data(), graph.n_vertices, stream);
  }

  /// Writes the positions of the forest's edges, in Kruskal's order, and returns their number.
  std::int64_t solve(edge_t* positions) {
    Rank<Key> begin = graph_.first_rank();
    for (std::int64_t step = 0; begin < graph_.end_rank(); ++step) {
      report_progress(std::min(step, steps_expected - 1), steps_expected);
      const Rank<Key> end = choose_end(begin);
      const std::int64_t n = collect(begin, end);
      if (n > capacity_) {
        // The sample erred by a quarter or more, which is rare: draw another, and aim lower.
        limit_ = std::max<std::int64_t>(limit_ / 2, 1);
        continue;
      }
      if (n > 0) join(n);
      begin = end;
    }
    const std::int64_t n_edges = chosen_.size(stream_);
    sort_positions(graph_, chosen_.data(), n_edges, positions, stream_);
    report_progress(steps_expected, steps_expected);
    return n_edges;
  }

 private:
  using Key = order_key_t<W>;

  [[nodiscard]] std::size_t vertices() const { return static_cast<std::size_t>(graph_.n_vertices); }

  /// A pass costs more in relation to the rounds than it does on the CPU.
  [[nodiscard]] Portion choose_portion(std::int64_t n_trees) const {
    const std::int64_t wanted = std::max(3 * n_trees, graph_.n_arcs / 32);
    return {wanted, wanted / 2 * 3};
  }

  /// Candidates to have room for; fewer than is best if memory is short, since more passes do, too.
  [[nodiscard]] std::int64_t choose_capacity(std::size_t memory_limit, Device device) const {
    const std::int64_t best =
        std::max(choose_portion(graph_.n_vertices).at_most / 4 * 5, smallest_capacity);
    const std::int64_t capacity = std::min(best, most_candidates_);
    const std::int64_t least = std::min(capacity, most_candidates_ / smallest_part + 1);
    constexpr std::size_t words = Candidate::has_two_words ? 2 : 1;
    // Parents and minima; the chosen edges, what sorting them takes, and the answer.
    const std::size_t fixed = vertices() * (3 * sizeof(vertex_t) + words * sizeof(word_t) +
                                            4 * sizeof(edge_t) + 4 * sizeof(Key)) +
                              sizeof(Survey<Key>);
    const auto bytes_with = [&](std::int64_t candidates) {
      return fixed + cuda::WorklistPair<Candidate>::bytes(candidates);
    };
    const MemoryBudget budget(device, memory_limit);
    budget.require("a minimum spanning forest", bytes_with(least),
                   "raise memory_limit, clear() graphs that are no longer needed, or use "
                   "device=\"cpu\"");
    const std::size_t have = budget.available();
    if (bytes_with(capacity) <= have) return capacity;
    if (bytes_with(least) >= have) return least;
    return static_cast<std::int64_t>((have - bytes_with(0)) / (2 * sizeof(Candidate)));
  }

  /// Where the pass that starts at `begin` should stop. Waits for the device.
  Rank<Key> choose_end(Rank<Key> begin) {
    if (most_candidates_ <= limit_) return graph_.end_rank();
    cuda::fill_bytes(survey_.data(), 0, 1, stream_);
    cuda::launch_for(stream_, std::max<std::int64_t>(graph_.n_vertices, sample_size),
                     take_survey<W>, graph_, parent_.data(), begin, CounterRandom(0, n_surveys_++),
                     survey_.data());
    const auto survey = std::make_unique<Survey<Key>>();
    cuda::copy(survey.get(), survey_.data(), 1, stream_);
    stream_.synchronize();
    const Portion best = choose_portion(static_cast<std::int64_t>(survey->n_trees));
    const Portion portion{std::min(best.wanted, limit_), std::min(best.at_most, limit_)};
    return end_of_portion(std::vector(survey->hits, survey->hits + survey->n_hits), sample_size,
                          graph_.n_arcs, portion, begin, graph_.end_rank());
  }

  /// Returns how many candidates were found; if that is beyond the capacity, some were not kept.
  std::int64_t collect(Rank<Key> begin, Rank<Key> end) {
    cuda::Worklist<Candidate>& found = lists_.current();
    found.reset(stream_);
    const std::int64_t tiles = (graph_.n_arcs + tile - 1) / tile;
    const auto kernel = collect_candidates<W, Candidate>;
    const std::int64_t blocks =
        std::min(tiles, cuda::resident_blocks(stream_, kernel, cuda::threads_per_block, 0));
    cuda::launch(stream_, blocks, cuda::threads_per_block, 0, kernel, graph_, parent_.data(), begin,
                 end, found.view());
    return static_cast<std::int64_t>(cuda::read_back(found.view().count, stream_));
  }

  /// Joins the trees along the n candidates collected.
  void join(std::int64_t n) {
    const Rounds<Candidate> rounds{graph_,
                                   {parent_.data()},
                                   {high_.data(), low_.data()},
                                   lists_.current().view(),
                                   lists_.next().view(),
                                   chosen_.view(),
                                   giant_.data()};
    const auto kernel = join_trees<Candidate>;
    // No more blocks than there is work for: they wait for each other.
    const std::int64_t useful =
        (std::max<std::int64_t>(n, graph_.n_vertices) + round_tile - 1) / round_tile;
    const std::int64_t blocks =
        std::min(useful, cuda::resident_blocks(stream_, kernel, cuda::threads_per_block, 0));
    cuda::launch_cooperative(stream_, blocks, cuda::threads_per_block, 0, kernel, rounds);
  }

  RankedGraph<W> graph_;
  std::int64_t most_candidates_;
  std::int64_t capacity_;
  std::int64_t limit_;  // candidates to expect at most, so that sampling errors find room
  std::uint64_t n_surveys_ = 0;
  const cuda::Stream& stream_;
  cuda::DeviceBuffer<vertex_t> parent_;  // between the steps the root of each vertex
  cuda::DeviceBuffer<word_t> high_;
  cuda::DeviceBuffer<word_t> low_;
  cuda::DeviceBuffer<vertex_t> giant_;
  cuda::DeviceBuffer<Survey<Key>> survey_;
  cuda::WorklistPair<Candidate> lists_;
  cuda::Worklist<edge_t> chosen_;
};

}  // namespace

template <class W>
std::int64_t mst_cuda(const CsrView<W>& graph, const MstOptions& options, edge_t* positions,
                      const cuda::Stream& stream) {
  if (graph.n_arcs == 0) return 0;
  if constexpr (sizeof(W) == 4) {
    // Position 2^32 - 1 is left out: with the last key it would be no_word.
    if (graph.n_arcs < 0xffffffff) {
      return Solver<W, NarrowCandidate>(graph, options, stream).solve(positions);
    }
  }
  return Solver<W, WideCandidate>(graph, options, stream).solve(positions);
}

template <class W>
SpanningForest<W> mst_cuda_to_host(const CsrView<W>& graph, const MstOptions& options,
                                   const cuda::Stream& stream) {
  const cuda::DeviceBuffer<edge_t> positions(static_cast<std::size_t>(graph.n_vertices), stream);
  const std::int64_t n = mst_cuda(graph, options, positions.data(), stream);
  const auto n_edges = static_cast<std::size_t>(n);
  const cuda::DeviceBuffer<vertex_t> ends(2 * n_edges, stream);
  const cuda::DeviceBuffer<W> weights(n_edges, stream);
  cuda::launch_for(stream, n, gather_edges<W>, graph, positions.data(), n, ends.data(),
                   weights.data());
  SpanningForest<W> forest{HostVector<vertex_t>(2 * n_edges), HostVector<W>(n_edges),
                           HostVector<edge_t>(n_edges)};
  cuda::copy(forest.ends.data(), ends.data(), 2 * n_edges, stream);
  cuda::copy(forest.weights.data(), weights.data(), n_edges, stream);
  cuda::copy(forest.positions.data(), positions.data(), n_edges, stream);
  stream.synchronize();
  return forest;
}

#define WARPGRAPH_INSTANTIATE(W)                                                       \
  template std::int64_t mst_cuda<W>(const CsrView<W>&, const MstOptions&, edge_t*,     \
                                    const cuda::Stream&);                              \
  template SpanningForest<W> mst_cuda_to_host<W>(const CsrView<W>&, const MstOptions&, \
                                                 const cuda::Stream&);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
