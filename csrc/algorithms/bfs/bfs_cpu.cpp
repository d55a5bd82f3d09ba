#include "algorithms/bfs/bfs.hpp"
#include "algorithms/bfs/direction.hpp"
#include "core/atomics.hpp"
#include "core/containers/bitmap.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"

#include <memory>
#include <vector>

namespace warpgraph {
namespace {

constexpr vertex_t unreached = -1;

/// A smaller frontier is expanded by the calling thread: that is about 80 microseconds of work, and
/// waking the others, which sleep between loops, takes about as long as they then save.
constexpr std::int64_t smallest_parallel_frontier = 4096;
/// A frontier with more than this share of all vertices is not taken from the list, but found by a
/// sweep over the hops: reading so many rows in their order saves more than the sweep costs.
constexpr vertex_t largest_listed_share = 16;
/// Listed vertices that a thread takes at a time; few, since one of them may be a hub.
constexpr std::int64_t vertices_per_block = 64;
/// Words of a bitmap that a thread takes at a time: whole words, so that setting bits needs no
/// atomics.
constexpr std::int64_t words_per_block = 64;

template <bool with_predecessors>
class Search {
 public:
  Search(const CsrPattern& graph, const BfsOptions& options, std::span<vertex_t> hops,
         std::span<vertex_t> predecessors)
      : graph_(graph),
        limit_(options.limit),
        hops_(hops.data()),
        // As an unsigned number, no_vertex is larger than every vertex: lowering needs no test.
        predecessors_(reinterpret_cast<std::uint32_t*>(predecessors.data())),
        rule_(options.mirrored, graph.n_vertices, graph.n_arcs),
        list_(std::make_unique_for_overwrite<vertex_t[]>(hops.size())),
        found_(static_cast<std::size_t>(num_threads())) {
    parallel_for(
        graph.n_vertices,
        [&](std::int64_t v) {
          hops_[v] = unreached;
          if constexpr (with_predecessors) predecessors_[v] = static_cast<std::uint32_t>(no_vertex);
        },
        light_grain);
    hops_[options.source] = 0;
    list_[list_end_++] = options.source;
    frontier_ = {1, graph.degree(options.source)};
  }

  void run() {
    std::int64_t reached = 0;
    while (frontier_.vertices > 0 && depth_ < limit_) {
      reached += frontier_.vertices;
      report_progress(reached, graph_.n_vertices);
      if (rule_.bottom_up(frontier_.vertices, frontier_.arcs)) {
        advance_bottom_up();
      } else if (num_threads() > 1 && frontier_.vertices >= smallest_parallel_frontier) {
        advance_top_down<true>();
      } else {
        advance_top_down<false>();
      }
      ++depth_;
    }
  }

 private:
  struct Size {
    std::int64_t vertices;
    edge_t arcs;  // that leave them
    friend Size operator+(Size a, Size b) { return {a.vertices + b.vertices, a.arcs + b.arcs}; }
  };

  /// `shared`: by all threads at once.
  template <bool shared>
  void advance_top_down() {
    constexpr std::int64_t vertices_between_polls = 1 << 12;
    const bool sweep = !is_listed_ || frontier_.vertices > graph_.n_vertices / largest_listed_share;
    if (sweep) {
      list_found<shared>(graph_.n_vertices, vertices_between_polls,
                         [&](std::int64_t v, std::int64_t past, auto&& found) {
                           for (; v < past; ++v) {
                             if (relaxed_load(hops_[v]) != depth_) continue;
                             expand<shared, true>(static_cast<vertex_t>(v), found);
                           }
                         });
    } else {
      const vertex_t* frontier = &list_[list_end_ - frontier_.vertices];
      list_found<shared>(frontier_.vertices, shared ? vertices_per_block : vertices_between_polls,
                         [&](std::int64_t i, std::int64_t past, auto&& found) {
                           for (; i < past; ++i) expand<shared, false>(frontier[i], found);
                         });
    }
    is_listed_ = true;
  }

