#include "algorithms/connected_components/connected_components.hpp"
#include "algorithms/connected_components/near_arcs.hpp"
#include "core/containers/bitmap.hpp"
#include "core/containers/union_find.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"

#include <array>
#include <bit>
#include <numeric>
#include <vector>

namespace warpgraph {
namespace {

/// Arcs of each vertex that the first pass unites along [1, section 4]: further arcs connect few
/// more vertices. On roads, where most vertices have two or three arcs, the third one connects
/// most of the rest, and takes less time than a visit to that rest.
constexpr edge_t sampled_arcs = 2;
constexpr edge_t sampled_arcs_on_roads = 3;
bool is_like_roads(const CsrPattern& graph) { return graph.n_arcs < 3 * edge_t{graph.n_vertices}; }
constexpr std::int64_t vertices_per_block = 1024;
/// Returns the number of vertices that a thread attaches to each other: enough blocks for all
/// threads; larger ones leave fewer trees to unite. Blocks are whole words of the bitmap.
std::int64_t vertices_per_block_of(vertex_t n_vertices) {
  const vertex_t n_blocks = 16 * threads_of_loop();
  return std::clamp(n_vertices / n_blocks, 1 << 12, 1 << 16) / 64 * 64;
}
/// Words of the bitmap per block of work. The roots are numbered by these blocks, too.
constexpr std::int64_t words_per_block = 64;
/// The smallest graph for which threads are woken: a smaller one takes less time than that.
constexpr edge_t min_pool_size = 1 << 16;

constexpr std::int64_t n_words(vertex_t n_vertices) { return (std::int64_t{n_vertices} + 63) / 64; }
constexpr std::int64_t n_blocks(vertex_t n_vertices) {
  return (n_words(n_vertices) + words_per_block - 1) / words_per_block;
}

/// Finds the sets in the array that becomes the labels, and numbers them there. The giant component
/// is kept as a bitmap, so that lookups of random vertices hit the cache, and so that most of the
/// labels are written without reading the array again.
class WeakComponents {
 public:
  WeakComponents(const CsrPattern& graph, bool symmetric, std::span<vertex_t> labels)
      : graph_(graph),
        rows_(graph),
        skips_arcs_(!graph.has_low_degree()),
        symmetric_(symmetric),
        sets_{labels.data()},
        giant_(graph.n_vertices),
        first_number_(static_cast<std::size_t>(n_blocks(graph.n_vertices))) {}

  vertex_t run() {
    if (is_like_roads(graph_)) {
      unite_along_samples<sampled_arcs_on_roads>();
    } else {
      unite_along_samples<sampled_arcs>();
    }
    const vertex_t frequent = frequent_root();
    flatten(frequent);
    unite_remaining_arcs();
    const vertex_t root = sets_.root(frequent);
    giant_.words()[static_cast<std::size_t>(root / 64)] &= ~(std::uint64_t{1} << (root % 64));
    const vertex_t n_components = number_roots();
    label_vertices(root);
    return n_components;
  }

  static constexpr std::size_t bytes(vertex_t n_vertices) {
    return static_cast<std::size_t>(n_words(n_vertices)) * sizeof(std::uint64_t) +
           static_cast<std::size_t>(n_blocks(n_vertices) + max_samples(n_vertices)) *
               sizeof(vertex_t);
  }

 private:
  // There are few samples: a sample's path leads through parents that other threads have just
  // written.
  static constexpr vertex_t min_samples = 256;  // or all vertices
  static constexpr std::int64_t max_samples(vertex_t n_vertices) {
    return std::min(n_vertices, 2 * min_samples);
  }

  static constexpr std::int64_t rows_per_batch = 256;
  template <edge_t n_sampled>
  struct SampledArcs {
    struct Arc {
      vertex_t tail, head;
    };
    std::array<Arc, n_sampled * rows_per_batch> arcs;
    std::size_t count = 0;
  };

  template <edge_t n_sampled>
  void unite_along_samples() {
    const std::int64_t block = vertices_per_block_of(graph_.n_vertices);
    if (symmetric_ && NearArcs<n_sampled>::suits(rows_, block)) {
      NearArcs<n_sampled>(rows_, sets_, giant_.words()).unite(block);
    } else {
      attach_to_first_heads(block);
      unite_sampled_arcs<n_sampled>();
    }
  }

