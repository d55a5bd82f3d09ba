// The part of one device in the method "filter": the arrays of a solve and the launches over them.
// Private to mst; mst_cuda.cu has the order of the steps on one device, multi/team/team_forest.cuh
// that on several.
#pragma once

#include "algorithms/mst/filter_boruvka/device/compact_bitmap.cuh"
#include "algorithms/mst/filter_boruvka/device/pass_kernels.cuh"
#include "algorithms/mst/filter_boruvka/device/short_rows.cuh"
#include "algorithms/mst/filter_boruvka/device/single_block_rounds.cuh"
#include "algorithms/mst/filter_boruvka/filter_threshold.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace warpgraph::mst {

/// Bytes for the small arrays, such as the counts per block, and for alignment gaps.
inline constexpr std::size_t small_array_bytes = 32 << 10;

/// Returns the limits of a pass, which costs more, relative to the rounds, than on the CPU.
inline FilterLimits device_filter_limits(std::int64_t n_trees, edge_t n_arcs) {
  const std::int64_t target = std::max(3 * n_trees, n_arcs / 32);
  return {target, target / 2 * 3};
}

/// The counters that the host reads after a pass, and the state that kernels share.
struct Counters {
  unsigned long long n_chosen;
  RoundState state;
};

/// The entries of the rows on a device: those from first_position on, of all n_positions.
struct EntryRange {
  edge_t first_position;
  edge_t n_positions;
};

template <class Bits, class WordRank>
class DevicePasses {
 public:
  using Key = Bits;
  using Low = typename WordRank::Low;

  DevicePasses(const KeyedBits<Bits>& graph, EntryRange entries, std::int64_t capacity,
               bool has_short_rows, const cuda::Stream& stream)
      : graph_(graph),
        entries_(entries),
        capacity_(capacity),
        has_short_rows_(has_short_rows),
        stream_(stream),
        n_compaction_blocks_(blocks_for(compact_bitmap, lanes_for_compaction(n_words()))),
        memory_(lay_out(nullptr), stream) {
    lay_out(memory_.data());
  }

  /// Returns the bytes of all arrays but the list.
  [[nodiscard]] static std::size_t fixed_bytes(vertex_t n_vertices, edge_t n_positions) {
    constexpr std::size_t per_vertex =
        sizeof(vertex_t) + 2 * sizeof(word_t) + (WordRank::has_two_words ? 2 * sizeof(Low) : 0);
    return static_cast<std::size_t>(n_vertices) * per_vertex +
           words_of(n_positions) * sizeof(std::uint64_t) + sizeof(EdgeSample<Key>) +
           small_array_bytes;
  }

