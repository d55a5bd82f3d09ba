// What it takes. An H200 reads 4.27 TB in a second, so one pass over the arcs of rmat 22 (128
// million of 8 bytes) takes 0.24 ms at least, over those of a grid of 4900 x 4900 0.17 ms, of New
// York's roads 0.0014 ms. Looking up the tree of the head of every second arc of rmat 22 is 64
// million reads from 17 MB, another 0.46 ms at 138 G/s. Measured, from the matrix on the device to
// the ids there:
//
//            ny-road   ne-road   grid 2048   grid 4900   ssca2 22   rmat 22   rmat 24
//   int32      0.18      0.35        1.03        5.64       2.83      4.0       16.3   ms
//
// For rmat 22 that is a pass for the light edges (0.7 ms), rounds on those (about 2), labels (0.1),
// a pass for the heavy edges (0.7), rounds on the few of them that join two trees (0.2), and the
// list of ids (0.06). For the northeastern USA's roads (1.5 million vertices, 3.9 million arcs) it
// is two passes for the first round (0.044 ms), labels (0.023), a pass that lists 0.8 million
// candidates (0.044), rounds on those (0.14), the last of them in one block (0.01), and the list of
// ids (0.011): threads mostly wait for memory and each other.
#include "algorithms/mst/filter_boruvka/device_ids.cuh"
#include "algorithms/mst/filter_boruvka/device_last_rounds.cuh"
#include "algorithms/mst/filter_boruvka/device_passes.cuh"
#include "algorithms/mst/filter_boruvka/device_rows.cuh"
#include "algorithms/mst/filter_boruvka/portion.hpp"
#include "algorithms/mst/forest_to_host.cuh"
#include "algorithms/mst/mst.hpp"
#include "core/cuda/memory/scratch.cuh"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <memory>

namespace warpgraph {
namespace {

using namespace mst;

/// Lists shorter than this are not worth a second pass.
constexpr std::int64_t smallest_capacity = 1 << 16;
/// A list must hold this part of what there may be to collect, or passes would become many.
constexpr std::int64_t smallest_part = 64;

/// Scratch memory to make do with, in sizes of the arcs, where that costs no time.
constexpr double memory_goal = 1.5;

/// What few items take, counts of blocks among them, and the gaps between arrays.
constexpr std::size_t small_arrays = 32 << 10;

/// For progress: light edges, heavy edges, the order.
constexpr std::int64_t steps_expected = 3;

template <class W>
__global__ void gather_keys(RankedGraph<W> graph, const edge_t* positions, std::int64_t n,
                            order_key_t<W>* keys) {
  if (const std::int64_t i = cuda::global_index(); i < n) keys[i] = graph.key(positions[i]);
}

__global__ void look_up(const edge_t* table, edge_t* positions, std::int64_t n) {
  if (const std::int64_t i = cuda::global_index(); i < n) positions[i] = table[positions[i]];
}

/// The n positions, which rise, in Kruskal's order: sorted stably by key.
template <class W>
cuda::DeviceBuffer<edge_t> in_kruskals_order(const RankedGraph<W>& graph, const edge_t* positions,
                                             std::int64_t n, const cuda::Stream& stream) {
  using Key = order_key_t<W>;
  const auto size = static_cast<std::size_t>(n);
  cuda::DeviceBuffer<edge_t> sorted(size, stream);
  if (n == 0) return sorted;
  const cuda::DeviceBuffer<Key> keys(size, stream);
  const cuda::DeviceBuffer<Key> sorted_keys(size, stream);
  cuda::launch_for(stream, n, gather_keys<W>, graph, positions, n, keys.data());
  cuda::with_scratch(stream, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys.data(), sorted_keys.data(),
                                           positions, sorted.data(), n, 0,
                                           static_cast<int>(8 * sizeof(Key)), stream.get());
  });
  return sorted;
}

/// What the host wants to know of a solve, and what kernels tell each other.
struct Counters {
  unsigned long long n_chosen;
  RoundState state;
};

template <class W, class WordRank>
class Solver {
 public:
  Solver(const CsrView<W>& graph, const MstOptions& options, const cuda::Stream& stream)
      : graph_(graph, options.maximum),
        most_candidates_(options.mirrored ? graph.n_arcs / 2 : graph.n_arcs),
        is_sparse_(most_candidates_ <= choose_portion(graph.n_vertices).at_most),
        has_short_rows_(is_sparse_ && options.mirrored && options.longest_row <= longest_short_row),
        expected_(is_sparse_ ? choose_best_capacity() : most_candidates_),
        capacity_(choose_capacity(options.memory_limit, stream.device())),
        limit_(capacity_ >= expected_ ? expected_ : capacity_ / 5 * 4),
        stream_(stream),
        n_listing_blocks_(blocks_for(list_chosen, lanes_to_list(n_words()))),
        memory_(lay_out(nullptr), stream) {
    lay_out(memory_.data());
  }

