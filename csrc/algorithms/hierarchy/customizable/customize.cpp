// Customization: computes the lengths of the arcs of a hierarchy from the weights of edges.
#include "algorithms/hierarchy/customizable/customized.hpp"
#include "algorithms/hierarchy/customizable/triangles.hpp"
#include "core/containers/at.hpp"
#include "core/interrupt.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/relaxation/relax.hpp"

namespace warpgraph {
namespace {

using namespace hierarchy_detail;
using shortest_paths::weight_of;

/// Vertices of a subtree between two polls for Ctrl-C.
constexpr vertex_t vertices_between_polls = 1 << 6;

/// The lengths of arcs, from the lower rank to the higher one and back.
template <class T>
struct ArcLengths {
  using Length = typename LengthOf<T>::Type;
  static constexpr Length none = static_cast<Length>(unreached<T>());

  HostVector<Length> up;
  HostVector<Length> down;  // empty if all are those of `up`
};

/// Returns the lengths of the graph's edges. Threads do not write to the same length, since it is
/// that of edges with one tail, and one thread reads all edges of a tail.
template <class T, class W>
ArcLengths<T> lengths_of_edges(const HierarchyStructure& s, const CsrView<W>& graph) {
  using Length = typename ArcLengths<T>::Length;
  ArcLengths<T> lengths;
  lengths.up.resize(s.n_arcs());
  lengths.down.resize(s.n_arcs());
  const auto n_arcs = static_cast<std::int64_t>(s.n_arcs());
  parallel_blocks(n_arcs, light_grain, [&](int, std::int64_t first, std::int64_t last) {
    std::fill(lengths.up.begin() + first, lengths.up.begin() + last, ArcLengths<T>::none);
    std::fill(lengths.down.begin() + first, lengths.down.begin() + last, ArcLengths<T>::none);
  });
  Length* const sides[2] = {lengths.up.data(), lengths.down.data()};
  const std::uint32_t* const arc_of_edge = s.arc_of_edge.data();
  parallel_for(graph.n_vertices, [&](std::int64_t v) {
    for (edge_t e = graph.offsets[v], end = graph.offsets[v + 1]; e < end; ++e) {
      const std::uint32_t arc = arc_of_edge[e];
      const W weight = weight_of(graph, e);
      if (arc == HierarchyStructure::no_arc) continue;
      if (!std::is_integral_v<W> && weight == infinity<W>()) continue;
      Length& length = sides[arc % 2][arc / 2];
      length = std::min(length, static_cast<Length>(weight));
    }
  });
  return lengths;
}

/// Keeps one side if both are equal. If edges may be walked both ways, this is the lesser of both.
template <class T>
void merge_sides(ArcLengths<T>& lengths, bool undirected) {
  const auto n_arcs = static_cast<std::int64_t>(lengths.up.size());
  if (undirected) {
    parallel_for(
        n_arcs,
        [&](std::int64_t a) {
          lengths.up[at(a)] = std::min(lengths.up[at(a)], lengths.down[at(a)]);
        },
        light_grain);
  } else if (parallel_find_first(n_arcs, [&](std::int64_t a) {
               return lengths.up[at(a)] != lengths.down[at(a)];
             }) < n_arcs) {
    return;
  }
  HostVector<typename ArcLengths<T>::Length>().swap(lengths.down);
}

template <class T, bool symmetric>
class Customization {
 public:
  using Length = typename LengthOf<T>::Type;

  Customization(const HierarchyStructure& structure, ArcLengths<T>&& lengths)
      : s_(structure),
        triangles_(structure),
        up_(std::move(lengths.up)),
        down_(std::move(lengths.down)),
        threads_(at(threads_of_loop())) {}

  Customized<T> run() {
    const CallThreads fixed(static_cast<int>(threads_.size()));
    go_up();
    shorter_up_ = copy_of(up_);
    shorter_down_ = copy_of(down_);
    prepare_rows();
    go_down();
    fill_rows(symmetric ? up_ : down_, symmetric ? up_heads_ : down_heads_, hierarchy_.down);
    if (!symmetric) fill_rows(up_, up_heads_, hierarchy_.up);
    return take_result();
  }

 private:
  static constexpr Length none = ArcLengths<T>::none;

  struct alignas(64) OfThread {
    HostVector<std::int32_t> slots;  // by head: the arc to it in the row that pull_lower() shortens
    RootCount<Length> down;
    RootCount<Length> up;
  };

  static HostVector<Length> copy_of(const HostVector<Length>& from) {
    HostVector<Length> made(from.size());
    parallel_blocks(static_cast<std::int64_t>(from.size()), light_grain,
                    [&](int, std::int64_t first, std::int64_t last) {
                      std::copy(from.begin() + first, from.begin() + last, made.begin() + first);
                    });
    return made;
  }

  /// Returns lengths down as triangles.hpp takes them: nullptr if they are those up.
  static Length* side(HostVector<Length>& lengths) { return symmetric ? nullptr : lengths.data(); }