  [[nodiscard]] const KeyedBits<Bits>& graph() const { return graph_; }
  [[nodiscard]] EntryRange entries() const { return entries_; }
  [[nodiscard]] std::int64_t capacity() const { return capacity_; }
  [[nodiscard]] const cuda::Stream& stream() const { return stream_; }
  [[nodiscard]] Counters* counters() const { return counters_; }
  [[nodiscard]] std::size_t vertices() const { return static_cast<std::size_t>(graph_.n_vertices); }
  [[nodiscard]] std::size_t n_words() const { return words_of(entries_.n_positions); }
  [[nodiscard]] TreesView<WordRank> trees() const {
    const std::size_t n = vertices();
    return {parent_,
            {min_high_, min_low_},
            {min_high_ + n, WordRank::has_two_words ? min_low_ + n : nullptr},
            {chosen_}};
  }
  [[nodiscard]] EdgeFilter<Bits, WordRank> filter(Rank<Key> begin, Rank<Key> end) const {
    return {graph_, entries_.first_position, is_labelled_ ? parent_ : nullptr,
            WordRank::make(begin.key, begin.position), WordRank::make(end.key, end.position)};
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

  void init_vertices() {
    cuda::fill_bytes(chosen_, 0, n_words(), stream_);
    cuda::launch_for(stream_, graph_.n_vertices, init_singletons<WordRank>, trees(),
                     graph_.n_vertices, &counters_->state);
  }

  /// Resets the lightest edges of all trees.
  void reset(const LightestEdges<WordRank>& edges) const {
    cuda::fill_bytes(edges.high, 0xff, vertices(), stream_);
    if constexpr (WordRank::has_two_words) cuda::fill_bytes(edges.low, 0xff, vertices(), stream_);
  }

  void join_nearest_neighbours() {
    const vertex_t n = graph_.n_vertices;
    cuda::launch_for(stream_, n, point_at_nearest<Bits>, graph_, parent_, BitmapView{chosen_},
                     &counters_->state);
    cuda::launch_for(stream_, n, choose_nearest<Bits>, graph_, parent_, BitmapView{chosen_});
    label();
  }

  void run_first_round() {
    const EdgeFilter<Bits, WordRank> all = filter(graph_.first_rank(), end_rank());
    launch_over_arcs(update_all_minima<Bits, WordRank>, all, trees());
    if constexpr (WordRank::has_two_words) {
      launch_over_arcs(update_all_low<Bits, WordRank>, all, trees());
    }
    launch_over_arcs(hook_along_all<Bits, WordRank>, all, trees());
    label();
  }

  /// Samples the entries that are to be collected from `begin` on. Asynchronous.
  void sample(Rank<Key> begin, std::uint64_t seed) {
    cuda::fill_bytes(sample_, 0, 1, stream_);
    if (graph_.n_arcs == 0) return;
    cuda::launch_for(stream_, std::max<std::int64_t>(graph_.n_vertices, sample_size),
                     sample_edges<Bits, WordRank>, filter(begin, end_rank()),
                     CounterRandom(0, seed), &counters_->state, sample_);
  }
  /// Returns the result of sample(). Waits.
  [[nodiscard]] std::unique_ptr<EdgeSample<Key>> read_sample() const {
    auto sample = std::make_unique<EdgeSample<Key>>();
    cuda::copy(sample.get(), sample_, 1, stream_);
    stream_.synchronize();
    return sample;
  }

  /// Returns a rank after those of all edges.
  [[nodiscard]] Rank<Key> end_rank() const {
    return {std::numeric_limits<Key>::max(), entries_.n_positions};
  }
  [[nodiscard]] bool takes_all(Rank<Key> begin, Rank<Key> end) const {
    return !(graph_.first_rank() < begin) && !(end < end_rank());
  }

  /// Lists the edges between trees from `begin` to before `end`, as many as the list holds.
  void collect_edges(Rank<Key> begin, Rank<Key> end) {
    if (has_short_rows_ && takes_all(begin, end)) {
      launch_resident(collect_from_rows<Bits, WordRank>, graph_.n_vertices, graph_, rounds());
    } else {
      launch_over_arcs(collect<Bits, WordRank>, filter(begin, end), rounds());
    }
  }

  /// Joins the trees along the edges of the list, unless they exceed its capacity.
  void join_along_list() {
    const std::int64_t n_lanes = lanes_for_list();
    if (has_short_rows_) {
      launch_cooperative(join_trees<WordRank, true>, n_lanes, rounds());
    } else {
      launch_cooperative(join_trees<WordRank, false>, n_lanes, rounds());
    }
    cuda::launch(stream_, 1, single_block_threads, sizeof(SharedTrees<WordRank>),
                 join_trees_in_single_block<WordRank>, rounds());
  }
  [[nodiscard]] std::int64_t lanes_for_list() const { return capacity_ / candidates_per_lane + 1; }

  void label() { label(0, graph_.n_vertices); }
  /// Labels the vertices first .. end - 1.
  void label(vertex_t first, vertex_t end) {
    const vertex_t n_lanes = std::max(end - first, 1);  // one at least resets the state
    launch_cooperative(label_with_roots<WordRank>, n_lanes, trees(), first, end, &counters_->state);
    is_labelled_ = true;
  }

  /// Lists the positions of the bits of n words from first_word on, counted from the first bit of
  /// these, in ascending order. Their number becomes n_chosen of the counters.
  void list_positions(std::size_t first_word, std::size_t n, edge_t* positions) {
    cuda::launch_cooperative(stream_, n_compaction_blocks_, cuda::threads_per_block, 0,
                             compact_bitmap,
                             BitmapCompaction{{chosen_ + first_word},
                                              static_cast<std::int64_t>(n),
                                              positions,
                                              block_counts_,
                                              &counters_->n_chosen});
  }

  /// Returns the blocks for a kernel whose threads share n items: at most as many as are resident
  /// at once.
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
  /// Launches a kernel that visits edges, with at most as many warps as steps.
  template <class... Parameters, class... Arguments>
  void launch_over_arcs(void (*kernel)(Parameters...), Arguments&&... arguments) {
    launch_resident(kernel, (graph_.n_arcs + arcs_per_lane - 1) / arcs_per_lane,
                    std::forward<Arguments>(arguments)...);
  }
  /// Launches a kernel with grid-wide barriers.
  template <class... Parameters, class... Arguments>
  void launch_cooperative(void (*kernel)(Parameters...), std::int64_t n, Arguments&&... arguments) {
    cuda::launch_cooperative(stream_, blocks_for(kernel, n), cuda::threads_per_block, 0, kernel,
                             std::forward<Arguments>(arguments)...);
  }

 private:
  [[nodiscard]] static std::size_t words_of(edge_t n_positions) {
    return static_cast<std::size_t>((n_positions + bits_per_word - 1) / bits_per_word);
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

  const KeyedBits<Bits> graph_;
  const EntryRange entries_;
  const std::int64_t capacity_;
  const bool has_short_rows_;  // the first round uses one thread per row
  bool is_labelled_ = false;
  const cuda::Stream& stream_;
  const std::int64_t n_compaction_blocks_;
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

}  // namespace warpgraph::mst
