// Contraction in rounds; a round contracts an independent set of vertices. The hierarchy depends on
// the graph alone, not on the number of threads: a round reads only the rows that the previous
// round left, and the edges that it adds to a row are sorted and merged.
#pragma once

#include "algorithms/hierarchy/hierarchy.hpp"
#include "algorithms/hierarchy/k_core.hpp"
#include "algorithms/hierarchy/witness_search.hpp"
#include "core/atomics.hpp"
#include "core/containers/at.hpp"
#include "core/error.hpp"
#include "core/threads/parallel.hpp"

#include <atomic>
#include <cmath>
#include <stdexcept>

namespace warpgraph::hierarchy_detail {

/// The weight of the degree in a vertex's priority, degree_weight * degree + level. Where degrees
/// are equal, the level term balances the levels, so sweeps have fewer of them. On roads, 1 gives a
/// sixth fewer levels and 4 % more arcs than 4; 8 saves 0.2 % of the arcs.
inline constexpr std::uint32_t degree_weight = 4;
/// Edges that a witness search may scan: a base, and more for vertices of high degree, where
/// superfluous shortcuts multiply. On a 500 x 500 grid, 100 per neighbour instead of 300 makes
/// twice the work and 3 % more arcs; on roads it does not matter.
inline constexpr std::int64_t base_scan_limit = 300;
inline constexpr std::int64_t scan_limit_per_neighbour = 300;
/// The core's table may have 1/core_table_divisor of the hierarchy's arcs, and always
/// small_core_table: that is little work for a sweep, and saves the most expensive contractions and
/// the narrowest levels.
inline constexpr std::int64_t core_table_divisor = 16;
inline constexpr std::int64_t small_core_table = 1 << 16;
/// The mean degrees beyond which contraction ends while more than half of the vertices remain,
/// while more than an eighth remains, and later. New York's roads reach 4, 7 and 19; a 500 x 500
/// grid reaches 7, 13 and 55.
inline constexpr double max_mean_degree[] = {16, 32, 100};
/// The edges that witness searches may scan for each vertex and edge of the graph: while more than
/// an eighth of the vertices remains, and in total. Contraction ends with more. New York's roads
/// take 12 and 50, that grid 100 and 500.
inline constexpr std::int64_t max_scans_per_item[] = {200, 4000};
/// The vertices up to which a core is always accepted: its table takes a second.
inline constexpr std::int64_t small_core = 1024;
/// Power-law graphs are refused before contraction if their k-core has thousands of vertices, a
/// mean degree above k_core_mean_degree and a hub of k_core_hub_factor times the mean degree: no
/// contraction order reduces it. The core of a graph of cliques has no hubs; it is contracted well.
inline constexpr std::int32_t k_core_degree = 16;
inline constexpr double k_core_mean_degree = 32;
inline constexpr std::int64_t k_core_hub_factor = 8;

/// Returns a bijective hash of vertex numbers.
inline std::uint32_t scrambled(vertex_t v) noexcept {
  auto x = static_cast<std::uint32_t>(v);
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  return x ^ (x >> 16);
}

template <class Edge>
class VertexContraction {
 public:
  using W = typename Edge::Weight;
  static constexpr std::size_t bytes_per_vertex = 64;  // rows, levels, lists of a round
  static constexpr std::size_t bytes_per_thread = std::size_t{1} << 16;  // mainly a witness search
  /// Bytes of a thread with the first blocks of its arenas.
  static constexpr std::size_t bytes_per_thread_at_most =
      bytes_per_thread + Arena<Edge>::block_size * (2 * sizeof(Edge) + sizeof(std::int32_t));

  /// Charges memory to `meter`, which must outlive this.
  VertexContraction(vertex_t n_vertices, MemoryMeter& meter)
      : meter_(charge_fixed_memory(meter, n_vertices)),
        n_vertices_(n_vertices),
        rows_(at(n_vertices)),
        levels_(at(n_vertices)),
        keys_(at(n_vertices)),
        chosen_index_(at(n_vertices), not_chosen),
        changed_marks_(at(n_vertices)),
        states_(at(num_threads())) {}

