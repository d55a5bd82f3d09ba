#include "graph/generate/generate.hpp"

#include "graph/assemble.hpp"

#include <cmath>

namespace warpgraph {
namespace {

constexpr int max_scale = 30;  // 2^31 vertices are one more than vertex_t can count

void validate_scale(int scale) {
  EXPECTS(scale >= 0 && scale <= max_scale, "scale must be in 0..", max_scale, ", got ", scale);
}

void validate_fraction(double value, const char* name) {
  EXPECTS(value >= 0 && value <= 1, name, " must be in 0..1, got ", value);
}

/// Map from the generated numbers of the vertices to random new ones, or to themselves.
class VertexLabels {
 public:
  VertexLabels(vertex_t n, std::uint64_t seed, bool relabel)
      : bijection_(static_cast<std::uint64_t>(n), CounterRandom(seed, label_stream).bits(0)),
        relabel_(relabel) {}
  [[nodiscard]] vertex_t operator()(std::uint64_t v) const noexcept {
    return static_cast<vertex_t>(relabel_ ? bijection_(v) : v);
  }

 private:
  RandomBijection bijection_;
  bool relabel_;
};

struct Edge {
  vertex_t tail;
  vertex_t head;
};

/// Returns a function that places an edge with the same probabilities on all levels.
auto fixed_quadrants(const RmatOptions& options) {
  const auto threshold = [](double probability) {
    return static_cast<std::uint64_t>(probability * 0x1.0p32);
  };
  return [scale = options.scale, a = threshold(options.a), ab = threshold(options.a + options.b),
          abc = threshold(options.a + options.b + options.c)](RandomSequence random) {
    std::uint64_t row = 0;
    std::uint64_t column = 0;
    std::uint64_t random_bits = 0;
    for (int level = 0; level < scale; ++level) {
      // A level takes 32 bits, so one random number serves two levels.
      random_bits = level % 2 == 0 ? random.bits() : random_bits << 32;
      const std::uint64_t u = random_bits >> 32;
      row = (row << 1) | (u >= ab ? 1 : 0);
      column = (column << 1) | ((u >= a) != (u >= ab) || u >= abc ? 1 : 0);
    }
    return std::pair(row, column);
  };
}

/// Returns a function that places an edge with probabilities that vary from level to level.
auto noisy_quadrants(const RmatOptions& options) {
  return [options](RandomSequence random) {
    std::array<double, 4> p{options.a, options.b, options.c, options.d};
    // Four factors in 1 -+ noise / 2, from 16 bits each.
    const auto vary = [&](std::uint64_t random_bits) {
      double sum = 0;
      for (double& probability : p) {
        probability *= 1 - options.noise / 2 +
                       options.noise * 0x1.0p-16 * static_cast<double>(random_bits & 0xFFFF);
        random_bits >>= 16;
        sum += probability;
      }
      for (double& probability : p) probability /= sum;
    };
    std::uint64_t row = 0;
    std::uint64_t column = 0;
    for (int level = 0; level < options.scale; ++level) {
      if (level > 0) vary(random.bits());
      const double u = random.uniform();
      const bool lower = u >= p[0] + p[1];
      const bool right = lower ? u >= p[0] + p[1] + p[2] : u >= p[0];
      row = (row << 1) | (lower ? 1 : 0);
      column = (column << 1) | (right ? 1 : 0);
    }
    return std::pair(row, column);
  };
}

/// Draws all edges; place(random numbers) returns the row and the column of one.
template <class Place>
void draw_edges(const Place& place, const VertexLabels& label, std::uint64_t seed,
                HostVector<Edge>& edges) {
  const CounterRandom random(seed, edge_stream);
  parallel_for(static_cast<std::int64_t>(edges.size()), [&](std::int64_t i) {
    const auto [row, column] = place(random.sequence(static_cast<std::uint64_t>(i)));
    edges[static_cast<std::size_t>(i)] = {label(row), label(column)};
  });
}

// Lists of the edges of each kind of graph, for assemble(). They are types of their own, so that
// the code that does not depend on weights is compiled once.

struct DrawnEdges {
  const HostVector<Edge>& edges;

