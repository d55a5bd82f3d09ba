// Times the filter-Kruskal of PBBS on a graph in ECL's binary format, for bench_mst.py. README.md
// says how to compile it with the sources of PBBS.
#include "MST.h"
#include "common/graph.h"
#include "parlay/primitives.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <vector>

namespace {

using Edge = wghEdge<vertexId, edgeWeight>;

/// The edges above the diagonal of a graph that stores each edge both ways.
parlay::sequence<Edge> read_edges(const char* path, int* n_vertices) {
  std::ifstream file(path, std::ios::binary);
  int n_arcs = 0;
  const auto read = [&](void* items, std::size_t n) {
    file.read(static_cast<char*>(items), static_cast<std::streamsize>(n * sizeof(int)));
  };
  read(n_vertices, 1);
  read(&n_arcs, 1);
  std::vector<int> offsets(static_cast<std::size_t>(*n_vertices) + 1);
  std::vector<int> heads(static_cast<std::size_t>(n_arcs));
  std::vector<int> weights(heads.size());
  read(offsets.data(), offsets.size());
  read(heads.data(), heads.size());
  read(weights.data(), weights.size());
  std::vector<Edge> edges;
  for (int u = 0; u < *n_vertices; ++u) {
    for (int e = offsets[u]; e < offsets[u + 1]; ++e) {
      if (u < heads[e]) edges.push_back(Edge(u, heads[e], static_cast<edgeWeight>(weights[e])));
    }
  }
  return parlay::sequence<Edge>(edges.begin(), edges.end());
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  int n_vertices = 0;
  parlay::sequence<Edge> edges = read_edges(arguments[1], &n_vertices);
  wghEdgeArray<vertexId, edgeWeight> graph(std::move(edges), n_vertices);
  for (int solve = 0; solve < 11; ++solve) {
    const auto start = std::chrono::steady_clock::now();
    const auto forest = mst(graph);
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    std::printf("Solve: %.4f ms\n", elapsed.count());
    if (solve > 0) continue;
    std::int64_t weight = 0;
    for (const auto edge : forest) weight += static_cast<std::int64_t>(graph.E[edge].weight);
    std::printf("Weight: %lld\n", static_cast<long long>(weight));
  }
}