  /// Loads the graph; collect(v, edges) appends the edges of v in any order.
  template <class Collect>
  void load(Collect&& collect) {
    parallel_blocks(n_vertices_, 512, [&](int thread, std::int64_t first, std::int64_t last) {
      ThreadState& state = states_[at(thread)];
      for (std::int64_t v = first; v < last; ++v) {
        state.edges.clear();
        collect(static_cast<vertex_t>(v), state.edges);
        merge_parallel_edges(state.edges);
        state.n_loaded += static_cast<std::int64_t>(state.edges.size());
        rows_[at(v)].assign(state.edges, state.arena, meter_);
      }
    });
  }

  void run(vertex_t core_vertices) {
    input_size_ = n_vertices_;
    for (const ThreadState& state : states_) input_size_ += state.n_loaded;
    remaining_.resize(at(n_vertices_));
    parallel_for(n_vertices_, [&](std::int64_t v) {
      remaining_[at(v)] = static_cast<vertex_t>(v);
      set_key(static_cast<vertex_t>(v));
    });
    if (core_vertices == 0) check_k_core();
    while (!is_done(core_vertices)) {
      choose_local_minima();
      contract_chosen();
      rebuild_changed();
      drop_chosen();
      report_progress(n_vertices_ - n_remaining(), n_vertices_);
    }
    report_progress(n_vertices_, n_vertices_);  // those of the core stay
  }

  /// Returns the vertices that were not contracted.
  [[nodiscard]] const std::vector<vertex_t>& core() const noexcept { return remaining_; }
  /// Returns a contracted vertex's edges to higher vertices; a core vertex's edges within the core.
  [[nodiscard]] const Row<Edge>& row(vertex_t v) const { return rows_[at(v)]; }
  /// Returns the level of a vertex, which is larger than the levels of all lower neighbours.
  [[nodiscard]] std::int32_t level(vertex_t v) const { return levels_[at(v)]; }
  /// Returns the rounded additions by which a path's length may differ from the sum of its weights.
  [[nodiscard]] double rounding_units() const noexcept { return rounding_units_; }

 private:
  static constexpr std::int32_t not_chosen = -1;

  /// The shortcuts of a contracted vertex: edges[offsets[i]..offsets[i+1]] belong to its i-th
  /// neighbour.
  struct Shortcuts {
    const Edge* edges = nullptr;
    const std::int32_t* offsets = nullptr;
  };

  /// Lists and searches of one thread, without false sharing.
  struct alignas(64) ThreadState {
    Arena<Edge> arena;
    Arena<Edge> shortcuts;
    Arena<std::int32_t> offsets;
    WitnessSearch<W> search;
    std::vector<Edge> edges;
    std::vector<W> table;
    std::vector<vertex_t> changed;
    std::int64_t n_loaded = 0;  // edges
    std::int32_t max_witness_arcs = 1;
    bool overflowed = false;
  };

  /// Charges the arrays of fixed size per vertex and thread: rows, levels, lists of a round.
  static MemoryMeter& charge_fixed_memory(MemoryMeter& meter, vertex_t n_vertices) {
    meter.take(at(n_vertices) * bytes_per_vertex + at(num_threads()) * bytes_per_thread);
    return meter;
  }
  /// Charges the growth of a list, before it grows to n items.
  template <class T>
  void meter_growth(const std::vector<T>& list, std::size_t n) {
    if (n > list.capacity()) meter_.take((n - list.capacity()) * sizeof(T));
  }
  [[nodiscard]] std::int64_t n_remaining() const {
    return static_cast<std::int64_t>(remaining_.size());
  }
  [[nodiscard]] bool is_chosen(vertex_t v) const { return chosen_index_[at(v)] != not_chosen; }
  /// Returns the grain of a loop. Work per item varies widely: small grains, but not too many.
  static std::int64_t grain_for(std::int64_t items) {
    return std::clamp<std::int64_t>(items / (8 * num_threads()), 1, 64);
  }

