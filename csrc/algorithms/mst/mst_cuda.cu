// Cost model. An H200 reads 4.27 TB/s, so one pass over the arcs of rmat 22 (128 million of 8
// bytes) takes at least 0.24 ms, over those of a grid of 4900 x 4900 0.17 ms, of New York's roads
// 0.0014 ms. Looking up the tree of the head of every second arc of rmat 22 is 64 million reads
// from 17 MB: another 0.46 ms at 138 G/s. Measured, from the matrix on the device to the ids on the
// device:
//
//            ny-road   ne-road   grid 2048   grid 4900   ssca2 22   rmat 22   rmat 24
//   int32      0.18      0.35        1.03        5.64       2.83      4.0       16.3   ms
//
// For rmat 22 that is a pass for the light edges (0.7 ms), rounds on those (about 2), labels (0.1),
// a pass for the heavy edges (0.7), rounds on the few of them that join two trees (0.2), and the
// list of ids (0.06). For the northeastern USA's roads (1.5 million vertices, 3.9 million arcs) it
// is two passes for the first round (0.044 ms), labels (0.023), a pass that lists 0.8 million
// candidates (0.044), rounds on those (0.14), the last of them in one block (0.01), and the list of
// ids (0.011): the time is mostly latency of memory and barriers.
#include "algorithms/mst/filter_boruvka/compact_bitmap.cuh"
#include "algorithms/mst/filter_boruvka/filter_threshold.hpp"
#include "algorithms/mst/filter_boruvka/pass_kernels.cuh"
#include "algorithms/mst/filter_boruvka/short_rows.cuh"
#include "algorithms/mst/filter_boruvka/single_block_rounds.cuh"
#include "algorithms/mst/forest_to_host.cuh"
#include "algorithms/mst/mst.hpp"
#include "core/cuda/cub/sort_pairs.hpp"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"

#include <memory>

namespace warpgraph {
namespace {

using namespace mst;

/// Shorter lists are not worth a second pass.
constexpr std::int64_t min_capacity = 1 << 16;
/// A list holds at least this fraction (1 / 64) of the edges to collect, which bounds the passes.
constexpr std::int64_t min_capacity_divisor = 64;

/// Preferred scratch memory, relative to the size of the arcs, where that costs no time.
constexpr double scratch_goal = 1.5;

/// Bytes for the small arrays, such as the counts per block, and for alignment gaps.
constexpr std::size_t small_array_bytes = 32 << 10;

/// For progress: light edges, heavy edges, the order.
constexpr std::int64_t steps_expected = 3;

template <class W>
__global__ void gather_keys(KeyedGraph<W> graph, const edge_t* positions, std::int64_t n,
                            order_key_t<W>* keys) {
  if (const std::int64_t i = cuda::global_index(); i < n) keys[i] = graph.key(positions[i]);
}

__global__ void gather(const edge_t* table, edge_t* positions, std::int64_t n) {
  if (const std::int64_t i = cuda::global_index(); i < n) positions[i] = table[positions[i]];
}

/// The n ascending positions in Kruskal's order: sorted stably by key.
template <class W>
cuda::DeviceBuffer<edge_t> in_kruskals_order(const KeyedGraph<W>& graph, const edge_t* positions,
                                             std::int64_t n, const cuda::Stream& stream) {
  using Key = order_key_t<W>;
  const auto size = static_cast<std::size_t>(n);
  cuda::DeviceBuffer<edge_t> sorted(size, stream);
  if (n == 0) return sorted;
  const cuda::DeviceBuffer<Key> keys(size, stream);
  const cuda::DeviceBuffer<Key> sorted_keys(size, stream);
  cuda::launch_for(stream, n, gather_keys<W>, graph, positions, n, keys.data());
  cuda::sort_pairs(keys.data(), sorted_keys.data(), positions, sorted.data(), n,
                   static_cast<int>(8 * sizeof(Key)), stream);
  return sorted;
}

/// What the host reads after a pass, and the state that kernels share.
struct Counters {
  unsigned long long n_chosen;
  RoundState state;
};

template <class W, class WordRank>
class FilterBoruvkaSolver {
 public:
  FilterBoruvkaSolver(const CsrView<W>& graph, const MstOptions& options,
                      const cuda::Stream& stream)
      : graph_(graph, options.maximum),
        max_candidates_(options.symmetric ? graph.n_arcs / 2 : graph.n_arcs),
        is_sparse_(max_candidates_ <= choose_filter_limits(graph.n_vertices).at_most),
        has_short_rows_(is_sparse_ && options.symmetric && options.longest_row <= max_short_row),
        expected_(is_sparse_ ? preferred_capacity() : max_candidates_),
        capacity_(choose_capacity(options.memory_limit, stream.device())),
        limit_(capacity_ >= expected_ ? expected_ : capacity_ / 5 * 4),
        stream_(stream),
        n_compaction_blocks_(blocks_for(compact_bitmap, lanes_for_compaction(n_words()))),
        memory_(lay_out(nullptr), stream) {
    lay_out(memory_.data());
  }

