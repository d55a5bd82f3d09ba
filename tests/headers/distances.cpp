// Dijkstra's algorithm with the radix heap, and components with the union-find, of a small graph.
#include <array>
#include <cstdio>
#include <vector>
#include <warpgraph/core/containers/heap.hpp>
#include <warpgraph/core/containers/union_find.hpp>

int main() {
  // Two components: a ring of five vertices with one expensive edge, and a vertex of its own.
  struct Arc {
    warpgraph::vertex_t head;
    int weight;
  };
  const std::array<std::vector<Arc>, 6> arcs = {{{{1, 2}, {4, 9}},
                                                 {{0, 2}, {2, 2}},
                                                 {{1, 2}, {3, 2}},
                                                 {{2, 2}, {4, 2}},
                                                 {{3, 2}, {0, 9}},
                                                 {}}};
  constexpr int unreached = warpgraph::infinity<int>();
  std::array<int, 6> distances = {0, unreached, unreached, unreached, unreached, unreached};
  warpgraph::RadixHeap<int> heap(6);
  heap.push(0, 0, distances.data());
  while (!heap.empty()) {
    const auto [distance, vertex] = heap.pop();
    if (distance > distances[static_cast<std::size_t>(vertex)]) continue;
    for (const Arc arc : arcs[static_cast<std::size_t>(vertex)]) {
      const int found = warpgraph::extend(distance, arc.weight);
      int& known = distances[static_cast<std::size_t>(arc.head)];
      if (found >= known) continue;
      known = found;
      heap.push(arc.head, known, distances.data());
    }
  }

  std::array<warpgraph::vertex_t, 6> parents{};
  const warpgraph::UnionFind sets{parents.data()};
  for (warpgraph::vertex_t v = 0; v < 6; ++v) sets.make_singleton(v);
  for (warpgraph::vertex_t v = 0; v < 6; ++v) {
    for (const Arc arc : arcs[static_cast<std::size_t>(v)]) sets.hook(v, arc.head);
  }
  for (std::size_t v = 0; v < 6; ++v) {
    std::printf("%d %d\n", distances[v], sets.root(static_cast<warpgraph::vertex_t>(v)));
  }
}