  void set_key(vertex_t v) {
    const auto priority = degree_weight * static_cast<std::uint32_t>(rows_[at(v)].size) +
                          static_cast<std::uint32_t>(levels_[at(v)]);
    keys_[at(v)] = (std::uint64_t{priority} << 32) | scrambled(v);
  }

  /// Refuses graphs with a large dense k-core.
  void check_k_core() {
    const KCore core = find_k_core(rows_, k_core_degree, small_core);
    // Go on if the core's table would be no larger than a hierarchy.
    if (core.vertices * core.vertices <= 4 * input_size_) return;
    mean_degree_ = static_cast<double>(core.degree_sum) / static_cast<double>(core.vertices);
    const bool has_hub = core.max_degree * core.vertices > k_core_hub_factor * core.degree_sum;
    if (mean_degree_ > k_core_mean_degree && has_hub) refuse(core.vertices);
  }

  /// Returns whether contraction ends. Also computes mean_priority_ and mean_degree_ of the
  /// remaining vertices.
  bool is_done(vertex_t core_vertices) {
    struct Sums {
      std::int64_t degrees;
      std::uint64_t priorities;
    };
    const Sums sums = parallel_reduce(
        n_remaining(), Sums{0, 0},
        [&](std::int64_t i) {
          const std::size_t v = at(remaining_[at(i)]);
          return Sums{rows_[v].size, keys_[v] >> 32};
        },
        [](Sums a, Sums b) {
          return Sums{a.degrees + b.degrees, a.priorities + b.priorities};
        });
    const std::int64_t left = n_remaining();
    if (left == 0) return true;
    mean_priority_ = sums.priorities / static_cast<std::uint64_t>(left);
    if (core_vertices > 0) return left <= core_vertices;
    if (left * left <= std::max(small_core_table, n_arcs_ / core_table_divisor)) return true;
    mean_degree_ = static_cast<double>(sums.degrees) / static_cast<double>(left);
    if (mean_degree_ <= max_mean_degree[phase()] && n_scans_.load() <= scan_budget()) return false;
    if (left <= small_core || left * left <= n_arcs_) return true;
    refuse(left);
  }

  /// Returns 0 while more than half of the vertices remain, 1 while more than an eighth, then 2.
  [[nodiscard]] std::size_t phase() const {
    if (2 * n_remaining() > n_vertices_) return 0;
    return 8 * n_remaining() > n_vertices_ ? 1 : 2;
  }
  [[nodiscard]] std::int64_t scan_budget() const {
    return input_size_ * max_scans_per_item[phase() == 2 ? 1 : 0];
  }

  [[noreturn]] void refuse(std::int64_t left) const {
    throw std::invalid_argument(concat(
        "the graph has no small hierarchy: when ", n_vertices_ - left, " of ", n_vertices_,
        " vertices are contracted, each of the remaining ", left, " has ",
        std::llround(mean_degree_), " neighbours on average, and ", n_scans_.load() / input_size_,
        " steps for each vertex and edge were taken to get there; use ",
        "another method, such as \"batched\" of many_to_many"));
  }

