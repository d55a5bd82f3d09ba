// Contraction in rounds of vertices that are not neighbours. All decisions depend on the graph
// alone, so the hierarchy is the same for every number of threads: a round reads the rows as the
// round before left them, and what it adds to a row is sorted and merged.
#pragma once

#include "algorithms/hierarchy/dense_core.hpp"
#include "algorithms/hierarchy/hierarchy.hpp"
#include "algorithms/hierarchy/witness.hpp"
#include "core/atomics.hpp"
#include "core/error.hpp"
#include "core/threads/parallel.hpp"

#include <atomic>
#include <cmath>
#include <stdexcept>

namespace warpgraph::hierarchy_steps {

/// A vertex's priority counts its links this many times as much as its level: levels even out
/// where there is nothing to choose, and that makes sweeps of fewer levels. On roads, 1 gives
/// a sixth fewer levels and 4 % more arcs than 4; 8 saves 0.2 % of the arcs.
inline constexpr std::uint32_t link_weight = 4;
/// Links that a witness search may look at: some, and more for vertices with many neighbours,
/// where shortcuts that could have been saved multiply. On a 500 x 500 grid, 100 a neighbour
/// instead of 300 makes twice the work and 3 % more arcs; on roads it does not matter.
inline constexpr std::int64_t base_effort = 300;
inline constexpr std::int64_t effort_per_link = 300;
/// The core's table may have this share of the hierarchy's arcs, but in any case this many: that is
/// little work for a sweep, and saves the most expensive contractions and the narrowest levels.
inline constexpr std::int64_t core_share = 16;
inline constexpr std::int64_t small_table = 1 << 16;
/// Contraction ends where vertices have more neighbours than this on average: while more than half
/// of them remain, more than an eighth, and later. Of New York's roads they have 4, 7 and at last
/// 19, of a 500 x 500 grid 7, 13 and 55.
inline constexpr double most_links[] = {16, 32, 100};
/// And where looking for witnesses takes more steps than this for each vertex and link of the
/// graph: while more than an eighth remains, and in all. For New York's roads it takes 12 and 50,
/// for that grid 100 and 500.
inline constexpr std::int64_t most_steps[] = {200, 4000};
/// A core that is this small is always worth its table: a second's work.
inline constexpr std::int64_t small_core = 1024;
/// It can be seen beforehand of power-law graphs that contraction will get nowhere: thousands of
/// vertices keep this many neighbours each, and far more than that on average, however the others
/// are contracted. Cliques have such a core, too, but it falls apart; one with hubs, of many times
/// the average, does not.
inline constexpr std::int32_t core_links = 16;
inline constexpr double core_mean_links = 32;
inline constexpr std::int64_t core_hub_factor = 8;

/// A bijection that scatters vertex numbers.
inline std::uint32_t scattered(vertex_t v) noexcept {
  auto x = static_cast<std::uint32_t>(v);
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  return x ^ (x >> 16);
}

template <class Link>
class Contraction {
 public:
  using W = typename Link::Weight;

  /// Memory is taken from `meter`, which must live as long.
  Contraction(vertex_t n_vertices, MemoryMeter& meter)
      : meter_(metered(meter, n_vertices)),
        n_vertices_(n_vertices),
        rows_(count(n_vertices)),
        levels_(count(n_vertices)),
        keys_(count(n_vertices)),
        slots_(count(n_vertices), remains),
        changed_marks_(count(n_vertices)),
        workers_(count(num_threads())) {}

  /// collect(v, links) appends the links of v in any order.
  template <class Collect>
  void load(Collect&& collect) {
    parallel_blocks(n_vertices_, 512, [&](int thread, std::int64_t first, std::int64_t last) {
      Worker& worker = workers_[count(thread)];
      for (std::int64_t v = first; v < last; ++v) {
        worker.links.clear();
        collect(static_cast<vertex_t>(v), worker.links);
        merge_parallel(worker.links);
        worker.loaded += static_cast<std::int64_t>(worker.links.size());
        rows_[count(v)].assign(worker.links, worker.arena, meter_);
      }
    });
  }

  void run(vertex_t core_vertices) {
    size_ = n_vertices_;
    for (const Worker& worker : workers_) size_ += worker.loaded;
    remaining_.resize(count(n_vertices_));
    parallel_for(n_vertices_, [&](std::int64_t v) {
      remaining_[count(v)] = static_cast<vertex_t>(v);
      set_key(static_cast<vertex_t>(v));
    });
    if (core_vertices == 0) look_ahead();
    while (!is_done(core_vertices)) {
      choose();
      contract_chosen();
      rebuild_changed();
      drop_chosen();
      report_progress(n_vertices_ - n_remaining(), n_vertices_);
    }
  }

