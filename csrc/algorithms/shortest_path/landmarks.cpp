#include "algorithms/shortest_path/landmarks.hpp"

#include "algorithms/shortest_path/goal_directed.hpp"
#include "algorithms/shortest_path/goal_directed_search.hpp"
#include "algorithms/sssp/sssp.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/graph_shape.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

namespace warpgraph {
namespace {

constexpr double no_distance = infinity<double>();

/// The bound by landmarks; see the header.
class LandmarkBound {
 public:
  LandmarkBound(const LandmarkDistances& landmarks, vertex_t n_vertices, vertex_t target)
      : from_(landmarks.from.data()),
        to_(landmarks.to.empty() ? from_ : landmarks.to.data()),
        k_(landmarks.n_landmarks),
        slack_((2.0 * n_vertices + 16.0) * std::numeric_limits<double>::epsilon()) {
    for (std::int64_t i = 0; i < k_; ++i) {
      const double from = from_[target * k_ + i];
      from_target_.push_back(from - slack_ * from);
      to_target_.push_back(to_[target * k_ + i] * (1 + slack_));
    }
  }

  double operator()(vertex_t v) const {
    const double* const from = from_ + v * k_;
    const double* const to = to_ + v * k_;
    // Where a number is infinite, a difference is -inf or NaN, and max() keeps the bound.
    double by_from = 0;
    double by_to = 0;
    for (std::int64_t i = 0; i < k_; ++i) {
      by_from = std::max(by_from, from_target_[at(i)] - from[i] * (1 + slack_));
      by_to = std::max(by_to, to[i] - (to_target_[at(i)] + slack_ * to[i]));
    }
    return std::max(by_from, by_to);
  }
  [[nodiscard]] static double rounding() { return 2 * std::numeric_limits<double>::epsilon(); }

 private:
  const double* const from_;
  const double* const to_;
  const std::int64_t k_;
  const double slack_;
  std::vector<double> from_target_;  // and lowered by its part of the slack
  std::vector<double> to_target_;    // and raised
};

/// A graph with its weights in double.
template <class W>
class InDouble {
 public:
  explicit InDouble(const CsrView<W>& graph) : view_{graph, nullptr} {
    if (graph.weights == nullptr) return;
    if constexpr (std::is_same_v<W, double>) {
      view_.weights = graph.weights;
    } else {
      converted_ = HostArray<double>(graph.n_arcs);
      parallel_for(graph.n_arcs, [&](edge_t e) {
        const W weight = graph.weights[e];
        converted_[e] = weight == infinity<W>() ? no_distance : static_cast<double>(weight);
      });
      view_.weights = converted_.get();
    }
  }

  static std::size_t bytes_needed(const CsrPattern& graph, bool is_weighted) {
    return std::is_same_v<W, double> || !is_weighted ? 0 : at(graph.n_arcs) * sizeof(double);
  }
  [[nodiscard]] const CsrView<double>& view() const { return view_; }

 private:
  CsrView<double> view_;
  HostArray<double> converted_;
};

/// Returns the bytes of k numbers for each vertex; if that does not fit, more than any machine has.
std::size_t bytes_of_rows(vertex_t n_vertices, std::int64_t k) {
  constexpr double most = 0x1p60;
  const double bytes = 1.0 * n_vertices * static_cast<double>(k) * sizeof(double);
  return static_cast<std::size_t>(std::min(bytes, most));
}

/// Search for landmarks in a graph whose weights are in double.
class LandmarkSearch {
 public:
  LandmarkSearch(const CsrView<double>& graph, const CsrView<double>* transposed,
                 std::int64_t most_landmarks, MemoryBudget budget)
      : graph_(graph),
        transposed_(transposed),
        k_(most_landmarks),
        budget_(budget),
        distances_(at(graph.n_vertices)),
        nearest_(at(graph.n_vertices), no_distance) {
    const std::size_t n_kept = at(graph.n_vertices) * at(k_);
    found_.from.resize(n_kept);
    if (transposed_ != nullptr) found_.to.resize(n_kept);
  }

  /// Returns the bytes beside those of the result.
  static std::size_t bytes_needed(const CsrPattern& graph) {
    return at(graph.n_vertices) * sizeof(double) +
           need_of_sssp<double>(graph, 1, SsspSettings{}, false).bytes;
  }

  Landmarks at_vertices(std::span<const vertex_t> given) {
    for (const vertex_t v : given) add(v);
    return std::move(found_);
  }

  Landmarks at_border() {
    search_from(graph_, max_degree_vertex(graph_));
    Farthest next = farthest_in(distances_, 0);
    while (next.vertex != no_vertex) {
      add(next.vertex);
      if (std::ssize(found_.vertices) == k_) break;
      next = farthest_in(nearest_, std::numeric_limits<double>::denorm_min());
    }
    keep_only(std::ssize(found_.vertices));
    return std::move(found_);
  }

 private:
  struct Farthest {
    double distance = -1;
    vertex_t vertex = no_vertex;
  };