  /// Writes the positions of the forest's edges in ascending order, and returns their number.
  std::int64_t solve(edge_t* positions) {
    if (has_short_rows_) {
      join_nearest_neighbours();
    } else {
      init_vertices();
      if (is_sparse_) run_first_round();
    }
    Rank<Key> begin = graph_.first_rank();
    for (std::int64_t step = 0;; ++step) {
      report_progress(std::min(step, steps_expected - 1), steps_expected);
      const Rank<Key> end = choose_threshold(begin);
      join(begin, end);
      const bool is_last = !(end < graph_.end_rank());
      if (is_last) list_positions(positions);
      const Counters counters = cuda::read_back(counters_, stream_);
      const bool all_fitted = static_cast<std::int64_t>(counters.state.n_collected) <= capacity_;
      if (all_fitted && is_last) {
        report_progress(steps_expected, steps_expected);
        return static_cast<std::int64_t>(counters.n_chosen);
      }
      label();
      // Otherwise the sample underestimated by a quarter or more, which is rare: sample again, with
      // a lower limit.
      if (all_fitted) {
        begin = end;
      } else {
        limit_ = std::max<std::int64_t>(limit_ / 2, 1);
      }
    }
  }

 private:
  using Key = order_key_t<W>;
  using Low = typename WordRank::Low;

  [[nodiscard]] std::size_t vertices() const { return static_cast<std::size_t>(graph_.n_vertices); }
  [[nodiscard]] std::size_t n_words() const {
    return static_cast<std::size_t>((graph_.n_arcs + bits_per_word - 1) / bits_per_word);
  }
  [[nodiscard]] TreesView<WordRank> trees() const {
    const std::size_t n = vertices();
    return {parent_,
            {min_high_, min_low_},
            {min_high_ + n, WordRank::has_two_words ? min_low_ + n : nullptr},
            {chosen_}};
  }
  [[nodiscard]] EdgeFilter<W, WordRank> filter(Rank<Key> begin, Rank<Key> end) const {
    return {graph_, is_labelled_ ? parent_ : nullptr, WordRank::make(begin.key, begin.position),
            WordRank::make(end.key, end.position)};
  }
  [[nodiscard]] DeviceRounds<WordRank> rounds() const {
    const auto single_block_capacity = static_cast<unsigned>(
        std::min<std::size_t>(max_single_block_candidates,
                              2 * vertices() * sizeof(word_t) / sizeof(DeviceCandidate<WordRank>)));
    RoundState* const state = &counters_->state;
    return {trees(),
            {list_, &state->n_collected, capacity_},
            state,
            reinterpret_cast<DeviceCandidate<WordRank>*>(min_high_),
            single_block_capacity};
  }