  /// The vertices that were not contracted.
  [[nodiscard]] const std::vector<vertex_t>& core() const noexcept { return remaining_; }
  /// A contracted vertex's links to higher ones; a core vertex's links to others of the core.
  [[nodiscard]] const Row<Link>& row(vertex_t v) const { return rows_[count(v)]; }
  /// Above the levels of all lower neighbours.
  [[nodiscard]] std::int32_t level(vertex_t v) const { return levels_[count(v)]; }
  /// Additions by which a path's length may differ from its weights' sum.
  [[nodiscard]] double rounding_units() const noexcept { return rounding_units_; }

 private:
  static constexpr std::int32_t remains = -1;

  /// The shortcuts that a contraction leaves: links[offsets[i]..offsets[i+1]] belong to its i-th
  /// neighbour.
  struct Shortcuts {
    const Link* links = nullptr;
    const std::int32_t* offsets = nullptr;
  };

  struct alignas(64) Worker {
    Arena<Link> arena;
    Arena<Link> shortcuts;
    Arena<std::int32_t> offsets;
    WitnessSearch<W> search;
    std::vector<Link> links;
    std::vector<W> table;
    std::vector<vertex_t> changed;
    std::int64_t loaded = 0;  // links
    std::int32_t most_arcs = 1;
    bool overflowed = false;
  };

  template <class Index>
  static std::size_t count(Index i) {
    return static_cast<std::size_t>(i);
  }
  /// What all vertices and threads have: rows, levels and so on, and the lists of a round.
  static MemoryMeter& metered(MemoryMeter& meter, vertex_t n_vertices) {
    constexpr std::size_t bytes_a_vertex = 64;
    constexpr std::size_t bytes_a_thread = std::size_t{1} << 16;  // a witness search above all
    meter.take(count(n_vertices) * bytes_a_vertex + count(num_threads()) * bytes_a_thread);
    return meter;
  }
  /// To be called before `list` is given so many items.
  template <class T>
  void meter_growth(const std::vector<T>& list, std::size_t n) {
    if (n > list.capacity()) meter_.take((n - list.capacity()) * sizeof(T));
  }
  [[nodiscard]] std::int64_t n_remaining() const {
    return static_cast<std::int64_t>(remaining_.size());
  }
  [[nodiscard]] bool is_chosen(vertex_t v) const { return slots_[count(v)] != remains; }
  /// Work of very different size an item: small pieces, but not too many.
  static std::int64_t grain_for(std::int64_t items) {
    return std::clamp<std::int64_t>(items / (8 * num_threads()), 1, 64);
  }

  void set_key(vertex_t v) {
    const auto priority = link_weight * static_cast<std::uint32_t>(rows_[count(v)].size) +
                          static_cast<std::uint32_t>(levels_[count(v)]);
    keys_[count(v)] = (std::uint64_t{priority} << 32) | scattered(v);
  }

  /// Refuses at once where that can be foreseen.
  void look_ahead() {
    const DenseCore core = find_dense_core(rows_, core_links, small_core);
    // Its table would be larger than a hierarchy is.
    if (core.vertices * core.vertices <= 4 * size_) return;
    mean_links_ = static_cast<double>(core.links) / static_cast<double>(core.vertices);
    const bool has_hub = core.most_links * core.vertices > core_hub_factor * core.links;
    if (mean_links_ > core_mean_links && has_hub) refuse(core.vertices);
  }

  /// Also measures what remains.
  bool is_done(vertex_t core_vertices) {
    struct Sums {
      std::int64_t links;
      std::uint64_t priorities;
    };
    const Sums sums = parallel_reduce(
        n_remaining(), Sums{0, 0},
        [&](std::int64_t i) {
          const std::size_t v = count(remaining_[count(i)]);
          return Sums{rows_[v].size, keys_[v] >> 32};
        },
        [](Sums a, Sums b) {
          return Sums{a.links + b.links, a.priorities + b.priorities};
        });
    const std::int64_t left = n_remaining();
    if (left == 0) return true;
    mean_priority_ = sums.priorities / static_cast<std::uint64_t>(left);
    if (core_vertices > 0) return left <= core_vertices;
    if (left * left <= std::max(small_table, n_arcs_ / core_share)) return true;
    mean_links_ = static_cast<double>(sums.links) / static_cast<double>(left);
    if (mean_links_ <= most_links[phase()] && steps_.load() <= steps_allowed()) return false;
    if (left <= small_core || left * left <= n_arcs_) return true;
    refuse(left);
  }