  template <class Emit>
  void operator()(std::int64_t first, std::int64_t last, Emit&& emit) const {
    for (std::int64_t i = first; i < last; ++i) {
      const Edge& edge = edges[static_cast<std::size_t>(i)];
      emit(edge.tail, edge.head, static_cast<std::uint64_t>(i));
    }
  }
};

void validate(const RmatOptions& options) {
  validate_scale(options.scale);
  constexpr double max_factor = 1e6;  // keeps the number of edges well within 64 bits
  EXPECTS(options.edge_factor >= 0 && options.edge_factor <= max_factor,
          "edge_factor must be in 0..", max_factor, ", got ", options.edge_factor);
  for (const double p : {options.a, options.b, options.c, options.d}) {
    validate_fraction(p, "each of the R-MAT probabilities");
  }
  const double sum = options.a + options.b + options.c + options.d;
  EXPECTS(std::abs(sum - 1) < 1e-6, "the R-MAT probabilities must add up to 1, got ", sum);
  validate_fraction(options.noise, "noise");
}

/// Returns the peak memory of rmat().
template <class W>
std::size_t rmat_bytes(const RmatOptions& options, std::size_t n_edges) {
  const std::size_t directions = options.edges.directed ? 1 : 2;
  // Without removal of duplicates: the arcs in buckets and the graph. With it: first the same
  // without weights, then heads twice and weights; a few per cent less after duplicates are
  // removed.
  const std::size_t per_arc =
      options.edges.keep_duplicates
          ? sizeof(Arc<W>) + sizeof(vertex_t) + sizeof(W)
          : std::max(sizeof(Arc<Unweighted>) + sizeof(vertex_t), 2 * sizeof(vertex_t) + sizeof(W));
  return n_edges * (sizeof(Edge) + directions * per_arc) +
         (std::size_t{2} << options.scale) * sizeof(edge_t);
}

/// Returns the first vertices of the cliques, followed by n.
std::vector<vertex_t> draw_cliques(vertex_t n, vertex_t max_size, std::uint64_t seed) {
  const CounterRandom random(seed, clique_stream);
  std::vector<vertex_t> starts;
  for (std::int64_t start = 0; start < n;) {
    if (starts.size() % (1 << 16) == 0) poll();
    const auto size = random.below(starts.size(), static_cast<std::uint64_t>(max_size)) + 1;
    starts.push_back(static_cast<vertex_t>(start));
    start += static_cast<std::int64_t>(size);
  }
  starts.push_back(n);
  return starts;
}

/// Returns the number of arcs within cliques; there are others between them.
std::int64_t arcs_of_cliques(const std::vector<vertex_t>& starts) {
  return parallel_reduce(
      static_cast<std::int64_t>(starts.size()) - 1, std::int64_t{0},
      [&](std::int64_t i) {
        const auto clique = static_cast<std::size_t>(i);
        const std::int64_t size = starts[clique + 1] - starts[clique];
        return size * (size - 1);
      },
      std::plus<>{});
}

struct EdgesOfCliques {
  const Ssca2Options& options;
  const std::vector<vertex_t>& starts;
  VertexLabels label;
  CounterRandom random;

  template <class Emit>
  void operator()(std::int64_t first, std::int64_t last, Emit&& emit) const {
    auto end = std::upper_bound(starts.begin(), starts.end(), first);
    for (auto u = static_cast<vertex_t>(first); u < last; ++u) {
      if (u == *end) ++end;
      emit_edges_of(u, *(end - 1), *end, emit);
    }
  }

 private:
  /// Emits the edges of u to later members of its clique, which is begin .. end, and to other
  /// cliques.
  template <class Emit>
  void emit_edges_of(vertex_t u, vertex_t begin, vertex_t end, Emit&& emit) const {
    const vertex_t n = starts.back();
    std::uint64_t number = static_cast<std::uint64_t>(u) << 32;
    const vertex_t from = label(static_cast<std::uint64_t>(u));
    const auto emit_next = [&](vertex_t v) {
      emit(from, label(static_cast<std::uint64_t>(v)), number++);
    };
    for (vertex_t v = u + 1; v < end; ++v) emit_next(v);
    RandomSequence random_bits = random.sequence(static_cast<std::uint64_t>(u));
    double probability = options.inter_clique_probability;
    for (int t = 1; t < options.scale; ++t, probability *= options.decay) {
      const std::int64_t distance = std::int64_t{1} << t;
      const auto extra =
          static_cast<std::int64_t>(random_bits.uniform() * static_cast<double>(distance / 2));
      const auto v = static_cast<vertex_t>((u + distance + extra) % n);
      if (random_bits.uniform() < probability && (v < begin || v >= end)) emit_next(v);
    }
  }
};

struct EdgesOfGrid {
  const GridOptions& options;
  CounterRandom random;