  /// Makes the first head of each row the parent, if it is the smaller vertex: no other thread
  /// writes this parent, so it needs no compare-and-swap. A head within the block has its parent
  /// already; taking that instead keeps the trees flat.
  void attach_to_first_heads(std::int64_t vertices_per_tree) {
    parallel_blocks(graph_.n_vertices, vertices_per_tree,
                    [&](int, std::int64_t first, std::int64_t last) {
                      for (std::int64_t v = first; v < last; ++v) {
                        const auto u = static_cast<vertex_t>(v);
                        if (skips_arcs_) rows_.prefetch_after(v);
                        const vertex_t head = std::min(rows_.first_heads<1>(u)[0], u);
                        sets_.parent[u] = head;
                        if (head >= first) sets_.parent[u] = sets_.parent[head];
                      }
                    });
  }

  /// Unites along the sampled arcs. Most join no sets. Which ones do is hard to predict, and a
  /// mispredicted branch takes as long as a cache miss. So the arcs of some rows are first
  /// collected, then filtered, both without branches.
  template <edge_t n_sampled>
  void unite_sampled_arcs() const {
    parallel_blocks(graph_.n_vertices, vertices_per_block,
                    [&](int, std::int64_t first, std::int64_t last) {
                      for (; first < last; first += rows_per_batch) {
                        SampledArcs<n_sampled> arcs;
                        collect_sampled_arcs(first, std::min(first + rows_per_batch, last), arcs);
                        unite_ends_of(arcs);
                      }
                    });
  }

  /// Collects the sampled arcs of some rows, but first arcs to a smaller head, which have been used
  /// already. In a symmetric graph, the other arcs to larger heads are left to their other ends.
  template <edge_t n_sampled>
  void collect_sampled_arcs(std::int64_t first, std::int64_t last,
                            SampledArcs<n_sampled>& to) const {
    std::size_t count = 0;
    for (std::int64_t v = first; v < last; ++v) {
      const auto u = static_cast<vertex_t>(v);
      if (skips_arcs_) rows_.prefetch_after(v);
      const auto heads = rows_.template first_heads<n_sampled>(u);
      for (edge_t i = 0; i < n_sampled; ++i) {
        const vertex_t head = heads[i];
        to.arcs[count] = {u, head};
        count += i == 0 ? head > u : (head < u) | (!symmetric_ & (head > u));
      }
    }
    to.count = count;
  }

  /// Keeps the arcs whose ends have different grandparents, and unites those.
  template <edge_t n_sampled>
  void unite_ends_of(SampledArcs<n_sampled>& sampled) const {
    auto& arcs = sampled.arcs;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < sampled.count; ++i) {
      const vertex_t a = halve(arcs[i].tail);
      const vertex_t b = relaxed_load(sets_.parent[relaxed_load(sets_.parent[arcs[i].head])]);
      arcs[kept] = {a, b};
      kept += a != b;
    }
    for (std::size_t i = 0; i < kept; ++i) sets_.unite(arcs[i].tail, arcs[i].head);
  }

  /// Makes v's grandparent its parent, one step of UnionFind::find(), and returns it. If it differs
  /// from the parent, then v is not a root, or has just been hooked; either way no hook writes to v
  /// any more, and the grandparent is an ancestor of v.
  vertex_t halve(vertex_t v) const {
    const vertex_t above = relaxed_load(sets_.parent[v]);
    const vertex_t next = relaxed_load(sets_.parent[above]);
    if (next != above) relaxed_store(sets_.parent[v], next);
    return next;
  }

  /// Returns the root of a giant component, if there is one: the most frequent root among evenly
  /// spaced samples.
  [[nodiscard]] vertex_t frequent_root() const {
    const vertex_t stride = std::max(1, graph_.n_vertices / min_samples);
    std::vector<vertex_t> roots;
    roots.reserve(static_cast<std::size_t>(max_samples(graph_.n_vertices)));
    for (std::int64_t v = 0; v < graph_.n_vertices; v += stride) {
      roots.push_back(sets_.find(static_cast<vertex_t>(v)));
    }
    std::sort(roots.begin(), roots.end());
    vertex_t best = 0;
    std::ptrdiff_t max_count = 0;
    for (auto first = roots.begin(); first != roots.end();) {
      const auto last = std::upper_bound(first, roots.end(), *first);
      if (last - first > max_count) {
        max_count = last - first;
        best = *first;
      }
      first = last;
    }
    return best;
  }