  /// 0: more than half of the vertices remain, 1: more than an eighth, 2: fewer.
  [[nodiscard]] std::size_t phase() const {
    if (2 * n_remaining() > n_vertices_) return 0;
    return 8 * n_remaining() > n_vertices_ ? 1 : 2;
  }
  [[nodiscard]] std::int64_t steps_allowed() const {
    return size_ * most_steps[phase() == 2 ? 1 : 0];
  }

  [[noreturn]] void refuse(std::int64_t left) const {
    throw std::invalid_argument(concat(
        "the graph has no small hierarchy: when ", n_vertices_ - left, " of ", n_vertices_,
        " vertices are contracted, each of the remaining ", left, " has ",
        std::llround(mean_links_), " neighbours on average, and ", steps_.load() / size_,
        " steps for each vertex and edge were taken to get there; ", "use method=\"batched\""));
  }

  /// The vertices that come before all their neighbours. Only those that are no worse than the
  /// average: among hubs, too, there are local minima.
  void choose() {
    for (Worker& worker : workers_) worker.changed.clear();
    parallel_blocks(n_remaining(), 1024, [&](int thread, std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const vertex_t v = remaining_[count(i)];
        const std::uint64_t key = keys_[count(v)];
        if ((key >> 32) > mean_priority_) continue;
        const Row<Link>& row = rows_[count(v)];
        if (std::all_of(row.begin(), row.end(),
                        [&](const Link& link) { return key < keys_[count(link.head)]; })) {
          workers_[count(thread)].changed.push_back(v);
        }
      }
    });
    chosen_.clear();
    gather(chosen_);
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      slots_[count(chosen_[i])] = static_cast<std::int32_t>(i);
      n_arcs_ += rows_[count(chosen_[i])].size;
    }
  }

  /// Takes over what the workers have listed.
  void gather(std::vector<vertex_t>& list) {
    for (Worker& worker : workers_) {
      list.insert(list.end(), worker.changed.begin(), worker.changed.end());
      worker.changed.clear();
    }
  }

  void contract_chosen() {
    shortcuts_.resize(chosen_.size());
    const auto n = static_cast<std::int64_t>(chosen_.size());
    parallel_blocks(n, grain_for(n), [&](int thread, std::int64_t first, std::int64_t last) {
      Worker& worker = workers_[count(thread)];
      for (std::int64_t i = first; i < last; ++i) {
        const Row<Link>& row = rows_[count(chosen_[count(i)])];
        const std::int64_t before = worker.search.looked_at();
        find_shortcuts(row, worker);
        steps_.fetch_add(worker.search.looked_at() - before, std::memory_order_relaxed);
        if (is_hopeless()) return;
        shortcuts_[count(i)] = store_shortcuts(row, worker);
        for (const Link& link : row) {
          if (exchange(changed_marks_[count(link.head)], std::int32_t{1}) == 0) {
            worker.changed.push_back(link.head);
          }
        }
      }
    });
    if (is_hopeless()) refuse(n_remaining());
    std::int32_t most_arcs = 1;
    for (Worker& worker : workers_) {
      most_arcs = std::max(most_arcs, worker.most_arcs);
      worker.most_arcs = 1;
      if (worker.overflowed) {
        throw std::overflow_error(too_heavy);
      }
    }
    rounding_units_ += most_arcs;
  }

  /// A round that exceeds what is allowed by far need not be finished; one thread's steps do not
  /// depend on the others', so neither does their sum at its end.
  [[nodiscard]] bool is_hopeless() const {
    return steps_.load(std::memory_order_relaxed) > 2 * steps_allowed() &&
           n_remaining() > small_core && n_remaining() * n_remaining() > n_arcs_;
  }

  /// Fills worker.table: entry (i, j) is the length of the shortcut between the i-th and the j-th
  /// neighbour, or infinity.
  void find_shortcuts(const Row<Link>& row, Worker& worker) {
    const std::int32_t n = row.size;
    meter_growth(worker.table, count(n) * count(n));
    worker.table.assign(count(n) * count(n), infinity<W>());
    const auto blocked = [&](vertex_t v) { return is_chosen(v); };
    for (std::int32_t i = 0; i < n; ++i) {
      const W to_here = row.links[i].back();
      const std::int32_t first = Link::symmetric ? i + 1 : 0;
      W farthest{-1};
      if (to_here == infinity<W>()) continue;
      worker.search.start(row.links[i].head);
      for (std::int32_t j = first; j < n; ++j) {
        const W from_here = row.links[j].there();
        if (j == i || from_here == infinity<W>()) continue;
        worker.search.add_target(row.links[j].head);
        farthest = std::max(farthest, from_here);
      }
      if (farthest < W{0}) continue;
      worker.search.run(extend(to_here, farthest), base_effort + effort_per_link * n, rows_,
                        blocked);
      for (std::int32_t j = first; j < n; ++j) {
        const W from_here = row.links[j].there();
        if (j == i || from_here == infinity<W>()) continue;
        const W length = extend(to_here, from_here);
        worker.overflowed |= std::is_integral_v<W> && length == infinity<W>();
        const auto witness = worker.search.found(row.links[j].head);
        if (witness.distance <= length) {
          worker.most_arcs = std::max(worker.most_arcs, witness.arcs);
          continue;
        }
        worker.table[count(i) * count(n) + count(j)] = length;
        if (Link::symmetric) worker.table[count(j) * count(n) + count(i)] = length;
      }
    }
  }

  Shortcuts store_shortcuts(const Row<Link>& row, Worker& worker) {
    const std::size_t n = count(row.size);
    worker.links.clear();
    meter_growth(worker.links, n * n);
    std::int32_t* const offsets = worker.offsets.take(n + 1, meter_);
    for (std::size_t i = 0; i < n; ++i) {
      offsets[i] = static_cast<std::int32_t>(worker.links.size());
      for (std::size_t j = 0; j < n; ++j) {
        const W there = worker.table[i * n + j];
        const W back = worker.table[j * n + i];
        if (there == infinity<W>() && back == infinity<W>()) continue;
        worker.links.push_back({row.links[j].head, there, back});
      }
    }
    offsets[n] = static_cast<std::int32_t>(worker.links.size());
    Link* const links = worker.shortcuts.take(worker.links.size(), meter_);
    std::copy(worker.links.begin(), worker.links.end(), links);
    return {links, offsets};
  }

  /// Neighbours of contracted vertices lose the links to them and get the shortcuts.
  void rebuild_changed() {
    changed_.clear();
    gather(changed_);
    const auto n = static_cast<std::int64_t>(changed_.size());
    parallel_blocks(n, grain_for(n), [&](int thread, std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const vertex_t v = changed_[count(i)];
        changed_marks_[count(v)] = 0;
        rebuild(v, workers_[count(thread)]);
        set_key(v);
      }
    });
    for (Worker& worker : workers_) {
      worker.shortcuts.clear(meter_);
      worker.offsets.clear(meter_);
    }
  }

  void rebuild(vertex_t v, Worker& worker) {
    worker.links.clear();
    Row<Link>& row = rows_[count(v)];
    for (const Link& link : row) {
      if (!is_chosen(link.head)) {
        worker.links.push_back(link);
        continue;
      }
      levels_[count(v)] = std::max(levels_[count(v)], levels_[count(link.head)] + 1);
      const Row<Link>& contracted = rows_[count(link.head)];
      const auto place =
          std::lower_bound(contracted.begin(), contracted.end(), v,
                           [](const Link& a, vertex_t head) { return a.head < head; }) -
          contracted.begin();
      const Shortcuts& shortcuts = shortcuts_[count(slots_[count(link.head)])];
      worker.links.insert(worker.links.end(), shortcuts.links + shortcuts.offsets[place],
                          shortcuts.links + shortcuts.offsets[place + 1]);
    }
    merge_parallel(worker.links);
    row.assign(worker.links, worker.arena, meter_);
  }

  void drop_chosen() {
    std::erase_if(remaining_, [&](vertex_t v) { return is_chosen(v); });
  }

  MemoryMeter& meter_;
  const vertex_t n_vertices_;
  std::vector<Row<Link>> rows_;
  std::vector<std::int32_t> levels_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::int32_t> slots_;  // in chosen_, or `remains`
  std::vector<std::int32_t> changed_marks_;
  std::vector<Worker> workers_;
  std::vector<vertex_t> remaining_;
  std::vector<vertex_t> chosen_;
  std::vector<vertex_t> changed_;
  std::vector<Shortcuts> shortcuts_;
  std::uint64_t mean_priority_ = 0;
  std::int64_t n_arcs_ = 0;
  std::int64_t size_ = 0;  // vertices and links to begin with
  double mean_links_ = 0;
  std::atomic<std::int64_t> steps_{0};  // of all searches
  double rounding_units_ = 0;
};

}  // namespace warpgraph::hierarchy_steps