  /// Relative to the rounds, a pass costs more than on the CPU.
  [[nodiscard]] FilterLimits choose_filter_limits(std::int64_t n_trees) const {
    const std::int64_t target = std::max(3 * n_trees, graph_.n_arcs / 32);
    return {target, target / 2 * 3};
  }

  [[nodiscard]] std::size_t fixed_bytes() const {
    constexpr std::size_t per_vertex =
        sizeof(vertex_t) + 2 * sizeof(word_t) + (WordRank::has_two_words ? 2 * sizeof(Low) : 0);
    return vertices() * per_vertex + n_words() * sizeof(std::uint64_t) + sizeof(EdgeSample<Key>) +
           small_array_bytes;
  }

  /// Assigns all arrays their place in `memory`; returns the bytes needed.
  std::size_t lay_out(std::byte* memory) {
    const std::size_t n = vertices();
    cuda::BumpAllocator allocator(memory);
    parent_ = allocator.take<vertex_t>(n);
    min_high_ = allocator.take<word_t>(2 * n);
    min_low_ = allocator.take<Low>(WordRank::has_two_words ? 2 * n : 0);
    chosen_ = allocator.take<std::uint64_t>(n_words());
    counters_ = allocator.take<Counters>(1);
    sample_ = allocator.take<EdgeSample<Key>>(1);
    list_ = allocator.take<DeviceCandidate<WordRank>>(static_cast<std::size_t>(capacity_));
    block_counts_ =
        allocator.take<unsigned long long>(static_cast<std::size_t>(n_compaction_blocks_));
    return allocator.bytes();
  }

  /// Capacity of the list if memory is not short. Of a sparse graph's edges, the first round leaves
  /// 46 % (roads) to 60 % (grids), rarely more than four in five: the scratch goal mostly suffices.
  /// If it does not, the list takes two passes.
  [[nodiscard]] std::int64_t preferred_capacity() const {
    std::int64_t best = choose_filter_limits(graph_.n_vertices).at_most / 4 * 5;
    if (is_sparse_) {
      const double arcs = static_cast<double>(graph_.n_arcs) * (sizeof(vertex_t) + sizeof(W));
      const double left = scratch_goal * arcs - static_cast<double>(fixed_bytes());
      best = std::max(static_cast<std::int64_t>(left / sizeof(DeviceCandidate<WordRank>)),
                      max_candidates_ / 3);
    }
    return std::min(std::max(best, min_capacity), max_candidates_);
  }

  /// Capacity of the list; below the preferred one only if memory is short, since it costs passes.
  [[nodiscard]] std::int64_t choose_capacity(std::size_t memory_limit, Device device) const {
    const std::int64_t best = preferred_capacity();
    const std::int64_t min_candidates = std::min(best, max_candidates_ / min_capacity_divisor + 1);
    const auto bytes_with = [&](std::int64_t candidates) {
      return fixed_bytes() +
             static_cast<std::size_t>(candidates) * sizeof(DeviceCandidate<WordRank>);
    };
    const MemoryBudget budget(device, memory_limit);
    if (budget.has(bytes_with(best))) return best;
    budget.require("a minimum spanning forest", bytes_with(min_candidates),
                   "raise memory_limit, clear() graphs that are no longer needed, or use "
                   "device=\"cpu\"");
    const std::size_t available_bytes = budget.available();
    if (bytes_with(min_candidates) >= available_bytes) return min_candidates;
    const std::size_t capacity =
        (available_bytes - fixed_bytes()) / sizeof(DeviceCandidate<WordRank>);
    return std::min(best, static_cast<std::int64_t>(capacity));
  }

  void init_vertices() {
    cuda::fill_bytes(chosen_, 0, n_words(), stream_);
    cuda::launch_for(stream_, graph_.n_vertices, init_singletons<WordRank>, trees(),
                     graph_.n_vertices, &counters_->state);
  }