  /// Writes the positions of the forest's edges, which rise, and returns their number.
  std::int64_t solve(edge_t* positions) {
    if (has_short_rows_) {
      join_nearest_neighbours();
    } else {
      begin_with_vertices();
      if (is_sparse_) join_first_edges();
    }
    Rank<Key> begin = graph_.first_rank();
    for (std::int64_t step = 0;; ++step) {
      report_progress(std::min(step, steps_expected - 1), steps_expected);
      const Rank<Key> end = choose_end(begin);
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
      // Else the sample erred by a quarter or more, which is rare: draw another, and aim lower.
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
    return static_cast<std::size_t>((graph_.n_arcs + bits_a_word - 1) / bits_a_word);
  }
  [[nodiscard]] Trees<WordRank> trees() const {
    const std::size_t n = vertices();
    return {parent_,
            {firsts_, lows_},
            {firsts_ + n, WordRank::has_two_words ? lows_ + n : nullptr},
            {chosen_}};
  }
  [[nodiscard]] Scope<W, WordRank> scope(Rank<Key> begin, Rank<Key> end) const {
    return {graph_, is_labelled_ ? parent_ : nullptr, WordRank::make(begin.key, begin.position),
            WordRank::make(end.key, end.position)};
  }
  [[nodiscard]] Rounds<WordRank> rounds() const {
    const auto room_for_last = static_cast<unsigned>(std::min<std::size_t>(
        most_at_last, 2 * vertices() * sizeof(word_t) / sizeof(Candidate<WordRank>)));
    RoundState* const state = &counters_->state;
    return {trees(),
            {list_, &state->n_collected, capacity_},
            state,
            reinterpret_cast<Candidate<WordRank>*>(firsts_),
            room_for_last};
  }

  /// A pass costs more in relation to the rounds than it does on the CPU.
  [[nodiscard]] Portion choose_portion(std::int64_t n_trees) const {
    const std::int64_t wanted = std::max(3 * n_trees, graph_.n_arcs / 32);
    return {wanted, wanted / 2 * 3};
  }

  [[nodiscard]] std::size_t fixed_bytes() const {
    constexpr std::size_t a_vertex =
        sizeof(vertex_t) + 2 * sizeof(word_t) + (WordRank::has_two_words ? 2 * sizeof(Low) : 0);
    return vertices() * a_vertex + n_words() * sizeof(std::uint64_t) + sizeof(Survey<Key>) +
           small_arrays;
  }

  /// Places all arrays in `memory`; returns the bytes that they take.
  std::size_t lay_out(std::byte* memory) {
    const std::size_t n = vertices();
    cuda::Carver carver(memory);
    parent_ = carver.take<vertex_t>(n);
    firsts_ = carver.take<word_t>(2 * n);
    lows_ = carver.take<Low>(WordRank::has_two_words ? 2 * n : 0);
    chosen_ = carver.take<std::uint64_t>(n_words());
    counters_ = carver.take<Counters>(1);
    survey_ = carver.take<Survey<Key>>(1);
    list_ = carver.take<Candidate<WordRank>>(static_cast<std::size_t>(capacity_));
    block_counts_ = carver.take<unsigned long long>(static_cast<std::size_t>(n_listing_blocks_));
    return carver.bytes();
  }

  /// Candidates to list where memory is not short. Of a sparse graph's edges, the first round
  /// leaves 46 % (roads) to 60 % (grids), rarely more than four in five: what the goal leaves room
  /// for mostly suffices. If it does not, the list takes two passes.
  [[nodiscard]] std::int64_t choose_best_capacity() const {
    std::int64_t best = choose_portion(graph_.n_vertices).at_most / 4 * 5;
    if (is_sparse_) {
      const double arcs = static_cast<double>(graph_.n_arcs) * (sizeof(vertex_t) + sizeof(W));
      const double left = memory_goal * arcs - static_cast<double>(fixed_bytes());
      best = std::max(static_cast<std::int64_t>(left / sizeof(Candidate<WordRank>)),
                      most_candidates_ / 3);
    }
    return std::min(std::max(best, smallest_capacity), most_candidates_);
  }

  /// Candidates to have room for; fewer than is best if memory is short, since more passes do, too.
  [[nodiscard]] std::int64_t choose_capacity(std::size_t memory_limit, Device device) const {
    const std::int64_t best = choose_best_capacity();
    const std::int64_t least = std::min(best, most_candidates_ / smallest_part + 1);
    const auto bytes_with = [&](std::int64_t candidates) {
      return fixed_bytes() + static_cast<std::size_t>(candidates) * sizeof(Candidate<WordRank>);
    };
    const MemoryBudget budget(device, memory_limit);
    if (budget.has(bytes_with(best))) return best;
    budget.require("a minimum spanning forest", bytes_with(least),
                   "raise memory_limit, clear() graphs that are no longer needed, or use "
                   "device=\"cpu\"");
    const std::size_t have = budget.available();
    if (bytes_with(least) >= have) return least;
    const std::size_t room = (have - fixed_bytes()) / sizeof(Candidate<WordRank>);
    return std::min(best, static_cast<std::int64_t>(room));
  }

  void begin_with_vertices() {
    cuda::fill_bytes(chosen_, 0, n_words(), stream_);
    cuda::launch_for(stream_, graph_.n_vertices, separate_vertices<WordRank>, trees(),
                     graph_.n_vertices, &counters_->state);
  }

  void join_nearest_neighbours() {
    const vertex_t n = graph_.n_vertices;
    cuda::launch_for(stream_, n, point_at_nearest<W>, graph_, parent_, BitmapView{chosen_},
                     &counters_->state);
    cuda::launch_for(stream_, n, choose_nearest<W>, graph_, parent_, BitmapView{chosen_});
    label();
  }

  /// Blocks for a kernel whose threads share n items: no more than run at the same time.
  template <class... Parameters>
  [[nodiscard]] std::int64_t blocks_for(void (*kernel)(Parameters...), std::int64_t n) const {
    const std::int64_t useful = (n + cuda::threads_per_block - 1) / cuda::threads_per_block;
    return std::min(useful, cuda::resident_blocks(stream_, kernel, cuda::threads_per_block, 0));
  }
  template <class... Parameters, class... Arguments>
  void launch_at_once(void (*kernel)(Parameters...), std::int64_t n, Arguments&&... arguments) {
    cuda::launch(stream_, blocks_for(kernel, n), cuda::threads_per_block, 0, kernel,
                 std::forward<Arguments>(arguments)...);
  }
  /// A kernel that visits edges: no more warps than there are steps.
  template <class... Parameters, class... Arguments>
  void launch_over_arcs(void (*kernel)(Parameters...), Arguments&&... arguments) {
    launch_at_once(kernel, (graph_.n_arcs + arcs_a_lane - 1) / arcs_a_lane,
                   std::forward<Arguments>(arguments)...);
  }
  /// A kernel whose blocks wait for each other.
  template <class... Parameters, class... Arguments>
  void launch_together(void (*kernel)(Parameters...), std::int64_t n, Arguments&&... arguments) {
    cuda::launch_cooperative(stream_, blocks_for(kernel, n), cuda::threads_per_block, 0, kernel,
                             std::forward<Arguments>(arguments)...);
  }

  void join_first_edges() {
    const Scope<W, WordRank> all = scope(graph_.first_rank(), graph_.end_rank());
    launch_over_arcs(offer_all<W, WordRank>, all, trees());
    if constexpr (WordRank::has_two_words) {
      launch_over_arcs(offer_all_low<W, WordRank>, all, trees());
    }
    launch_over_arcs(choose_from_all<W, WordRank>, all, trees());
    label();
  }

  /// Where the pass that starts at `begin` should stop. Waits for the device.
  Rank<Key> choose_end(Rank<Key> begin) {
    if (expected_ <= limit_) return graph_.end_rank();
    cuda::fill_bytes(survey_, 0, 1, stream_);
    cuda::launch_for(stream_, std::max<std::int64_t>(graph_.n_vertices, sample_size),
                     take_survey<W, WordRank>, scope(begin, graph_.end_rank()),
                     CounterRandom(0, n_surveys_++), &counters_->state, survey_);
    const auto survey = std::make_unique<Survey<Key>>();
    cuda::copy(survey.get(), survey_, 1, stream_);
    stream_.synchronize();
    const Portion best = choose_portion(static_cast<std::int64_t>(survey->n_trees));
    const Portion portion{std::min(best.wanted, limit_), std::min(best.at_most, limit_)};
    return end_of_portion(std::vector(survey->hits, survey->hits + survey->n_hits), sample_size,
                          graph_.n_arcs, portion, begin, graph_.end_rank());
  }

  [[nodiscard]] bool takes_all(Rank<Key> begin, Rank<Key> end) const {
    return !(graph_.first_rank() < begin) && !(end < graph_.end_rank());
  }

  /// Joins the trees along the edges from `begin` to before `end`, unless there are too many for
  /// the list.
  void join(Rank<Key> begin, Rank<Key> end) {
    poll();
    if (has_short_rows_ && takes_all(begin, end)) {
      launch_at_once(collect_from_rows<W, WordRank>, graph_.n_vertices, graph_, rounds());
    } else {
      launch_over_arcs(collect<W, WordRank>, scope(begin, end), rounds());
    }
    const std::int64_t n_lanes = capacity_ / candidates_a_lane + 1;
    if (has_short_rows_) {
      launch_together(join_trees<WordRank, true>, n_lanes, rounds());
    } else {
      launch_together(join_trees<WordRank, false>, n_lanes, rounds());
    }
    cuda::launch(stream_, 1, threads_at_last, sizeof(LastTrees<WordRank>),
                 join_last_trees<WordRank>, rounds());
  }

  void label() {
    const vertex_t n = graph_.n_vertices;
    launch_together(label_with_roots<WordRank>, n, trees(), n, &counters_->state);
    is_labelled_ = true;
  }

  void list_positions(edge_t* positions) {
    const auto words = static_cast<std::int64_t>(n_words());
    cuda::launch_cooperative(
        stream_, n_listing_blocks_, cuda::threads_per_block, 0, list_chosen,
        ChosenList{{chosen_}, words, positions, block_counts_, &counters_->n_chosen});
  }

  RankedGraph<W> graph_;
  std::int64_t most_candidates_;
  bool is_sparse_;         // all edges are one portion; most_candidates_ are listed after a round
  bool has_short_rows_;    // and that round goes by rows
  std::int64_t expected_;  // candidates to list if all are listed at once
  std::int64_t capacity_;
  std::int64_t limit_;  // candidates to expect at most, so that sampling errors find room
  std::uint64_t n_surveys_ = 0;
  bool is_labelled_ = false;
  const cuda::Stream& stream_;
  std::int64_t n_listing_blocks_;
  cuda::DeviceBuffer<std::byte> memory_;  // for all that follows
  vertex_t* parent_;                      // once labelled, between passes the root of each vertex
  word_t* firsts_;                        // of this round, then of the next
  Low* lows_;
  std::uint64_t* chosen_;
  Counters* counters_;
  Survey<Key>* survey_;
  Candidate<WordRank>* list_;
  unsigned long long* block_counts_;
};

}  // namespace

