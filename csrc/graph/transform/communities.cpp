// A hierarchy of communities, built bottom-up.
//
// Each vertex is first labelled with the member of its closed neighbourhood that has the smallest
// hash (min-hashing): vertices that share most of their neighbours mostly get the same label [1].
// Two rounds of label propagation then correct vertices whose label came through an arc to another
// community. On each higher level, every community merges with the one to which it has the most
// arcs, relative to the size of both. So small communities merge before large ones and the
// hierarchy stays balanced. In the resulting order every community is contiguous.
//
// [1] Broder, Charikar, Frieze, Mitzenmacher: Min-wise independent permutations. STOC 1998.
#include "core/containers/radix_sort.hpp"
#include "core/containers/union_find.hpp"
#include "graph/generate/random.hpp"
#include "graph/transform/group_arcs.hpp"
#include "graph/transform/reorder.hpp"
#include "graph/transform/row_blocks.hpp"

namespace warpgraph {
namespace {

using Labels = HostVector<vertex_t>;

std::size_t slot(vertex_t v) { return static_cast<std::size_t>(v); }

/// Labels each vertex with the neighbour, or itself, that has the smallest hash.
Labels label_by_min_hash(const CsrPattern& graph, const RowBlocks& blocks) {
  Labels labels(slot(graph.n_vertices));
  blocks.for_each([&](std::int64_t, vertex_t first, vertex_t last) {
    for (vertex_t u = first; u < last; ++u) {
      vertex_t min_vertex = u;
      std::uint64_t min_hash = mix64(static_cast<std::uint64_t>(u));
      for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
        const std::uint64_t hash = mix64(static_cast<std::uint64_t>(graph.heads[e]));
        if (hash >= min_hash) continue;
        min_vertex = graph.heads[e];
        min_hash = hash;
      }
      labels[slot(u)] = min_vertex;
    }
  });
  return labels;
}

/// Returns the most frequent label among u and its neighbours, the smallest of several. For a hub
/// only the first max_votes neighbours count, which is a sufficient sample.
vertex_t most_frequent_label(const CsrPattern& graph, const Labels& labels, vertex_t u,
                             std::vector<vertex_t>& votes) {
  constexpr edge_t max_votes = 256;
  votes.assign(1, labels[slot(u)]);
  const edge_t end = std::min(graph.end(u), graph.begin(u) + max_votes);
  for (edge_t e = graph.begin(u); e < end; ++e) votes.push_back(labels[slot(graph.heads[e])]);
  std::sort(votes.begin(), votes.end());
  vertex_t most_frequent = votes.front();
  std::ptrdiff_t max_count = 0;
  for (auto run = votes.begin(); run != votes.end();) {
    const auto run_end =
        std::find_if(run, votes.end(), [&](vertex_t label) { return label != *run; });
    if (run_end - run > max_count) {
      max_count = run_end - run;
      most_frequent = *run;
    }
    run = run_end;
  }
  return most_frequent;
}

/// Returns the most frequent label near each vertex.
Labels propagate_labels(const CsrPattern& graph, const RowBlocks& blocks, const Labels& labels) {
  Labels most_frequent(labels.size());
  blocks.for_each([&](std::int64_t, vertex_t first, vertex_t last) {
    std::vector<vertex_t> votes;
    for (vertex_t u = first; u < last; ++u) {
      most_frequent[slot(u)] = most_frequent_label(graph, labels, u, votes);
    }
  });
  return most_frequent;
}

/// Replaces labels, which are vertices, by numbers from 0 in the order of the labels in use.
/// Returns the number of labels.
vertex_t renumber_labels(Labels& labels) {
  const auto n = static_cast<std::int64_t>(labels.size());
  HostVector<vertex_t> numbers(labels.size());
  parallel_for(n, [&](std::int64_t v) { numbers[static_cast<std::size_t>(v)] = 0; });
  parallel_for(n, [&](std::int64_t v) {
    relaxed_store(numbers[slot(labels[static_cast<std::size_t>(v)])], vertex_t{1});
  });
  const vertex_t n_labels = exclusive_scan_in_place(numbers.data(), n);
  parallel_for(n, [&](std::int64_t v) {
    vertex_t& label = labels[static_cast<std::size_t>(v)];
    label = numbers[slot(label)];
  });
  return n_labels;
}

/// The coarsened graph: its vertices are communities. A weight is the number of arcs from one
/// community to another.
struct CoarseGraph {
  Csr<std::int64_t> graph;
  HostVector<std::int64_t> sizes;  // in vertices of the input graph
};

/// Merges the parallel arcs of each row and sums their weights; drops loops.
void merge_parallel_arcs(Csr<std::int64_t>& graph) {
  const auto n = static_cast<vertex_t>(graph.offsets.size() - 1);
  HostVector<edge_t> offsets(graph.offsets.size());
  const CsrView<std::int64_t> view = graph.view();
  const RowBlocks blocks(view);
  blocks.for_each([&](std::int64_t, vertex_t first, vertex_t last) {
    std::vector<std::pair<vertex_t, std::int64_t>> row;
    for (vertex_t u = first; u < last; ++u) {
      row.clear();
      for (edge_t e = view.begin(u); e < view.end(u); ++e) {
        if (view.heads[e] != u) row.emplace_back(view.heads[e], view.weights[e]);
      }
      std::sort(row.begin(), row.end());
      auto end = static_cast<std::size_t>(view.begin(u));
      const std::size_t begin = end;
      for (const auto& [head, weight] : row) {
        if (end > begin && graph.heads[end - 1] == head) {
          graph.weights[end - 1] += weight;
        } else {
          graph.heads[end] = head;
          graph.weights[end++] = weight;
        }
      }
      offsets[slot(u)] = static_cast<edge_t>(end - begin);
    }
  });
  offsets.back() = exclusive_scan_in_place(offsets.data(), n);
  Csr<std::int64_t> merged;
  merged.heads.resize(static_cast<std::size_t>(offsets.back()));
  merged.weights.resize(merged.heads.size());
  blocks.for_each([&](std::int64_t, vertex_t first, vertex_t last) {
    for (vertex_t u = first; u < last; ++u) {
      const edge_t count = offsets[slot(u) + 1] - offsets[slot(u)];
      std::copy_n(graph.heads.data() + view.begin(u), count,
                  merged.heads.data() + offsets[slot(u)]);
      std::copy_n(graph.weights.data() + view.begin(u), count,
                  merged.weights.data() + offsets[slot(u)]);
    }
  });
  merged.offsets = std::move(offsets);
  graph = std::move(merged);
}

/// Contracts each label to a vertex. weight_of(e) and size_of(v) are those of `graph`, the finer
/// level.
template <class WeightOf, class SizeOf>
CoarseGraph contract(const CsrPattern& graph, const Labels& labels, vertex_t n_labels,
                     WeightOf&& weight_of, SizeOf&& size_of) {
  CoarseGraph coarse;
  coarse.graph = group_arcs<std::int64_t>(
      "finding communities", n_labels, graph.n_arcs, [&](edge_t first, edge_t last, auto&& emit) {
        for_each_arc(graph, first, last, [&](vertex_t u, vertex_t v, edge_t e) {
          if (labels[slot(u)] != labels[slot(v)]) {
            emit(labels[slot(u)], labels[slot(v)], weight_of(e));
          }
        });
      });
  merge_parallel_arcs(coarse.graph);
  coarse.sizes.resize(slot(n_labels));
  parallel_for(n_labels, [&](std::int64_t c) { coarse.sizes[static_cast<std::size_t>(c)] = 0; });
  parallel_for(graph.n_vertices, [&](std::int64_t v) {
    const vertex_t u = static_cast<vertex_t>(v);
    std::atomic_ref<std::int64_t>(coarse.sizes[slot(labels[slot(u)])])
        .fetch_add(size_of(u), std::memory_order_relaxed);
  });
  return coarse;
}

/// Returns the neighbour to which u has the most arcs relative to the size of both, or u if it has
/// no neighbours.
vertex_t best_neighbour(const CoarseGraph& coarse, const CsrView<std::int64_t>& graph, vertex_t u) {
  vertex_t best = u;
  double best_similarity = 0.0;
  std::uint64_t best_hash = 0;
  for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
    const vertex_t v = graph.heads[e];
    const double similarity = static_cast<double>(graph.weights[e]) /
                              static_cast<double>(coarse.sizes[slot(u)] + coarse.sizes[slot(v)]);
    // A hash of the pair breaks ties, so that neither hubs nor small numbers attract all.
    const auto low = static_cast<std::uint64_t>(std::min(u, v));
    const std::uint64_t hash = mix64(low << 32 | static_cast<std::uint64_t>(std::max(u, v)));
    if (similarity < best_similarity || (similarity == best_similarity && hash < best_hash))
      continue;
    best = v;
    best_similarity = similarity;
    best_hash = hash;
  }
  return best;
}

