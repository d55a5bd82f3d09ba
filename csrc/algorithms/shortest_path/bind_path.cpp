#include "algorithms/shortest_path/goal_directed.hpp"
#include "algorithms/shortest_path/landmarks.hpp"
#include "algorithms/shortest_path/shortest_path.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graphs.hpp"

#include <pybind11/stl.h>

#include <tuple>
#include <variant>

namespace warpgraph {
namespace {

/// Coordinates of vertices, and the least ratio of a weight to the line of its arc.
using Lines = std::tuple<py::array, double>;
/// Distances from landmarks, and to them.
using FromAndTo = std::tuple<std::span<const double>, std::span<const double>>;
/// The source of bounds on the rest of a path; None: the search is from both ends.
using Bound = std::variant<Lines, FromAndTo, std::monostate>;

template <class W>
struct SearchBy {
  const CsrView<W> forward, backward;
  const vertex_t source, target;
  const ShortestPathSettings& settings;

  ShortestPath<W> operator()(const Lines& lines) const {
    const py::array& coordinates = std::get<0>(lines);
    const double ratio = std::get<1>(lines);
    const VertexPoints points{readable<double>(coordinates), coordinates.shape(1)};
    return run_released([&] {
      return shortest_path_goal_directed(forward, backward, source, target, points, ratio,
                                         settings);
    });
  }
  ShortestPath<W> operator()(const FromAndTo& distances) const {
    const std::span<const double> from = std::get<0>(distances);
    const LandmarkDistances landmarks{from, std::get<1>(distances),
                                      std::ssize(from) / forward.n_vertices};
    return run_released([&] {
      return shortest_path_by_landmarks(forward, backward, source, target, landmarks, settings);
    });
  }
  ShortestPath<W> operator()(std::monostate /*none*/) const {
    return run_released(
        [&] { return shortest_path_cpu(forward, backward, source, target, settings); });
  }
};

/// Returns (length, vertices, whether none were found though there may be a path).
Tuple<py::object, py::array_t<vertex_t>, bool> path_between(
    const ShortestPathSettings& settings, const Graph& graph, const Graph& transposed,
    vertex_t source, vertex_t target, const py::dtype& dtype, bool unweighted, const Bound& bound) {
  return dispatch_weight(dtype, [&]<class W>() {
    const SearchBy<W> search{host_view<W>(graph, unweighted), host_view<W>(transposed, unweighted),
                             source, target, settings};
    ShortestPath<W> found = std::visit(search, bound);
    return Tuple<py::object, py::array_t<vertex_t>, bool>(py::make_tuple(
        found.length, to_array(std::move(found.vertices)), found.overflows || found.gave_up));
  });
}

}  // namespace

void init_shortest_path_path(py::module_& module) {
  define(module, "shortest_path", &path_between,
         {"graph", "transposed", "source", "target", "dtype", "unweighted", "bound"},
         keyword("ledger", &ShortestPathSettings::budget),
         keyword("max_visits", &ShortestPathSettings::max_visits));
}

}  // namespace warpgraph