  void add(vertex_t landmark) {
    const std::int64_t i = std::ssize(found_.vertices);
    found_.vertices.push_back(landmark);
    search_from(graph_, landmark);
    keep(i, found_.from);
    if (transposed_ == nullptr) return;
    search_from(*transposed_, landmark);
    keep(i, found_.to);
  }

  void search_from(const CsrView<double>& graph, vertex_t source) {
    SsspOptions<double> options;
    options.budget = budget_;
    sssp_cpu(graph, source, options, {distances_, {}});  // sums too large for double are infinite
  }

  void keep(std::int64_t i, HostVector<double>& kept) {
    parallel_for(graph_.n_vertices, [&](std::int64_t v) {
      const double distance = distances_[at(v)];
      kept[at(v * k_ + i)] = distance;
      nearest_[at(v)] = std::min(nearest_[at(v)], distance);
    });
  }

  /// Returns the smallest vertex at the largest of the finite distances that are not below `least`.
  [[nodiscard]] Farthest farthest_in(std::span<const double> distances, double least) const {
    return parallel_reduce(
        graph_.n_vertices, Farthest{},
        [&](std::int64_t v) {
          const double distance = distances[at(v)];
          const bool counts = least <= distance && distance < no_distance;
          return counts ? Farthest{distance, static_cast<vertex_t>(v)} : Farthest{};
        },
        [](const Farthest& a, const Farthest& b) {
          if (a.distance != b.distance) return a.distance > b.distance ? a : b;
          return a.vertex < b.vertex ? a : b;
        });
  }

  /// Frees the room of landmarks that were not found.
  void keep_only(std::int64_t k) {
    if (k == k_) return;
    for (HostVector<double>* const kept : {&found_.from, &found_.to}) {
      if (kept->empty()) continue;
      for (std::int64_t v = 0; v < graph_.n_vertices; ++v) {
        if (v % shortest_paths::vertices_between_polls == 0) poll();
        std::copy_n(kept->begin() + v * k_, k, kept->begin() + v * k);
      }
      kept->resize(at(graph_.n_vertices) * at(k));
      kept->shrink_to_fit();
    }
  }

  const CsrView<double> graph_;
  const CsrView<double>* const transposed_;
  const std::int64_t k_;       // numbers in a row
  const MemoryBudget budget_;  // of a search
  HostVector<double> distances_;
  HostVector<double> nearest_;  // the distance from or to the nearest landmark
  Landmarks found_;
};

/// Returns the bytes of the numbers that are kept, and of weights in double.
template <class W>
std::size_t bytes_held(const CsrPattern& graph, bool is_weighted, std::int64_t n_directions,
                       std::int64_t n_landmarks) {
  return at(n_directions) * (bytes_of_rows(graph.n_vertices, n_landmarks) +
                             InDouble<W>::bytes_needed(graph, is_weighted));
}

}  // namespace

template <class W>
MemoryNeed need_of_landmarks(const CsrPattern& graph, bool is_weighted, std::int64_t n_directions,
                             std::int64_t n_landmarks) {
  const std::size_t finding = bytes_held<W>(graph, is_weighted, n_directions, n_landmarks) +
                              LandmarkSearch::bytes_needed(graph);
  // The weights in double are gone when a path is found.
  const std::size_t query = bytes_held<W>(graph, false, n_directions, n_landmarks) +
                            need_of_search_towards<W>(graph).bytes;
  return {"finding the distances of landmarks, and a path by them", std::max(finding, query),
          "ask for fewer landmarks"};
}

template <class W>
Landmarks find_landmarks(const CsrView<W>& graph, const CsrView<W>* transposed,
                         const LandmarkOptions& options) {
  const bool chooses = options.given.empty();
  const std::int64_t k = chooses ? std::min<std::int64_t>(options.n_chosen, graph.n_vertices)
                                 : std::ssize(options.given);
  const bool is_weighted = graph.weights != nullptr;
  const std::int64_t n_directions = transposed == nullptr ? 1 : 2;
  options.budget.require(need_of_landmarks<W>(graph, is_weighted, n_directions, k));
  const InDouble<W> forward(graph);
  const std::optional<InDouble<W>> backward =
      transposed == nullptr ? std::nullopt : std::make_optional<InDouble<W>>(*transposed);
  const std::size_t taken =
      bytes_held<W>(graph, is_weighted, n_directions, k) + at(graph.n_vertices) * sizeof(double);
  LandmarkSearch search(forward.view(), backward ? &backward->view() : nullptr, k,
                        options.budget.after(taken));
  return chooses ? search.at_border() : search.at_vertices(options.given);
}

template <class W>
ShortestPath<W> shortest_path_by_landmarks(const CsrView<W>& graph, const CsrView<W>& transposed,
                                           vertex_t source, vertex_t target,
                                           const LandmarkDistances& landmarks,
                                           const ShortestPathSettings& settings) {
  settings.budget.require(need_of_search_towards<W>(graph));
  const LandmarkBound bound(landmarks, graph.n_vertices, target);
  return shortest_path_detail::search_towards(graph, transposed, source, target, bound);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(need_of_landmarks)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(find_landmarks)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(shortest_path_by_landmarks)

}  // namespace warpgraph
