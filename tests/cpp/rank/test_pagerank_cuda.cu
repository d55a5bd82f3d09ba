// PageRank on a device equals that of the host bit by bit, for each type of weights.
#include "algorithms/pagerank/pagerank.hpp"
#include "algorithms/pagerank/push/push.hpp"
#include "core/cuda/memory/derived_cache.hpp"
#include "graph/partition/device_partition.hpp"
#include "graph/transform/device_renumber.cuh"
#include "on_device.hpp"
#include "support.hpp"

namespace warpgraph {
namespace {

class DevicePageRank : public test::OnDevice {
 protected:
  struct Answer {
    std::vector<double> scores;
    PageRankResult result;
  };

  /// The graph counts as the transposed one.
  template <class W>
  Answer on_host(const CsrView<W>& transposed, const PageRankVectors& vectors,
                 const PageRankOptions& options) const {
    Answer answer{std::vector<double>(vectors.weight_sums.size()), {}};
    answer.result = pagerank_cpu(transposed, vectors, options, {answer.scores});
    return answer;
  }
  template <class W>
  Answer on_device(const CsrView<W>& transposed, const PageRankVectors& vectors,
                   const PageRankOptions& options) const {
    const test::CopiedGraph<W> copy(transposed, stream());
    Answer answer{std::vector<double>(vectors.weight_sums.size()), {}};
    answer.result = pagerank_cuda(copy.view(), vectors, options, {answer.scores}, stream());
    return answer;
  }
  /// On as many members of a team, twice: the parts are kept in between.
  template <class W>
  static void expect_same_on_team(int n_members, const CsrView<W>& transposed,
                                  const PageRankVectors& vectors, PageRankOptions options,
                                  const Answer& expected) {
    std::vector<Device> devices;
    for (int i = 0; i < n_members; ++i) {
      devices.push_back({Device::Kind::cuda, i % cuda_device_count()});
    }
    DevicePartition parts(transposed, devices);
    options.parts = &parts;
    for (int call = 0; call < 2; ++call) {
      Answer found{std::vector<double>(expected.scores.size()), {}};
      found.result = pagerank_multi(transposed, vectors, options, {found.scores}, devices);
      expect_same(found, expected);
      EXPECT_GT(parts.bytes(), static_cast<std::size_t>(transposed.n_arcs) * sizeof(vertex_t));
    }
  }
  static void expect_same(const Answer& found, const Answer& expected) {
    EXPECT_EQ(found.scores, expected.scores);
    EXPECT_EQ(found.result.sweeps, expected.result.sweeps);
    EXPECT_EQ(found.result.change, expected.result.change);
    EXPECT_EQ(found.result.converged, expected.result.converged);
  }
};

template <class W>
std::vector<double> weight_sums(const CsrView<W>& transposed) {
  std::vector<double> sums(static_cast<std::size_t>(transposed.n_vertices));
  for (edge_t e = 0; e < transposed.n_arcs; ++e) {
    sums[static_cast<std::size_t>(transposed.heads[e])] +=
        transposed.weights == nullptr ? 1 : static_cast<double>(transposed.weights[e]);
  }
  return sums;
}

TEST_F(DevicePageRank, HasTheBitsOfTheHost) {
  const auto check = [&]<class W>(W, vertex_t n, edge_t n_arcs) {
    const Csr<W> graph = test::random_graph<W>(n, n_arcs, 3);
    for (const bool weighted : {true, false}) {
      CsrView<W> view = graph.view();
      if (!weighted) view.weights = nullptr;
      const std::vector<double> sums = weight_sums(view);
      std::vector<double> start(sums.size(), 0);
      start.front() = 1;
      std::vector<double> others(sums.size(), 0);
      others.back() = 1;
      for (const int max_sweeps : {1, 2, 3, 6, 200}) {
        for (const bool symmetric : {false, true}) {  // that it is not true only costs sweeps
          const PageRankOptions options{
              .change_bound = 1e-10, .max_sweeps = max_sweeps, .symmetric = symmetric};
          const PageRankVectors plain{.weight_sums = sums};
          expect_same(on_device(view, plain, options), on_host(view, plain, options));
          const PageRankVectors given{sums, start, others, others};
          expect_same(on_device(view, given, options), on_host(view, given, options));
        }
      }
    }
  };
  check(double{}, 1000, 5000);
  check(float{}, 257, 3000);
  check(std::int32_t{}, 31, 40);
  check(std::int64_t{}, 256, 256);
  check(double{}, 2, 3000);  // rows of several segments
  check(double{}, 1, 0);
  check(float{}, 3, 12'000);  // rows that are divided among blocks
}

TEST_F(DevicePageRank, TakesDegreesForSumsWhereAsManyArcsEnterAsLeave) {
  test::Arcs<float> arcs;
  constexpr vertex_t n = 700;
  for (vertex_t u = 0; u < n; ++u) {
    // Vertices without arcs between them.
    if (u % 7 == 0) continue;
    for (vertex_t v = u % 7 == 1 ? u + 1 : u - 1; v < u + 2; v += 2) {
      if (v % 7 != 0) arcs.emplace_back(u, v, 3);
    }
  }
  const Csr<float> graph = test::graph_of(n, arcs);
  for (const bool weighted : {true, false}) {
    CsrView<float> view = graph.view();
    if (!weighted) view.weights = nullptr;
    const std::vector<double> sums = weight_sums(view);
    for (const bool symmetric : {false, true}) {
      const PageRankOptions options{.change_bound = 1e-9, .symmetric = symmetric};
      expect_same(on_device(view, {.weight_sums = sums}, options),
                  on_host(view, {.weight_sums = sums}, options));
    }
  }
}

/// Cliques, or a few vertices with most of the arcs, whose vertices have random numbers; fewer arcs
/// lead anywhere.
template <class W>
Csr<W> scattered_graph(bool cliques, vertex_t n) {
  const CounterRandom random(11, 0);
  constexpr vertex_t side = 16;
  const auto scattered = [n](vertex_t v) {
    return static_cast<vertex_t>(v * std::int64_t{7919} % n);
  };
  std::vector<std::vector<vertex_t>> rows(static_cast<std::size_t>(n));
  for (vertex_t v = 0; v < n; ++v) {
    std::vector<vertex_t>& row = rows[static_cast<std::size_t>(scattered(v))];
    const auto at = static_cast<std::uint64_t>(v);
    for (vertex_t k = 0; k < side; ++k) {
      const auto any = static_cast<vertex_t>(
          random.below(at * side + static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(n)));
      row.push_back(scattered(cliques ? std::min(n - 1, v / side * side + k) : any));
      if (!cliques && v < n / 50) row.insert(row.end(), 20, any);
    }
  }
  Csr<W> graph;
  for (const std::vector<vertex_t>& row : rows) {
    for (const vertex_t head : row) {
      graph.weights.push_back(static_cast<W>(1 + graph.heads.size() % 5));
      graph.heads.push_back(head);
    }
    graph.offsets.push_back(static_cast<edge_t>(graph.heads.size()));
  }
  return graph;
}

TEST_F(DevicePageRank, HasTheSameBitsForARenumberedGraph) {
  constexpr vertex_t n = 20'000;  // most arcs of a random order do not join near vertices
  for (const bool cliques : {true, false}) {
    const Csr<float> graph = scattered_graph<float>(cliques, n);
    const test::CopiedGraph<float> copy(graph.view(), stream());
    EXPECT_TRUE(cuda::renumber_for_gathers(AnyCsrView(copy.view()), stream()).has_value())
        << cliques;
    std::vector<double> given(static_cast<std::size_t>(n), 0);
    given[5] = given[77] = 0.5;
    for (const bool weighted : {true, false}) {
      CsrView<float> view = graph.view();
      if (!weighted) view.weights = nullptr;
      const std::vector<double> sums = weight_sums(view);
      const PageRankVectors vectors{sums, given, {}, given};
      const PageRankOptions options{.least_renumbered = 1};
      const Answer expected = on_host(view, vectors, options);
      expect_same(on_device(view, vectors, options), expected);
      if (weighted == cliques) expect_same_on_team(2, view, vectors, options, expected);
    }
  }
}

TEST_F(DevicePageRank, HasTheSameBitsForDealtRowsOfFewVertices) {
  for (const vertex_t n : {4200, 4224, 4225}) {
    const Csr<float> graph = scattered_graph<float>(false, n);
    const std::vector<double> sums = weight_sums(graph.view());
    const PageRankOptions options{.change_bound = 1e-9, .least_renumbered = 1};
    const PageRankVectors vectors{.weight_sums = sums};
    expect_same_on_team(5, graph.view(), vectors, options, on_host(graph.view(), vectors, options));
  }
}

TEST_F(DevicePageRank, KeepsAnOrderThatIsGood) {
  const Csr<double> random = test::random_graph<double>(20'000, 240'000, 4);
  const Csr<double> few_arcs = test::random_graph<double>(300, 900, 8);
  const Csr<double> near = test::random_graph<double>(300, 9000, 8);
  for (const Csr<double>* graph : {&random, &few_arcs, &near}) {
    const test::CopiedGraph<double> copy(graph->view(), stream());
    EXPECT_FALSE(cuda::renumber_for_gathers(AnyCsrView(copy.view()), stream()).has_value());
  }
}

TEST_F(DevicePageRank, WritesScoresOnTheDeviceAndKeepsTheStructure) {
  const Csr<double> graph = test::random_graph<double>(300, 900, 8);
  const std::vector<double> sums = weight_sums(graph.view());
  const test::CopiedGraph<double> copy(graph.view(), stream());
  cuda::DerivedCache derived(stream());
  const PageRankOptions options{.derived = &derived};
  const PageRankVectors vectors{.weight_sums = sums};
  const cuda::DeviceBuffer<double> scores(sums.size(), stream());
  const Answer expected = on_host(graph.view(), vectors, options);
  for (int call = 0; call < 2; ++call) {
    const PageRankResult result = pagerank_cuda(copy.view(), vectors, options,
                                                {{scores.data(), scores.size()}, true}, stream());
    expect_same({fetched(scores), result}, expected);
    EXPECT_GE(derived.bytes(), sums.size() * sizeof(double));
  }
}

TEST_F(DevicePageRank, NamesTheBytesItNeeds) {
  const Csr<double> graph = test::random_graph<double>(300, 900, 8);
  const std::vector<double> sums = weight_sums(graph.view());
  const PageRankOptions options{.budget = MemoryBudget({}, 100)};
  const std::string message =
      test::message_of([&] { on_device(graph.view(), {.weight_sums = sums}, options); });
  EXPECT_NE(message.find("100 bytes"), std::string::npos) << message;
}

TEST_F(DevicePageRank, PushesHaveTheBitsOfTheHost) {
  const auto check = [&]<class W>(W, vertex_t n, edge_t n_arcs) {
    const Csr<W> graph = test::random_graph<W>(n, n_arcs, 3);
    const test::CopiedGraph<W> copy(graph.view(), stream());
    std::vector<double> sums(static_cast<std::size_t>(n));
    sum_leaving_weights(graph.view(), sums);
    const std::vector<vertex_t> start{n - 1};
    const std::vector<double> certain{1};
    const SparseDistribution all{};
    const SparseDistribution one{start, certain};
    for (const int max_rounds : {1, 2, 7, 400}) {
      for (const PushVectors& vectors : {PushVectors{sums, all, all}, PushVectors{sums, one, one},
                                         PushVectors{sums, one, all}}) {
        const PushOptions options{.error_bound = 1e-10, .max_rounds = max_rounds};
        std::vector<double> wanted(sums.size());
        std::vector<double> found(sums.size());
        const PushResult on_host = pagerank_push_cpu(graph.view(), vectors, options, {wanted});
        const PushResult result =
            pagerank_push_cuda(copy.view(), vectors, options, {found}, stream());
        EXPECT_EQ(found, wanted);
        EXPECT_EQ(result.rounds, on_host.rounds);
        EXPECT_EQ(result.error, on_host.error);
        EXPECT_EQ(result.converged, on_host.converged);
      }
    }
  };
  check(double{}, 1000, 5000);
  check(float{}, 257, 3000);
  check(std::int32_t{}, 31, 40);
  check(std::int64_t{}, 2, 12'000);  // rows of several chunks
  check(double{}, 1, 0);
}

}  // namespace
}  // namespace warpgraph