  /// found(v) for each head of u that nobody reached before. `in_order`: this thread's calls come
  /// in the order of the vertices, so that on one thread the first to reach v is the smallest.
  template <bool shared, bool in_order, class Found>
  void expand(vertex_t u, Found&& found) {
    const vertex_t depth = depth_ + 1;
    for (edge_t e = graph_.begin(u), end = graph_.end(u); e < end; ++e) {
      const vertex_t v = graph_.heads[e];
      const vertex_t seen = relaxed_load(hops_[v]);
      if (seen == unreached) {
        // Should another thread be faster, then it writes the same depth.
        if (claim<shared>(hops_[v], depth)) found(v);
      } else if (!with_predecessors || (in_order && !shared) || seen != depth) {
        continue;
      }
      if constexpr (with_predecessors) offer<shared>(predecessors_[v], u);
    }
  }

  template <bool shared>
  static bool claim(vertex_t& hops, vertex_t depth) {
    if constexpr (shared) return compare_and_swap(hops, unreached, depth);
    hops = depth;
    return true;
  }

  template <bool shared>
  static void offer(std::uint32_t& predecessor, vertex_t u) {
    const auto candidate = static_cast<std::uint32_t>(u);
    if constexpr (shared) {
      lower(predecessor, candidate);
    } else {
      predecessor = std::min(predecessor, candidate);
    }
  }

  /// produce(i, past, found) over blocks of 0..n; what it finds becomes the frontier, listed.
  template <bool shared, class Produce>
  void list_found(std::int64_t n, std::int64_t grain, Produce&& produce) {
    Size found{0, 0};
    if constexpr (shared) {
      found = list_found_by_all(n, grain, produce);
    } else {
      for (std::int64_t i = 0; i < n; i += grain) {
        poll();
        produce(i, std::min(i + grain, n), [&](vertex_t v) {
          list_[list_end_ + found.vertices++] = v;
          found.arcs += look_ahead(v);
        });
      }
    }
    list_end_ += found.vertices;
    frontier_ = found;
  }

  template <class Produce>
  Size list_found_by_all(std::int64_t n, std::int64_t grain, Produce&& produce) {
    std::atomic<std::int64_t> end{list_end_};
    std::atomic<edge_t> arcs{0};
    parallel_blocks(n, grain, [&](int thread, std::int64_t i, std::int64_t past) {
      std::vector<vertex_t>& mine = found_[static_cast<std::size_t>(thread)];
      mine.clear();
      edge_t my_arcs = 0;
      produce(i, past, [&](vertex_t v) {
        mine.push_back(v);
        my_arcs += look_ahead(v);
      });
      const std::int64_t place = end.fetch_add(std::ssize(mine), std::memory_order_relaxed);
      std::copy(mine.begin(), mine.end(), &list_[place]);
      arcs.fetch_add(my_arcs, std::memory_order_relaxed);
    });
    return {end - list_end_, arcs};
  }

  /// The degree of v, whose row will be read in the next level: asking for it now hides the wait.
  edge_t look_ahead(vertex_t v) const {
    const edge_t begin = graph_.begin(v);
    __builtin_prefetch(&graph_.heads[begin]);
    return graph_.end(v) - begin;
  }

  void advance_bottom_up() {
    if (is_listed_) mark_frontier();
    is_listed_ = false;
    frontier_ = parallel_reduce(
        std::ssize(next_.words()), Size{0, 0}, [&](std::int64_t w) { return look_up(w); },
        std::plus<>{}, words_per_block);
    std::swap(marked_, next_);
  }

  /// Sets the bits of the frontier.
  void mark_frontier() {
    if (next_.words().empty()) {
      marked_ = Bitmap(graph_.n_vertices);
      next_ = Bitmap(graph_.n_vertices);
    }
    parallel_for(
        std::ssize(marked_.words()),
        [&](std::int64_t w) {
          std::uint64_t word = 0;
          for_each_vertex_of(w, [&](vertex_t v) {
            word |= static_cast<std::uint64_t>(hops_[v] == depth_) << (v % 64);
          });
          marked_.words()[w] = word;
        },
        words_per_block);
  }