  void join_nearest_neighbours() {
    const vertex_t n = graph_.n_vertices;
    cuda::launch_for(stream_, n, point_at_nearest<W>, graph_, parent_, BitmapView{chosen_},
                     &counters_->state);
    cuda::launch_for(stream_, n, choose_nearest<W>, graph_, parent_, BitmapView{chosen_});
    label();
  }

  /// Blocks for a kernel whose threads share n items: at most as many as are resident at once.
  template <class... Parameters>
  [[nodiscard]] std::int64_t blocks_for(void (*kernel)(Parameters...), std::int64_t n) const {
    const std::int64_t useful = (n + cuda::threads_per_block - 1) / cuda::threads_per_block;
    return std::min(useful, cuda::resident_blocks(stream_, kernel, cuda::threads_per_block, 0));
  }
  template <class... Parameters, class... Arguments>
  void launch_resident(void (*kernel)(Parameters...), std::int64_t n, Arguments&&... arguments) {
    cuda::launch(stream_, blocks_for(kernel, n), cuda::threads_per_block, 0, kernel,
                 std::forward<Arguments>(arguments)...);
  }
  /// For a kernel that visits edges: at most as many warps as steps.
  template <class... Parameters, class... Arguments>
  void launch_over_arcs(void (*kernel)(Parameters...), Arguments&&... arguments) {
    launch_resident(kernel, (graph_.n_arcs + arcs_per_lane - 1) / arcs_per_lane,
                    std::forward<Arguments>(arguments)...);
  }
  /// For a kernel with grid-wide barriers.
  template <class... Parameters, class... Arguments>
  void launch_cooperative(void (*kernel)(Parameters...), std::int64_t n, Arguments&&... arguments) {
    cuda::launch_cooperative(stream_, blocks_for(kernel, n), cuda::threads_per_block, 0, kernel,
                             std::forward<Arguments>(arguments)...);
  }

  void run_first_round() {
    const EdgeFilter<W, WordRank> all = filter(graph_.first_rank(), graph_.end_rank());
    launch_over_arcs(update_all_minima<W, WordRank>, all, trees());
    if constexpr (WordRank::has_two_words) {
      launch_over_arcs(update_all_low<W, WordRank>, all, trees());
    }
    launch_over_arcs(hook_along_all<W, WordRank>, all, trees());
    label();
  }

  /// The rank before which the pass that starts at `begin` should stop. Waits for the device.
  Rank<Key> choose_threshold(Rank<Key> begin) {
    if (expected_ <= limit_) return graph_.end_rank();
    cuda::fill_bytes(sample_, 0, 1, stream_);
    cuda::launch_for(stream_, std::max<std::int64_t>(graph_.n_vertices, sample_size),
                     sample_edges<W, WordRank>, filter(begin, graph_.end_rank()),
                     CounterRandom(0, n_samples_++), &counters_->state, sample_);
    const auto sample = std::make_unique<EdgeSample<Key>>();
    cuda::copy(sample.get(), sample_, 1, stream_);
    stream_.synchronize();
    const FilterLimits best = choose_filter_limits(static_cast<std::int64_t>(sample->n_trees));
    const FilterLimits limits{std::min(best.target, limit_), std::min(best.at_most, limit_)};
    return filter_threshold(std::vector(sample->hits, sample->hits + sample->n_hits), sample_size,
                            graph_.n_arcs, limits, begin, graph_.end_rank());
  }

  [[nodiscard]] bool takes_all(Rank<Key> begin, Rank<Key> end) const {
    return !(graph_.first_rank() < begin) && !(end < graph_.end_rank());
  }

  /// Joins the trees along the edges from `begin` to before `end`, unless they exceed the list's
  /// capacity.
  void join(Rank<Key> begin, Rank<Key> end) {
    poll();
    if (has_short_rows_ && takes_all(begin, end)) {
      launch_resident(collect_from_rows<W, WordRank>, graph_.n_vertices, graph_, rounds());
    } else {
      launch_over_arcs(collect<W, WordRank>, filter(begin, end), rounds());
    }
    const std::int64_t n_lanes = capacity_ / candidates_per_lane + 1;
    if (has_short_rows_) {
      launch_cooperative(join_trees<WordRank, true>, n_lanes, rounds());
    } else {
      launch_cooperative(join_trees<WordRank, false>, n_lanes, rounds());
    }
    cuda::launch(stream_, 1, single_block_threads, sizeof(SharedTrees<WordRank>),
                 join_trees_in_single_block<WordRank>, rounds());
  }