/// Merges each community with its best neighbour. Returns a member of the set of each.
Labels merge_with_best(const CoarseGraph& coarse) {
  const CsrView<std::int64_t> graph = coarse.graph.view();
  Labels parents(slot(graph.n_vertices));
  const UnionFind sets{parents.data()};
  parallel_for(graph.n_vertices,
               [&](std::int64_t v) { sets.make_singleton(static_cast<vertex_t>(v)); });
  RowBlocks(graph).for_each([&](std::int64_t, vertex_t first, vertex_t last) {
    for (vertex_t u = first; u < last; ++u) sets.unite(u, best_neighbour(coarse, graph, u));
  });
  parallel_for(graph.n_vertices,
               [&](std::int64_t v) { sets.point_to_root(static_cast<vertex_t>(v)); });
  return parents;
}

/// Returns the vertices sorted by the rank of their community.
Labels order_members(const Labels& labels, const Labels& ranks) {
  const auto sorted = sorted_by_key(static_cast<std::int64_t>(labels.size()), [&](std::int64_t v) {
    return static_cast<std::uint32_t>(ranks[slot(labels[static_cast<std::size_t>(v)])]);
  });
  Labels order(labels.size());
  parallel_for(static_cast<std::int64_t>(labels.size()), [&](std::int64_t i) {
    order[static_cast<std::size_t>(i)] = static_cast<vertex_t>(sorted[i].index);
  });
  return order;
}

}  // namespace

