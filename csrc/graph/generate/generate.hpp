// Synthetic graphs of the kinds that graph algorithms are measured on. A graph is a function of its
// parameters and the seed: random numbers are drawn by position, so it does not depend on the
// number of threads.
//
// rmat: recursive matrices [1]. Each edge falls, scale times in a row, into one of the four
// quadrants of the adjacency matrix with probabilities a, b, c, d; few vertices get very many
// edges, as in social networks. `noise` varies the probabilities from level to level within an edge
// by up to that fraction in all, which smooths the steps in the distribution of degrees.
//
// ssca2: cliques of random size, joined by few edges of length 2, 4, 8, ... [2]. From each vertex
// one edge to a random vertex at distance d .. 1.5 d - 1 is tried for every d = 2^t; it exists with
// probability inter_clique_probability * decay^(t-1), unless it stays within the clique.
//
// grid: neighbours to the right and below, less a random fraction of these edges.
//
// [1] Chakrabarti, Zhan, Faloutsos: R-MAT: a recursive model for graph mining. SDM 2004.
// [2] Bader, Madduri: Design and implementation of the HPCS graph analysis benchmark on symmetric
//     multiprocessors. HiPC 2005.
#pragma once

#include "graph/csr.hpp"

namespace warpgraph {

/// Which of the edges drawn are stored, and how.
struct EdgeRules {
  bool directed = false;         // else every edge is stored both ways, with one weight
  bool keep_loops = false;       // else edges from a vertex to itself are dropped
  bool keep_duplicates = false;  // else one of several equal edges stays, and rows are sorted
};

struct WeightRule {
  enum class Kind { ones, uniform, integer };
  Kind kind = Kind::uniform;  // uniform: in [0, 1), for floating-point weights only
  std::int64_t low = 0;       // integer: uniform in low .. high
  std::int64_t high = 0;
};

struct RmatOptions {
  int scale = 0;            // 2^scale vertices
  double edge_factor = 16;  // edges drawn a vertex
  double a = 0.57, b = 0.19, c = 0.19, d = 0.05;
  double noise = 0;
  bool relabel = true;  // else hubs have numbers with few bits set
  EdgeRules edges{};
};

struct Ssca2Options {
  int scale = 0;
  vertex_t max_clique_size = 49;
  double inter_clique_probability = 0.1;
  double decay = 0.5;
  bool relabel = true;  // else the members of a clique are neighbours in memory
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
