// Communities of communities, found from below.
//
// At first each vertex takes the name of the member of its closed neighbourhood that has the least
// hash: vertices that share most of their neighbours mostly take the same name [1]. Votes among
// neighbours then bring home those that an arc to elsewhere led astray. Above that, each community
// joins the one that it has most arcs to, for the size of both; so small ones join before large
// ones do and the hierarchy stays balanced. In the order, every community is contiguous.
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

/// Of each vertex the neighbour, or itself, with the least hash.
Labels name_by_least_hash(const CsrPattern& graph, const RowBlocks& blocks) {
  Labels names(slot(graph.n_vertices));
  blocks.for_each([&](std::int64_t, vertex_t first, vertex_t last) {
    for (vertex_t u = first; u < last; ++u) {
      vertex_t least = u;
      std::uint64_t least_hash = mix64(static_cast<std::uint64_t>(u));
      for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
        const std::uint64_t hash = mix64(static_cast<std::uint64_t>(graph.heads[e]));
        if (hash >= least_hash) continue;
        least = graph.heads[e];
        least_hash = hash;
      }
      names[slot(u)] = least;
    }
  });
  return names;
}

/// The name that most of u's neighbours and u have; of several such the least. Of a hub's many
/// neighbours the first few are asked, who are as good as others.
vertex_t elect(const CsrPattern& graph, const Labels& names, vertex_t u,
               std::vector<vertex_t>& votes) {
  constexpr edge_t most_voters = 256;
  votes.assign(1, names[slot(u)]);
  const edge_t end = std::min(graph.end(u), graph.begin(u) + most_voters);
  for (edge_t e = graph.begin(u); e < end; ++e) votes.push_back(names[slot(graph.heads[e])]);
  std::sort(votes.begin(), votes.end());
  vertex_t elected = votes.front();
  std::ptrdiff_t most = 0;
  for (auto run = votes.begin(); run != votes.end();) {
    const auto run_end =
        std::find_if(run, votes.end(), [&](vertex_t name) { return name != *run; });
    if (run_end - run > most) {
      most = run_end - run;
      elected = *run;
    }
    run = run_end;
  }
  return elected;
}

Labels vote(const CsrPattern& graph, const RowBlocks& blocks, const Labels& names) {
  Labels elected(names.size());
  blocks.for_each([&](std::int64_t, vertex_t first, vertex_t last) {
    std::vector<vertex_t> votes;
    for (vertex_t u = first; u < last; ++u) elected[slot(u)] = elect(graph, names, u, votes);
  });
  return elected;
}

/// Replaces names, which are vertices, by numbers from 0 in the order of the names that are used.
/// Returns how many are.
vertex_t number_names(Labels& names) {
  const auto n = static_cast<std::int64_t>(names.size());
  HostVector<vertex_t> numbers(names.size());
  parallel_for(n, [&](std::int64_t v) { numbers[static_cast<std::size_t>(v)] = 0; });
  parallel_for(n, [&](std::int64_t v) {
    relaxed_store(numbers[slot(names[static_cast<std::size_t>(v)])], vertex_t{1});
  });
  const vertex_t n_names = exclusive_scan_in_place(numbers.data(), n);
  parallel_for(n, [&](std::int64_t v) {
    vertex_t& name = names[static_cast<std::size_t>(v)];
    name = numbers[slot(name)];
  });
  return n_names;
}

/// Communities as vertices. A weight says how many arcs lead from one to another.
struct Level {
  Csr<std::int64_t> graph;
  HostVector<std::int64_t> sizes;  // in vertices of the original graph
};

/// Leaves each head of a row once, with the sum of the weights; loops go.
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

/// weight_of(e) and size_of(v) are those of the level below.
template <class WeightOf, class SizeOf>
Level contract(const CsrPattern& graph, const Labels& labels, vertex_t n_labels,
               WeightOf&& weight_of, SizeOf&& size_of) {
  Level level;
  level.graph = group_arcs<std::int64_t>(
      "finding communities", n_labels, graph.n_arcs, [&](edge_t first, edge_t last, auto&& emit) {
        for_each_arc(graph, first, last, [&](vertex_t u, vertex_t v, edge_t e) {
          if (labels[slot(u)] != labels[slot(v)]) {
            emit(labels[slot(u)], labels[slot(v)], weight_of(e));
          }
        });
      });
  merge_parallel_arcs(level.graph);
  level.sizes.resize(slot(n_labels));
  parallel_for(n_labels, [&](std::int64_t c) { level.sizes[static_cast<std::size_t>(c)] = 0; });
  parallel_for(graph.n_vertices, [&](std::int64_t v) {
    const vertex_t u = static_cast<vertex_t>(v);
    std::atomic_ref<std::int64_t>(level.sizes[slot(labels[slot(u)])])
        .fetch_add(size_of(u), std::memory_order_relaxed);
  });
  return level;
}

/// The neighbour that u has most arcs to for the size of both, or u.
vertex_t closest_neighbour(const Level& level, const CsrView<std::int64_t>& graph, vertex_t u) {
  vertex_t closest = u;
  double best = 0.0;
  std::uint64_t best_hash = 0;
  for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
    const vertex_t v = graph.heads[e];
    const double closeness = static_cast<double>(graph.weights[e]) /
                             static_cast<double>(level.sizes[slot(u)] + level.sizes[slot(v)]);
    // Among equals a hash of the pair decides, so that neither hubs nor low numbers collect all.
    const auto low = static_cast<std::uint64_t>(std::min(u, v));
    const std::uint64_t hash = mix64(low << 32 | static_cast<std::uint64_t>(std::max(u, v)));
    if (closeness < best || (closeness == best && hash < best_hash)) continue;
    closest = v;
    best = closeness;
    best_hash = hash;
  }
  return closest;
}

Labels join_closest(const Level& level) {
  const CsrView<std::int64_t> graph = level.graph.view();
  Labels parents(slot(graph.n_vertices));
  const UnionFind sets{parents.data()};
  parallel_for(graph.n_vertices,
               [&](std::int64_t v) { sets.make_singleton(static_cast<vertex_t>(v)); });
  RowBlocks(graph).for_each([&](std::int64_t, vertex_t first, vertex_t last) {
    for (vertex_t u = first; u < last; ++u) sets.unite(u, closest_neighbour(level, graph, u));
  });
  Labels labels(parents.size());
  parallel_for(graph.n_vertices, [&](std::int64_t v) {
    labels[static_cast<std::size_t>(v)] = sets.root(static_cast<vertex_t>(v));
  });
  return labels;
}

/// The members of all communities, where `ranks` says at which place each community comes.
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
  constexpr int elections = 2;
  const RowBlocks blocks(graph);
  std::vector<Labels> labels{name_by_least_hash(graph, blocks)};
  for (int i = 0; i < elections; ++i) labels[0] = vote(graph, blocks, labels[0]);
  vertex_t n_labels = number_names(labels[0]);
  Level level = contract(
      graph, labels[0], n_labels, [](edge_t) { return std::int64_t{1}; },
      [](vertex_t) { return std::int64_t{1}; });
  while (!level.graph.heads.empty()) {
    labels.push_back(join_closest(level));
    n_labels = number_names(labels.back());
    const CsrView<std::int64_t> below = level.graph.view();
    level = contract(
        below, labels.back(), n_labels, [&](edge_t e) { return below.weights[e]; },
        [&](vertex_t v) { return level.sizes[slot(v)]; });
  }
  // From the top, whose communities have nothing to do with each other.
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