  /// Lets the unreached vertices of a word look for the frontier; sets the bits of those found.
  Size look_up(std::int64_t w) {
    constexpr std::int64_t rows_ahead = 16;  // about as long as memory takes to answer
    Size found{0, 0};
    std::uint64_t word = 0;
    for_each_vertex_of(w, [&](vertex_t v) {
      const std::int64_t ahead = std::min<std::int64_t>(v + rows_ahead, graph_.n_vertices);
      __builtin_prefetch(&graph_.heads[graph_.offsets[ahead]]);
      if (hops_[v] != unreached || !has_neighbour_in_frontier(v)) return;
      hops_[v] = depth_ + 1;
      word |= std::uint64_t{1} << (v % 64);
      found = found + Size{1, graph_.degree(v)};
    });
    next_.words()[w] = word;
    return found;
  }

  template <class Visit>
  void for_each_vertex_of(std::int64_t word, Visit&& visit) const {
    const std::int64_t past = std::min<std::int64_t>(64 * word + 64, graph_.n_vertices);
    for (std::int64_t v = 64 * word; v < past; ++v) visit(static_cast<vertex_t>(v));
  }

  /// Predecessors need the smallest such neighbour. A row in order has it first; its other heads
  /// are read then, but not looked up.
  bool has_neighbour_in_frontier(vertex_t v) {
    auto smallest = static_cast<std::uint32_t>(no_vertex);
    for (edge_t e = graph_.begin(v), end = graph_.end(v); e < end; ++e) {
      const vertex_t u = graph_.heads[e];
      if (static_cast<std::uint32_t>(u) < smallest && marked_.view().test(u)) {
        if constexpr (!with_predecessors) return true;
        smallest = static_cast<std::uint32_t>(u);
      }
    }
    if constexpr (with_predecessors) predecessors_[v] = smallest;
    return smallest != static_cast<std::uint32_t>(no_vertex);
  }

  const CsrPattern& graph_;
  vertex_t limit_;
  vertex_t* hops_;
  std::uint32_t* predecessors_;
  DirectionRule rule_;
  vertex_t depth_ = 0;
  Size frontier_{0, 0};
  // Every vertex that was found top-down, each once; after a top-down level the frontier is the
  // end of it, after a bottom-up level it is marked instead.
  std::unique_ptr<vertex_t[]> list_;
  std::int64_t list_end_ = 0;
  bool is_listed_ = true;
  std::vector<std::vector<vertex_t>> found_;  // by thread, on the way to the list
  Bitmap marked_{0};
  Bitmap next_{0};
};

void require_memory(const CsrPattern& graph, const BfsOptions& options) {
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  MemoryBudget(Device{}, options.memory_limit)
      .require("breadth-first search", n * sizeof(vertex_t) + (options.mirrored ? n / 4 : 0),
               "free some memory or search a smaller graph");
}

}  // namespace

void bfs_cpu(const CsrPattern& graph, const BfsOptions& options, std::span<vertex_t> hops,
             std::span<vertex_t> predecessors) {
  require_memory(graph, options);
  if (predecessors.empty()) {
    Search<false>(graph, options, hops, predecessors).run();
  } else {
    Search<true>(graph, options, hops, predecessors).run();
  }
}

void bfs_reference(const CsrPattern& graph, const BfsOptions& options, std::span<vertex_t> hops,
                   std::span<vertex_t> predecessors) {
  std::fill(hops.begin(), hops.end(), unreached);
  std::vector<vertex_t> queue{options.source};
  hops[static_cast<std::size_t>(options.source)] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const vertex_t u = queue[i];
    const vertex_t depth = hops[static_cast<std::size_t>(u)];
    if (depth == options.limit) break;
    for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
      vertex_t& seen = hops[static_cast<std::size_t>(graph.heads[e])];
      if (seen != unreached) continue;
      seen = depth + 1;
      queue.push_back(graph.heads[e]);
    }
  }
  if (predecessors.empty()) return;
  // In the order of the tails, so that the first arc from the level above is from the smallest.
  std::fill(predecessors.begin(), predecessors.end(), no_vertex);
  for (vertex_t u = 0; u < graph.n_vertices; ++u) {
    const vertex_t depth = hops[static_cast<std::size_t>(u)];
    for (edge_t e = graph.begin(u); depth != unreached && e < graph.end(u); ++e) {
      const auto v = static_cast<std::size_t>(graph.heads[e]);
      if (hops[v] == depth + 1 && predecessors[v] == no_vertex) predecessors[v] = u;
    }
  }
}

}  // namespace warpgraph