  /// Attaches every vertex to its root and sets the bits of the giant component's vertices.
  void flatten(vertex_t giant_root) {
    parallel_for(
        n_words(graph_.n_vertices),
        [&](std::int64_t word) {
          giant_.words()[static_cast<std::size_t>(word)] = flatten_word(word, giant_root);
        },
        words_per_block);
  }

  [[nodiscard]] std::uint64_t flatten_word(std::int64_t word, vertex_t giant_root) const {
    const UnionFind sets = sets_;  // a copy: atomic operations make the compiler read members again
    const std::int64_t last = std::min<std::int64_t>(64 * word + 64, graph_.n_vertices);
    std::uint64_t bits = 0;
    for (std::int64_t v = 64 * word; v < last; ++v) {
      // Two steps without a branch: more are seldom needed.
      const vertex_t above = relaxed_load(sets.parent[v]);
      const vertex_t root = sets.root(relaxed_load(sets.parent[above]));
      relaxed_store(sets.parent[v], root);
      bits |= static_cast<std::uint64_t>(root == giant_root) << (v % 64);
    }
    return bits;
  }

  /// Calls visit(v) for the vertices of a word of the bitmap whose bits are zero.
  template <class Visit>
  void for_each_outside_giant(std::int64_t word, Visit&& visit) {
    std::uint64_t outside = ~giant_.words()[static_cast<std::size_t>(word)];
    const std::int64_t in_word = graph_.n_vertices - 64 * word;
    if (in_word < 64) outside &= (std::uint64_t{1} << in_word) - 1;
    for (; outside != 0; outside &= outside - 1) {
      visit(static_cast<vertex_t>(64 * word + std::countr_zero(outside)));
    }
  }

  void unite_remaining_arcs() {
    parallel_for(
        n_words(graph_.n_vertices),
        [&](std::int64_t word) {
          for_each_outside_giant(word, [&](vertex_t u) { unite_remaining_arcs_of(u); });
          if (!symmetric_) unite_arcs_that_leave_giant(word);
        },
        words_per_block / 4);
  }

  /// Unites along the arcs of a vertex outside the giant component. In a symmetric graph, an arc
  /// that leaves the giant component is found from its other end, and another one from its larger
  /// end.
  void unite_remaining_arcs_of(vertex_t u) {
    const BitmapView giant = giant_.view();
    const edge_t end = graph_.end(u);
    for (edge_t e = graph_.begin(u); e < end; ++e) {
      const vertex_t head = graph_.heads[e];
      if (symmetric_ && head >= u && !giant.test(head)) continue;
      // Most arcs lead to the same set, and most vertices of a set have the root as their parent.
      if (relaxed_load(sets_.parent[head]) != relaxed_load(sets_.parent[u])) sets_.unite(u, head);
    }
  }

  void unite_arcs_that_leave_giant(std::int64_t word) {
    std::uint64_t inside = giant_.words()[static_cast<std::size_t>(word)];
    for (; inside != 0; inside &= inside - 1) {
      const auto u = static_cast<vertex_t>(64 * word + std::countr_zero(inside));
      for_each_head_outside_giant(u, [&](vertex_t v) { sets_.unite(u, v); });
    }
  }

  /// Calls visit(head) for the heads of u outside the giant component. Nearly all heads are in it,
  /// so heads are tested in batches without a branch for each.
  template <class Visit>
  void for_each_head_outside_giant(vertex_t u, Visit&& visit) {
    constexpr edge_t heads_per_batch = 16;
    const BitmapView giant = giant_.view();
    const edge_t end = graph_.end(u);
    for (edge_t first = graph_.begin(u), last = first; first < end; first = last) {
      last = std::min(first + heads_per_batch, end);
      bool all = true;
      for (edge_t e = first; e < last; ++e) all &= giant.test(graph_.heads[e]);
      for (edge_t e = first; !all && e < last; ++e) {
        if (!giant.test(graph_.heads[e])) visit(graph_.heads[e]);
      }
    }
  }