  /// Chooses the vertices whose key is smaller than those of all neighbours. A vertex of more than
  /// the mean priority is skipped: hubs, too, can be local minima.
  void choose_local_minima() {
    for (ThreadState& state : states_) state.changed.clear();
    parallel_blocks(n_remaining(), 1024, [&](int thread, std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const vertex_t v = remaining_[at(i)];
        const std::uint64_t key = keys_[at(v)];
        if ((key >> 32) > mean_priority_) continue;
        const Row<Edge>& row = rows_[at(v)];
        if (std::all_of(row.begin(), row.end(),
                        [&](const Edge& edge) { return key < keys_[at(edge.head)]; })) {
          states_[at(thread)].changed.push_back(v);
        }
      }
    });
    chosen_.clear();
    gather(chosen_);
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      chosen_index_[at(chosen_[i])] = static_cast<std::int32_t>(i);
      n_arcs_ += rows_[at(chosen_[i])].size;
    }
  }

  /// Moves the threads' lists to `list`.
  void gather(std::vector<vertex_t>& list) {
    for (ThreadState& state : states_) {
      list.insert(list.end(), state.changed.begin(), state.changed.end());
      state.changed.clear();
    }
  }

  void contract_chosen() {
    shortcuts_.resize(chosen_.size());
    const auto n = static_cast<std::int64_t>(chosen_.size());
    parallel_blocks(n, grain_for(n), [&](int thread, std::int64_t first, std::int64_t last) {
      ThreadState& state = states_[at(thread)];
      for (std::int64_t i = first; i < last; ++i) {
        const Row<Edge>& row = rows_[at(chosen_[at(i)])];
        const std::int64_t before = state.search.n_scans();
        find_shortcuts(row, state);
        n_scans_.fetch_add(state.search.n_scans() - before, std::memory_order_relaxed);
        if (scan_budget_exceeded()) return;
        shortcuts_[at(i)] = store_shortcuts(row, state);
        for (const Edge& edge : row) {
          if (exchange(changed_marks_[at(edge.head)], std::int32_t{1}) == 0) {
            state.changed.push_back(edge.head);
          }
        }
      }
    });
    if (scan_budget_exceeded()) refuse(n_remaining());
    std::int32_t max_witness_arcs = 1;
    for (ThreadState& state : states_) {
      max_witness_arcs = std::max(max_witness_arcs, state.max_witness_arcs);
      state.max_witness_arcs = 1;
      if (state.overflowed) {
        throw std::overflow_error(weights_too_large);
      }
    }
    rounding_units_ += max_witness_arcs;
  }

  /// Returns whether to stop a round early, since it exceeds the scan budget twice. A thread's
  /// scans do not depend on other threads, so whether the round ends above the limit does not
  /// either.
  [[nodiscard]] bool scan_budget_exceeded() const {
    return n_scans_.load(std::memory_order_relaxed) > 2 * scan_budget() &&
           n_remaining() > small_core && n_remaining() * n_remaining() > n_arcs_;
  }

  /// Fills state.table: entry (i, j) is the length of the shortcut between the i-th and the j-th
  /// neighbour, or infinity.
  void find_shortcuts(const Row<Edge>& row, ThreadState& state) {
    const std::int32_t n = row.size;
    meter_growth(state.table, at(n) * at(n));
    state.table.assign(at(n) * at(n), infinity<W>());
    const auto blocked = [&](vertex_t v) { return is_chosen(v); };
    for (std::int32_t i = 0; i < n; ++i) {
      const W to_vertex = row.edges[i].backward();
      const std::int32_t first = Edge::symmetric ? i + 1 : 0;
      W farthest{-1};
      if (to_vertex == infinity<W>()) continue;
      state.search.start(row.edges[i].head);
      for (std::int32_t j = first; j < n; ++j) {
        const W from_vertex = row.edges[j].forward();
        if (j == i || from_vertex == infinity<W>()) continue;
        state.search.add_target(row.edges[j].head);
        farthest = std::max(farthest, from_vertex);
      }
      if (farthest < W{0}) continue;
      state.search.run(extend(to_vertex, farthest), base_scan_limit + scan_limit_per_neighbour * n,
                       rows_, blocked);
      for (std::int32_t j = first; j < n; ++j) {
        const W from_vertex = row.edges[j].forward();
        if (j == i || from_vertex == infinity<W>()) continue;
        const W length = extend(to_vertex, from_vertex);
        state.overflowed |= std::is_integral_v<W> && length == infinity<W>();
        const auto witness = state.search.found(row.edges[j].head);
        if (witness.distance <= length) {
          state.max_witness_arcs = std::max(state.max_witness_arcs, witness.arcs);
          continue;
        }
        state.table[at(i) * at(n) + at(j)] = length;
        if (Edge::symmetric) state.table[at(j) * at(n) + at(i)] = length;
      }
    }
  }

  Shortcuts store_shortcuts(const Row<Edge>& row, ThreadState& state) {
    const std::size_t n = at(row.size);
    state.edges.clear();
    meter_growth(state.edges, n * n);
    std::int32_t* const offsets = state.offsets.allocate(n + 1, meter_);
    for (std::size_t i = 0; i < n; ++i) {
      offsets[i] = static_cast<std::int32_t>(state.edges.size());
      for (std::size_t j = 0; j < n; ++j) {
        const W forward = state.table[i * n + j];
        const W backward = state.table[j * n + i];
        if (forward == infinity<W>() && backward == infinity<W>()) continue;
        state.edges.push_back({row.edges[j].head, forward, backward});
      }
    }
    offsets[n] = static_cast<std::int32_t>(state.edges.size());
    Edge* const edges = state.shortcuts.allocate(state.edges.size(), meter_);
    std::copy(state.edges.begin(), state.edges.end(), edges);
    return {edges, offsets};
  }

  /// Removes edges to contracted vertices from their neighbours' rows and inserts the shortcuts.
  void rebuild_changed() {
    changed_.clear();
    gather(changed_);
    const auto n = static_cast<std::int64_t>(changed_.size());
    parallel_blocks(n, grain_for(n), [&](int thread, std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const vertex_t v = changed_[at(i)];
        changed_marks_[at(v)] = 0;
        rebuild(v, states_[at(thread)]);
        set_key(v);
      }
    });
    for (ThreadState& state : states_) {
      state.shortcuts.clear(meter_);
      state.offsets.clear(meter_);
    }
  }

  void rebuild(vertex_t v, ThreadState& state) {
    state.edges.clear();
    Row<Edge>& row = rows_[at(v)];
    for (const Edge& edge : row) {
      if (!is_chosen(edge.head)) {
        state.edges.push_back(edge);
        continue;
      }
      levels_[at(v)] = std::max(levels_[at(v)], levels_[at(edge.head)] + 1);
      const Row<Edge>& contracted = rows_[at(edge.head)];
      const auto neighbour =
          std::lower_bound(contracted.begin(), contracted.end(), v,
                           [](const Edge& a, vertex_t head) { return a.head < head; }) -
          contracted.begin();
      const Shortcuts& shortcuts = shortcuts_[at(chosen_index_[at(edge.head)])];
      state.edges.insert(state.edges.end(), shortcuts.edges + shortcuts.offsets[neighbour],
                         shortcuts.edges + shortcuts.offsets[neighbour + 1]);
    }
    merge_parallel_edges(state.edges);
    row.assign(state.edges, state.arena, meter_);
  }

  void drop_chosen() {
    std::erase_if(remaining_, [&](vertex_t v) { return is_chosen(v); });
  }

  MemoryMeter& meter_;
  const vertex_t n_vertices_;
  std::vector<Row<Edge>> rows_;
  std::vector<std::int32_t> levels_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::int32_t> chosen_index_;  // in chosen_, or `not_chosen`
  std::vector<std::int32_t> changed_marks_;
  std::vector<ThreadState> states_;
  std::vector<vertex_t> remaining_;
  std::vector<vertex_t> chosen_;
  std::vector<vertex_t> changed_;
  std::vector<Shortcuts> shortcuts_;
  std::uint64_t mean_priority_ = 0;
  std::int64_t n_arcs_ = 0;      // of the hierarchy so far
  std::int64_t input_size_ = 0;  // vertices and edges of the graph
  double mean_degree_ = 0;
  std::atomic<std::int64_t> n_scans_{0};  // of all searches
  double rounding_units_ = 0;
};

}  // namespace warpgraph::hierarchy_detail