  std::int32_t* slots_of(int thread) {
    auto& slots = threads_[at(thread)].slots;
    if (slots.empty()) slots.resize(at(s_.n_vertices));
    return slots.data();
  }

  /// Calls visit(subtree, thread) for all subtrees.
  template <class Visit>
  void for_each_subtree(const Visit& visit) {
    parallel_blocks(static_cast<std::int64_t>(s_.subtrees.size()), 1,
                    [&](int thread, std::int64_t first, std::int64_t last) {
                      for (; first < last; ++first) visit(s_.subtrees[at(first)], thread);
                    });
  }
  /// Calls visit(index in upper_ranks, thread) for the upper ranks of a level.
  template <class Visit>
  void for_each_of_level(std::size_t level, const Visit& visit) {
    const std::size_t start = s_.upper_level_starts[level];
    const auto n = static_cast<std::int64_t>(s_.upper_level_starts[level + 1] - start);
    parallel_blocks(n, 1, [&](int thread, std::int64_t first, std::int64_t last) {
      for (; first < last; ++first) visit(start + at(first), thread);
    });
  }

  /// Shortens arcs by paths through lower vertices, in ascending order of ranks: the basic pass.
  void go_up() {
    for_each_subtree([&](const auto& subtree, int) {
      for (vertex_t r = subtree.first; r < subtree.second; ++r) {
        if (r % vertices_between_polls == 0) poll();
        shorten_between(triangles_, r, subtree.second, up_.data(), side(down_));
      }
    });
    with_spinning_pool([&] {
      for (std::size_t level = 0; level + 1 < s_.upper_level_starts.size(); ++level) {
        for_each_of_level(level,
                          [&](std::size_t i, int thread) { pull_lower(i, slots_of(thread)); });
      }
    });
  }

  /// Shortens arcs by paths through higher vertices, in descending order of ranks, and drops those
  /// that were longer: the perfect pass.
  void go_down() {
    const auto visit = [&](vertex_t r, int thread) {
      shorten_own(triangles_, r, up_.data(), side(down_), shorter_up_.data(), side(shorter_down_));
      finish_row(r, thread);
    };
    with_spinning_pool([&] {
      for (std::size_t level = s_.upper_level_starts.size() - 1; level-- > 0;) {
        for_each_of_level(level,
                          [&](std::size_t i, int thread) { visit(s_.upper_ranks[i], thread); });
      }
    });
    for_each_subtree([&](const auto& subtree, int thread) {
      for (vertex_t r = subtree.second; r-- > subtree.first;) {
        if (r % vertices_between_polls == 0) poll();
        visit(r, thread);
      }
    });
  }

  /// Shortens the arcs of an upper rank by paths through its lower neighbours. The heads of such a
  /// neighbour that are higher than r are also heads of r, so no slot is read that was not set.
  void pull_lower(std::size_t index, std::int32_t* slots) {
    const vertex_t r = s_.upper_ranks[index];
    const vertex_t* const heads = s_.heads.data();
    for (edge_t a = s_.offsets[at(r)]; a < s_.offsets[at(r) + 1]; ++a) {
      slots[heads[a]] = static_cast<std::int32_t>(a);
    }
    Length* const up = up_.data();
    Length* const down = down_.data();
    for (std::int64_t i = s_.lower_starts[index]; i < s_.lower_starts[index + 1]; ++i) {
      const edge_t a = s_.lower_arcs[at(i)];
      const edge_t end = s_.offsets[at(s_.lower_tails[at(i)]) + 1];
      const Length to = symmetric ? up[a] : down[a];
      const Length from = up[a];
      for (edge_t b = a + 1; b < end; ++b) {
        const std::int32_t arc = slots[heads[b]];
        up[arc] = std::min<Length>(up[arc], to + up[b]);
        if (!symmetric) down[arc] = std::min<Length>(down[arc], down[b] + from);
      }
    }
  }

  /// Drops the arcs of r's row that no shortest path needs. The lengths of the others move to the
  /// beginning of the row, where nothing reads them any more; `heads` gets the positions of their
  /// heads.
  void finish_row(vertex_t r, int thread) {
    const vertex_t p = s_.position_of[at(r)];
    hierarchy_.down.offsets[at(p)] =
        symmetric ? drop_longer(r, up_, shorter_up_, up_heads_, ways_up_)
                  : drop_longer(r, down_, shorter_down_, down_heads_, ways_down_);
    if (!symmetric)
      hierarchy_.up.offsets[at(p)] = drop_longer(r, up_, shorter_up_, up_heads_, ways_up_);
    OfThread& own = threads_[at(thread)];
    own.down.add(hierarchy_.down.offsets[at(p)], (symmetric ? ways_up_ : ways_down_)[at(r)]);
    if (!symmetric) own.up.add(hierarchy_.up.offsets[at(p)], ways_up_[at(r)]);
  }