  template <class Emit>
  void operator()(std::int64_t first, std::int64_t last, Emit&& emit) const {
    const std::int64_t n = std::int64_t{options.rows} * options.cols;
    for (std::int64_t v = first; v < last; ++v) {
      const std::uint64_t number = 2 * static_cast<std::uint64_t>(v);
      const auto emit_to = [&](std::int64_t neighbour, std::uint64_t edge_number) {
        if (random.uniform(edge_number) < options.removed) return;
        emit(static_cast<vertex_t>(v), static_cast<vertex_t>(neighbour), edge_number);
      };
      if ((v + 1) % options.cols != 0) emit_to(v + 1, number);
      if (v + options.cols < n) emit_to(v + options.cols, number + 1);
    }
  }
};

/// Returns a lower bound on the arcs of a grid: the number that is removed at random strays from
/// its fraction by the square root of the number of edges; a thousandth and a thousand allow for
/// far more.
std::int64_t fewest_arcs_of(const GridOptions& options) {
  const std::int64_t rows = options.rows;
  const std::int64_t cols = options.cols;
  if (rows == 0 || cols == 0) return 0;
  const std::int64_t all = 2 * (rows * (cols - 1) + cols * (rows - 1));
  if (options.removed == 0) return all;
  const auto kept = static_cast<std::int64_t>((0.999 - options.removed) * static_cast<double>(all));
  return std::max<std::int64_t>(kept - 1000, 0);
}

}  // namespace

template <class W>
Csr<W> rmat(const RmatOptions& options, const WeightRule& weights, std::uint64_t seed) {
  validate(options);
  const WeightSource<W> weight(weights, seed);
  const auto n = vertex_t{1} << options.scale;
  const auto n_edges = static_cast<std::size_t>(std::llround(options.edge_factor * n));
  MemoryBudget().require("generating an R-MAT graph", rmat_bytes<W>(options, n_edges),
                         "use a smaller scale or edge_factor");
  HostVector<Edge> edges(n_edges);
  const VertexLabels label(n, seed, options.relabel);
  if (options.noise > 0) {
    draw_edges(noisy_quadrants(options), label, seed, edges);
  } else {
    draw_edges(fixed_quadrants(options), label, seed, edges);
  }
  return assemble<W>("generating an R-MAT graph", n, static_cast<std::int64_t>(n_edges),
                     options.edges, weight, DrawnEdges{edges});
}

template <class W>
Csr<W> ssca2(const Ssca2Options& options, const WeightRule& weights, std::uint64_t seed) {
  validate_scale(options.scale);
  EXPECTS(options.max_clique_size >= 1, "max_clique_size must be at least 1, got ",
          options.max_clique_size);
  validate_fraction(options.inter_clique_probability, "inter_clique_probability");
  validate_fraction(options.decay, "decay");
  const auto n = vertex_t{1} << options.scale;
  const std::vector<vertex_t> starts = draw_cliques(n, options.max_clique_size, seed);
  const EdgesOfCliques edges{options, starts, VertexLabels(n, seed, options.relabel),
                             CounterRandom(seed, edge_stream)};
  return assemble<W>("generating an SSCA2 graph", n, n, options.edges,
                     WeightSource<W>(weights, seed), edges, arcs_of_cliques(starts));
}

template <class W>
Csr<W> grid(const GridOptions& options, const WeightRule& weights, std::uint64_t seed) {
  EXPECTS(options.rows >= 0 && options.cols >= 0, "a grid has no negative number of rows, got ",
          options.rows, " x ", options.cols);
  const std::int64_t n = std::int64_t{options.rows} * options.cols;
  EXPECTS(n <= infinity<vertex_t>(), "a grid of ", options.rows, " x ", options.cols, " has ", n,
          " vertices; at most ", infinity<vertex_t>(), " are supported");
  validate_fraction(options.removed, "removed");
  // Generated row by row, the edges form sorted rows without duplicates already.
  return assemble<W>("generating a grid", static_cast<vertex_t>(n), n,
                     EdgeRules{.keep_duplicates = true}, WeightSource<W>(weights, seed),
                     EdgesOfGrid{options, CounterRandom(seed, edge_stream)},
                     fewest_arcs_of(options));
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(rmat)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(ssca2)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(grid)

}  // namespace warpgraph
