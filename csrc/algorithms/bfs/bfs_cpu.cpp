#include "algorithms/bfs/bfs.hpp"
#include "algorithms/bfs/direction.hpp"
#include "core/atomics.hpp"
#include "core/bitmap.hpp"
#include "core/memory_budget.hpp"
#include "core/parallel.hpp"

#include <memory>
#include <vector>

namespace warpgraph {
namespace {

constexpr vertex_t unreached = -1;

/// A frontier of fewer vertices is expanded by the calling thread: about 20 microseconds of work,
/// several times what it costs to wake the others.
constexpr std::int64_t smallest_parallel_frontier = 1024;
/// Frontier vertices that a thread takes at a time; few, since one of them may be a hub.
constexpr std::int64_t vertices_per_block = 64;
/// Words of a bitmap that a thread takes at a time: whole words, so that setting bits needs no
/// atomics.
constexpr std::int64_t words_per_block = 64;

/// The frontier is the end of a list that holds every listed vertex once or, after a bottom-up
/// level, a bitmap.
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
        list_(std::make_unique_for_overwrite<vertex_t[]>(hops.size())),
        found_(static_cast<std::size_t>(num_threads())),
        rule_(options.mirrored, graph.n_vertices, graph.n_arcs) {
    parallel_for(graph.n_vertices, [&](std::int64_t v) {
      hops_[v] = unreached;
      if constexpr (with_predecessors) predecessors_[v] = static_cast<std::uint32_t>(no_vertex);
    });
    hops_[options.source] = 0;
    list_[0] = options.source;
    frontier_arcs_ = graph.degree(options.source);
  }

  void run() {
    std::int64_t reached = 0;
    while (frontier_vertices_ > 0 && depth_ < limit_) {
      reached += frontier_vertices_;
      report_progress(reached, graph_.n_vertices);
      if (rule_.bottom_up(frontier_vertices_, frontier_arcs_)) {
        if (is_list_) list_to_bitmap();
        advance_bottom_up();
      } else {
        if (!is_list_) bitmap_to_list();
        const bool large = frontier_vertices_ >= smallest_parallel_frontier;
        large&& num_threads() > 1 ? advance_in_parallel() : advance_on_this_thread();
      }
      ++depth_;
    }
  }

 private:
  void advance_on_this_thread() {
    constexpr std::int64_t vertices_between_polls = 1 << 12;
    const std::int64_t end = first_ + frontier_vertices_;
    vertex_t* last = &list_[end];
    edge_t arcs = 0;
    for (; first_ < end; ++first_) {
      if (first_ % vertices_between_polls == 0) poll();
      expand<false>(list_[first_], [&](vertex_t v) {
        *last++ = v;
        arcs += graph_.degree(v);
      });
    }
    frontier_vertices_ = last - &list_[end];
    frontier_arcs_ = arcs;
  }

  void advance_in_parallel() {
    const vertex_t* frontier = &list_[first_];
    first_ += frontier_vertices_;
    list_in_parallel(frontier_vertices_, vertices_per_block,
                     [&](std::int64_t i, std::int64_t past, auto&& found) {
                       for (; i < past; ++i) expand<true>(frontier[i], found);
                     });
  }

  /// found(v) for each head of u that nobody reached before. `shared`: other threads expand
  /// vertices of the same frontier.
  template <bool shared, class Found>
  void expand(vertex_t u, Found&& found) {
    const vertex_t depth = depth_ + 1;
    for (edge_t e = graph_.begin(u), end = graph_.end(u); e < end; ++e) {
      const vertex_t v = graph_.heads[e];
      const vertex_t seen = relaxed_load(hops_[v]);
      if (seen == unreached) {
        // Should another thread be faster, then it writes the same depth.
        if (claim<shared>(hops_[v], depth)) found(v);
      } else if (!with_predecessors || seen != depth) {
        continue;
      }
      if constexpr (with_predecessors) lower<shared>(predecessors_[v], u);
    }
  }

  template <bool shared>
  static bool claim(vertex_t& hops, vertex_t depth) {
    if constexpr (shared) return compare_and_swap(hops, unreached, depth);
    hops = depth;
    return true;
  }

  template <bool shared>
  static void lower(std::uint32_t& predecessor, vertex_t u) {
    const auto candidate = static_cast<std::uint32_t>(u);
    if constexpr (shared) {
      warpgraph::lower(predecessor, candidate);
    } else {
      predecessor = std::min(predecessor, candidate);
    }
  }