  /// Returns the number of arcs that are kept. Sets r's way: the length of its shortest path to a
  /// vertex that has no arc up.
  edge_t drop_longer(vertex_t r, HostVector<Length>& lengths, const HostVector<Length>& shorter,
                     HostVector<vertex_t>& heads, HostVector<Length>& ways) const {
    const edge_t first = s_.offsets[at(r)];
    const edge_t last = s_.offsets[at(r) + 1];
    edge_t kept = first;
    Length way = none;
    for (edge_t a = first; a < last; ++a) {
      const Length length = lengths[at(a)];
      const bool keeps = is_kept(length, shorter[at(a)], none, margin_);
      const vertex_t head = s_.heads[at(a)];
      const Length through = length + ways[at(head)];
      way = keeps ? std::min(way, through) : way;
      lengths[at(kept)] = length;
      heads[at(kept)] = s_.position_of[at(head)];
      kept += keeps ? 1 : 0;
    }
    ways[at(r)] = kept == first ? Length{0} : way;
    return kept - first;
  }

  void prepare_rows() {
    const std::size_t n = at(s_.n_vertices);
    margin_ = margin_of(s_);
    hierarchy_ = without_arcs<T>(s_, symmetric);
    ways_up_.resize(n);
    up_heads_.resize(s_.n_arcs());
    if (symmetric) return;
    ways_down_.resize(n);
    down_heads_.resize(s_.n_arcs());
  }

  /// Copies the arcs that are kept into a search graph, by position. Reverses rows, so that heads
  /// ascend: those of a row are ancestors of each other, and the higher the rank of an ancestor,
  /// the smaller its position.
  void fill_rows(const HostVector<Length>& lengths, const HostVector<vertex_t>& heads,
                 Csr<T>& rows) const {
    rows.offsets.back() = 0;
    const edge_t n_arcs = exclusive_scan_in_place(rows.offsets.data(),
                                                  static_cast<std::int64_t>(rows.offsets.size()));
    rows.heads.resize(at(n_arcs));
    rows.weights.resize(at(n_arcs));
    parallel_for(s_.n_vertices, [&](std::int64_t p) {
      edge_t from = s_.offsets[at(s_.ranks[at(p)])];
      for (edge_t to = rows.offsets[at(p) + 1]; to-- > rows.offsets[at(p)]; ++from) {
        rows.heads[at(to)] = heads[at(from)];
        rows.weights[at(to)] = static_cast<T>(lengths[at(from)]);
      }
    });
  }

  Customized<T> take_result() {
    Customized<T> made;
    RootCount<Length> down;
    RootCount<Length> up;
    for (const OfThread& part : threads_) {
      down.add(part.down);
      up.add(part.up);
    }
    made.hierarchy = std::move(hierarchy_);
    set_bound(made, s_.n_parts, down, up);
    return made;
  }

  const HierarchyStructure& s_;
  const TriangleView triangles_;
  // By arc: the lengths from the lower rank to the higher one, and back. `up_` and `down_` are of
  // shortest paths through lower vertices only, the shorter ones of all shortest paths.
  HostVector<Length> up_;
  HostVector<Length> down_;
  HostVector<Length> shorter_up_;
  HostVector<Length> shorter_down_;
  HostVector<vertex_t> up_heads_;  // positions
  HostVector<vertex_t> down_heads_;
  HostVector<Length> ways_up_;  // by rank
  HostVector<Length> ways_down_;
  std::vector<OfThread> threads_;
  double margin_ = 0;
  Hierarchy<T> hierarchy_;
};

template <class T>
std::size_t bytes_of_customization(const HierarchyStructure& s) {
  // Lengths before and after the perfect pass, and the hierarchy, in two directions.
  return s.n_arcs() * 2 * (3 * sizeof(T) + 2 * sizeof(vertex_t)) +
         at(s.n_vertices) *
             (2 * sizeof(edge_t) + 2 * sizeof(vertex_t) + at(num_threads()) * sizeof(std::int32_t));
}

template <class T, class W>
Customized<T> customize(const HierarchyStructure& structure, const CsrView<W>& graph,
                        const CustomizeOptions& options) {
  options.budget.require("customizing a hierarchy", bytes_of_customization<T>(structure),
                         without_a_hierarchy);
  ArcLengths<T> lengths = lengths_of_edges<T>(structure, graph);
  merge_sides(lengths, options.undirected);
  return lengths.down.empty() ? Customization<T, true>(structure, std::move(lengths)).run()
                              : Customization<T, false>(structure, std::move(lengths)).run();
}

}  // namespace

template <class W>
AnyHierarchy customize_hierarchy(const HierarchyStructure& structure, const CsrView<W>& graph,
                                 const CustomizeOptions& options) {
  return customize_in_narrowest_type(
      structure, graph, [&]<class T>(T) { return customize<T>(structure, graph, options); });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(customize_hierarchy)

}  // namespace warpgraph