  void label() {
    const vertex_t n = graph_.n_vertices;
    launch_cooperative(label_with_roots<WordRank>, n, trees(), n, &counters_->state);
    is_labelled_ = true;
  }

  void list_positions(edge_t* positions) {
    const auto words = static_cast<std::int64_t>(n_words());
    cuda::launch_cooperative(
        stream_, n_compaction_blocks_, cuda::threads_per_block, 0, compact_bitmap,
        BitmapCompaction{{chosen_}, words, positions, block_counts_, &counters_->n_chosen});
  }

  KeyedGraph<W> graph_;
  std::int64_t max_candidates_;
  bool is_sparse_;         // no filter: after the first round one pass lists all candidates
  bool has_short_rows_;    // and that round uses one thread per row
  std::int64_t expected_;  // candidates to list if there is no filter
  std::int64_t capacity_;
  std::int64_t limit_;  // largest estimate of candidates in a pass; below the capacity because of
                        // sampling errors
  std::uint64_t n_samples_ = 0;
  bool is_labelled_ = false;
  const cuda::Stream& stream_;
  std::int64_t n_compaction_blocks_;
  cuda::DeviceBuffer<std::byte> memory_;  // holds all arrays below
  vertex_t* parent_;                      // once labelled: between passes, the root of each vertex
  word_t* min_high_;                      // of this round, then of the next
  Low* min_low_;
  std::uint64_t* chosen_;
  Counters* counters_;
  EdgeSample<Key>* sample_;
  DeviceCandidate<WordRank>* list_;
  unsigned long long* block_counts_;
};

}  // namespace

template <class W>
std::int64_t mst_cuda(const CsrView<W>& graph, const MstOptions& options, edge_t* positions,
                      const cuda::Stream& stream) {
  if (graph.n_arcs == 0) return 0;
  // Position 2^32 - 1 is excluded: no_low is all ones.
  if (graph.n_arcs >= 0xffffffff) {
    return FilterBoruvkaSolver<W, WideRank<std::uint64_t>>(graph, options, stream).solve(positions);
  }
  using WordRank = std::conditional_t<sizeof(W) == 4, NarrowRank, WideRank<std::uint32_t>>;
  return FilterBoruvkaSolver<W, WordRank>(graph, options, stream).solve(positions);
}

void gather_on_device(std::span<const edge_t> table, edge_t* positions, std::int64_t n,
                      const cuda::Stream& stream) {
  MemoryBudget(stream.device())
      .require("naming the edges of a spanning forest", table.size_bytes(),
               "clear() graphs that are no longer needed, or leave out out=");
  const cuda::DeviceBuffer<edge_t> device_table = cuda::to_device(table, stream);
  cuda::launch_for(stream, n, gather, device_table.data(), positions, n);
  stream.synchronize();
}

template <class W>
SpanningForest<W> mst_cuda_to_host(const CsrView<W>& graph, const MstOptions& options,
                                   const cuda::Stream& stream, const edge_t* originals) {
  const cuda::DeviceBuffer<edge_t> ascending(static_cast<std::size_t>(graph.n_vertices), stream);
  const std::int64_t n = mst_cuda(graph, options, ascending.data(), stream);
  const cuda::DeviceBuffer<edge_t> positions =
      in_kruskals_order(KeyedGraph<W>(graph, options.maximum), ascending.data(), n, stream);
  return forest_to_host(graph, positions.data(), n, stream, originals);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(mst_cuda)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(mst_cuda_to_host)

}  // namespace warpgraph