  /// produce(i, past, found) over blocks of 0..n; what it finds becomes the list's new end and the
  /// frontier.
  template <class Produce>
  void list_in_parallel(std::int64_t n, std::int64_t grain, Produce&& produce) {
    std::atomic<std::int64_t> end{first_};
    std::atomic<edge_t> arcs{0};
    parallel_blocks(n, grain, [&](int thread, std::int64_t i, std::int64_t past) {
      std::vector<vertex_t>& found = found_[static_cast<std::size_t>(thread)];
      found.clear();
      edge_t arcs_found = 0;
      produce(i, past, [&](vertex_t v) {
        found.push_back(v);
        arcs_found += graph_.degree(v);
      });
      const std::int64_t place = end.fetch_add(std::ssize(found), std::memory_order_relaxed);
      std::copy(found.begin(), found.end(), &list_[place]);
      arcs.fetch_add(arcs_found, std::memory_order_relaxed);
    });
    frontier_vertices_ = end - first_;
    frontier_arcs_ = arcs;
  }

  void list_to_bitmap() {
    frontier_ = Bitmap(graph_.n_vertices);
    next_ = Bitmap(graph_.n_vertices);
    for (std::int64_t i = 0; i < frontier_vertices_; ++i) frontier_.view().set(list_[first_ + i]);
    first_ += frontier_vertices_;
    is_list_ = false;
  }

  void bitmap_to_list() {
    list_in_parallel(std::ssize(frontier_.words()), words_per_block,
                     [&](std::int64_t w, std::int64_t past, auto&& found) {
                       for (; w < past; ++w) {
                         for (std::uint64_t bits = frontier_.words()[w]; bits != 0;
                              bits &= bits - 1) {
                           found(static_cast<vertex_t>(w * 64 + std::countr_zero(bits)));
                         }
                       }
                     });
    is_list_ = true;
  }

  void advance_bottom_up() {
    struct Sum {
      std::int64_t vertices;
      edge_t arcs;
    };
    const auto word_of_next = [&](std::int64_t w) {
      Sum found{0, 0};
      std::uint64_t word = 0;
      const std::int64_t past = std::min<std::int64_t>(w * 64 + 64, graph_.n_vertices);
      for (std::int64_t v = w * 64; v < past; ++v) {
        if (hops_[v] != unreached || !is_reached(static_cast<vertex_t>(v))) continue;
        hops_[v] = depth_ + 1;
        word |= std::uint64_t{1} << (v & 63);
        ++found.vertices;
        found.arcs += graph_.degree(static_cast<vertex_t>(v));
      }
      next_.words()[w] = word;
      return found;
    };
    const Sum found = parallel_reduce(
        std::ssize(next_.words()), Sum{0, 0}, word_of_next,
        [](Sum a, Sum b) {
          return Sum{a.vertices + b.vertices, a.arcs + b.arcs};
        },
        words_per_block);
    std::swap(frontier_, next_);
    frontier_vertices_ = found.vertices;
    frontier_arcs_ = found.arcs;
  }

  /// Whether one of v's neighbours is in the frontier. Predecessors need the smallest of them: a
  /// row in order has it first, and then costs reading its heads but no look at the bitmap.
  bool is_reached(vertex_t v) {
    auto smallest = static_cast<std::uint32_t>(no_vertex);
    for (edge_t e = graph_.begin(v), end = graph_.end(v); e < end; ++e) {
      const vertex_t u = graph_.heads[e];
      if (static_cast<std::uint32_t>(u) < smallest && frontier_.view().test(u)) {
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
  std::unique_ptr<vertex_t[]> list_;
  std::vector<std::vector<vertex_t>> found_;  // by thread, on the way to the list
  Bitmap frontier_{0};
  Bitmap next_{0};
  DirectionRule rule_;
  bool is_list_ = true;
  std::int64_t first_ = 0;  // of the frontier in the list
  std::int64_t frontier_vertices_ = 1;
  edge_t frontier_arcs_ = 0;
  vertex_t depth_ = 0;
};

void require_memory(const CsrPattern& graph, bool mirrored) {
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  MemoryBudget(Device{}).require("breadth-first search",
                                 n * sizeof(vertex_t) + (mirrored ? n / 4 : 0),
                                 "free some memory or search a smaller graph");
}

}  // namespace

void bfs_cpu(const CsrPattern& graph, const BfsOptions& options, std::span<vertex_t> hops,
             std::span<vertex_t> predecessors) {
  require_memory(graph, options.mirrored);
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