template <class W>
std::int64_t mst_cuda(const CsrView<W>& graph, const MstOptions& options, edge_t* positions,
                      const cuda::Stream& stream) {
  if (graph.n_arcs == 0) return 0;
  // Position 2^32 - 1 is left out: no position is all ones.
  if (graph.n_arcs >= 0xffffffff) {
    return Solver<W, WideRank<std::uint64_t>>(graph, options, stream).solve(positions);
  }
  using WordRank = std::conditional_t<sizeof(W) == 4, NarrowRank, WideRank<std::uint32_t>>;
  return Solver<W, WordRank>(graph, options, stream).solve(positions);
}

void look_up_on_device(std::span<const edge_t> table, edge_t* positions, std::int64_t n,
                       const cuda::Stream& stream) {
  MemoryBudget(stream.device())
      .require("naming the edges of a spanning forest", table.size_bytes(),
               "clear() graphs that are no longer needed, or leave out out=");
  const cuda::DeviceBuffer<edge_t> there = cuda::to_device(table, stream);
  cuda::launch_for(stream, n, look_up, there.data(), positions, n);
  stream.synchronize();
}

template <class W>
SpanningForest<W> mst_cuda_to_host(const CsrView<W>& graph, const MstOptions& options,
                                   const cuda::Stream& stream) {
  const cuda::DeviceBuffer<edge_t> rising(static_cast<std::size_t>(graph.n_vertices), stream);
  const std::int64_t n = mst_cuda(graph, options, rising.data(), stream);
  const cuda::DeviceBuffer<edge_t> positions =
      in_kruskals_order(RankedGraph<W>(graph, options.maximum), rising.data(), n, stream);
  return forest_to_host(graph, positions.data(), n, stream);
}

#define WARPGRAPH_INSTANTIATE(W)                                                       \
  template std::int64_t mst_cuda<W>(const CsrView<W>&, const MstOptions&, edge_t*,     \
                                    const cuda::Stream&);                              \
  template SpanningForest<W> mst_cuda_to_host<W>(const CsrView<W>&, const MstOptions&, \
                                                 const cuda::Stream&);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