  /// Replaces the parent of each root by ~number, which is negative: the roots in increasing order
  /// have the numbers from 0. No root's bit is set. Returns the number of roots.
  vertex_t number_roots() {
    const auto for_each_root = [&](std::int64_t block, auto&& visit) {
      const std::int64_t last = std::min((block + 1) * words_per_block, n_words(graph_.n_vertices));
      for (std::int64_t word = block * words_per_block; word < last; ++word) {
        for_each_outside_giant(word, [&](vertex_t v) {
          if (sets_.parent[v] == v) visit(v);
        });
      }
    };
    const std::int64_t blocks = n_blocks(graph_.n_vertices);
    parallel_for(
        blocks,
        [&](std::int64_t block) {
          vertex_t count = 0;
          for_each_root(block, [&](vertex_t) { ++count; });
          first_number_[static_cast<std::size_t>(block)] = count;
        },
        1);
    const vertex_t n_roots = exclusive_scan_in_place(first_number_.data(), blocks);
    parallel_for(
        blocks,
        [&](std::int64_t block) {
          vertex_t number = first_number_[static_cast<std::size_t>(block)];
          for_each_root(block, [&](vertex_t v) { sets_.parent[v] = ~number++; });
        },
        1);
    return n_roots;
  }

  /// Writes the labels. The vertices outside the bitmap first take over ~number from their roots: a
  /// thread that comes through such a vertex finds its parent or the same ~number. Their paths lead
  /// through the bitmap at most at the root that the giant component had before, so its vertices
  /// get their labels afterwards, together with the sign of the others.
  void label_vertices(vertex_t giant_root) {
    const std::int64_t words = n_words(graph_.n_vertices);
    parallel_for(
        words,
        [&](std::int64_t word) {
          for_each_outside_giant(word, [&](vertex_t v) {
            vertex_t above = relaxed_load(sets_.parent[v]);
            while (above >= 0) above = relaxed_load(sets_.parent[above]);
            relaxed_store(sets_.parent[v], above);
          });
        },
        words_per_block);
    const vertex_t giant_number = ~sets_.parent[giant_root];
    parallel_for(
        words,
        [&](std::int64_t word) {
          const std::uint64_t bits = giant_.words()[static_cast<std::size_t>(word)];
          vertex_t* const labels = sets_.parent + 64 * word;
          const std::int64_t in_word = std::min<std::int64_t>(graph_.n_vertices - 64 * word, 64);
          if (bits == ~std::uint64_t{0}) {
            std::fill(labels, labels + 64, giant_number);
          } else {
            for (std::int64_t i = 0; i < in_word; ++i) {
              labels[i] = (bits >> i & 1) != 0 ? giant_number : ~labels[i];
            }
          }
        },
        words_per_block);
  }

  const CsrPattern& graph_;
  const SampledRows rows_;
  const bool skips_arcs_;  // the sampled arcs are a small part of the rows
  const bool symmetric_;
  const UnionFind sets_;
  Bitmap giant_;
  std::vector<vertex_t> first_number_;  // of the roots in a block
};

}  // namespace

MemoryNeed need_of_components(vertex_t n_vertices) {
  return {"labelling components", WeakComponents::bytes(n_vertices), "use a smaller graph"};
}

vertex_t connected_components_cpu(const CsrPattern& graph, bool symmetric,
                                  std::span<vertex_t> labels, MemoryBudget budget) {
  budget.require(need_of_components(graph.n_vertices));
  if (graph.n_arcs == 0) {
    std::iota(labels.begin(), labels.end(), 0);
    return graph.n_vertices;
  }
  vertex_t n_components = 0;
  const auto run = [&] { n_components = WeakComponents(graph, symmetric, labels).run(); };
  if (graph.n_vertices + graph.n_arcs < min_pool_size) {
    const CallThreads one(1);
    run();
  } else {
    with_spinning_pool(run);
  }
  return n_components;
}

vertex_t connected_components_reference(const CsrPattern& graph, std::span<vertex_t> labels) {
  // A search in both directions would need the reversed arcs; uniting sets does not.
  std::vector<vertex_t> set(labels.size());
  for (std::size_t v = 0; v < set.size(); ++v) set[v] = static_cast<vertex_t>(v);
  const auto root = [&](vertex_t v) {
    while (set[static_cast<std::size_t>(v)] != v) v = set[static_cast<std::size_t>(v)];
    return v;
  };
  for (vertex_t u = 0; u < graph.n_vertices; ++u) {
    for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
      const vertex_t a = root(u);
      const vertex_t b = root(graph.heads[e]);
      set[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  }
  vertex_t n_components = 0;
  for (vertex_t v = 0; v < graph.n_vertices; ++v) {
    const vertex_t smallest = root(v);
    labels[static_cast<std::size_t>(v)] =
        smallest == v ? n_components++ : labels[static_cast<std::size_t>(smallest)];
  }
  return n_components;
}

}  // namespace warpgraph
