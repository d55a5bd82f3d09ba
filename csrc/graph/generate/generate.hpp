// Synthetic graphs that are common in benchmarks. A graph depends on its parameters and the seed
// alone: random numbers are counter-based, so the number of threads does not matter.
//
// rmat: recursive matrices [1]. Each edge is placed by choosing, scale times in a row, one of the
// four quadrants of the adjacency matrix with probabilities a, b, c, d. Few vertices get very many
// edges, as in social networks. For each edge, `noise` varies the probabilities from level to level
// by up to that fraction in total, which smooths the steps of the degree distribution.
//
// ssca2: cliques of random size, connected by few edges of length 2, 4, 8, ... [2]. Each vertex
// tries one edge to a random vertex at distance d .. 1.5 d - 1 for every d = 2^t. The edge exists
// with probability inter_clique_probability * decay^(t-1), unless it stays within the clique.
//
// grid: edges to the neighbours on the right and below, without a random fraction of them.
//
// [1] Chakrabarti, Zhan, Faloutsos: R-MAT: a recursive model for graph mining. SDM 2004.
// [2] Bader, Madduri: Design and implementation of the HPCS graph analysis benchmark on symmetric
//     multiprocessors. HiPC 2005.
#pragma once

#include "graph/csr.hpp"

namespace warpgraph {

/// Rules for the generated edges: the ones that are stored, and in what form.
struct EdgeRules {
  bool directed = false;         // false: every edge is stored in both directions, with one weight
  bool keep_loops = false;       // false: edges from a vertex to itself are dropped
  bool keep_duplicates = false;  // false: one of several equal edges stays, and rows are sorted
};

struct WeightRule {
  enum class Kind { ones, uniform, integer };
  Kind kind = Kind::uniform;  // uniform: in [0, 1), for floating-point weights only
  std::int64_t low = 0;       // integer: uniform in low .. high
  std::int64_t high = 0;
};

struct RmatOptions {
  int scale = 0;            // 2^scale vertices
  double edge_factor = 16;  // generated edges per vertex
  double a = 0.57, b = 0.19, c = 0.19, d = 0.05;
  double noise = 0;
  bool relabel = true;  // false: hubs have numbers with few set bits
  EdgeRules edges{};
};

struct Ssca2Options {
  int scale = 0;
  vertex_t max_clique_size = 49;
  double inter_clique_probability = 0.1;
  double decay = 0.5;
  bool relabel = true;  // false: the members of a clique are consecutive
  EdgeRules edges{};
};

struct GridOptions {
  vertex_t rows = 0;
  vertex_t cols = 0;
  double removed = 0;  // fraction of the edges
};

template <class W>
Csr<W> rmat(const RmatOptions& options, const WeightRule& weights, std::uint64_t seed);
template <class W>
Csr<W> ssca2(const Ssca2Options& options, const WeightRule& weights, std::uint64_t seed);
template <class W>
Csr<W> grid(const GridOptions& options, const WeightRule& weights, std::uint64_t seed);

}  // namespace warpgraph