HostVector<vertex_t> order_by_communities(const CsrPattern& graph) {
  constexpr int propagation_rounds = 2;
  const RowBlocks blocks(graph);
  std::vector<Labels> labels{label_by_min_hash(graph, blocks)};
  for (int i = 0; i < propagation_rounds; ++i)
    labels[0] = propagate_labels(graph, blocks, labels[0]);
  vertex_t n_labels = renumber_labels(labels[0]);
  CoarseGraph coarse = contract(
      graph, labels[0], n_labels, [](edge_t) { return std::int64_t{1}; },
      [](vertex_t) { return std::int64_t{1}; });
  while (!coarse.graph.heads.empty()) {
    labels.push_back(merge_with_best(coarse));
    n_labels = renumber_labels(labels.back());
    const CsrView<std::int64_t> finer = coarse.graph.view();
    coarse = contract(
        finer, labels.back(), n_labels, [&](edge_t e) { return finer.weights[e]; },
        [&](vertex_t v) { return coarse.sizes[slot(v)]; });
  }
  // Ranks are found from the top level on, whose communities are not connected to each other.
  Labels ranks(slot(n_labels));
  parallel_for(n_labels, [&](std::int64_t c) {
    ranks[static_cast<std::size_t>(c)] = static_cast<vertex_t>(c);
  });
  Labels order;
  for (std::size_t l = labels.size(); l-- > 0;) {
    order = order_members(labels[l], ranks);
    ranks = inverse_order(order);
  }
  return order;
}

}  // namespace warpgraph
