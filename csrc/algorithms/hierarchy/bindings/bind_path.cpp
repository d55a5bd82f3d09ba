#include "algorithms/hierarchy/hierarchy_handle.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/graph_arrays.hpp"
#include "bindings/graphs.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

/// Returns (length, vertices), or None.
std::optional<Tuple<py::object, py::array_t<vertex_t>>> path_in_hierarchy(
    const ShortestPathSettings& settings, HierarchyHandle& handle, const Graph& graph,
    const Graph& transposed, vertex_t source, vertex_t target, const py::dtype& dtype,
    bool unweighted) {
  using Path = Tuple<py::object, py::array_t<vertex_t>>;
  return dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> forward = host_view<W>(graph, unweighted);
    const CsrView<W> backward = host_view<W>(transposed, unweighted);
    std::optional<ShortestPath<W>> found;
    handle.visit([&]<class T>(const Hierarchy<T>& host) {
      if constexpr (std::is_integral_v<W> && std::is_floating_point_v<T>) {
        // Integer weights have a hierarchy of integers.
        throw std::overflow_error(weights_too_large);
      } else {
        run_released([&] {
          PathQueries<T>& queries = handle.path_queries<T>();
          found = queries.find(host, forward, backward, source, target, settings);
        });
      }
    });
    return found ? std::optional<Path>(
                       Path(py::make_tuple(found->length, to_array(std::move(found->vertices)))))
                 : std::nullopt;
  });
}

ArraysOfPaths paths_in_hierarchy(const ShortestPathSettings& settings, HierarchyHandle& handle,
                                 const Graph& graph, const Graph& transposed,
                                 std::span<const vertex_t> sources,
                                 std::span<const vertex_t> targets, const py::dtype& dtype,
                                 bool unweighted, bool wants_vertices, Progress progress) {
  return dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> forward = host_view<W>(graph, unweighted);
    const CsrView<W> backward = host_view<W>(transposed, unweighted);
    PathsOfPairs<W> found;
    handle.visit([&]<class T>(const Hierarchy<T>& host) {
      if constexpr (std::is_integral_v<W> && std::is_floating_point_v<T>) {
        throw std::overflow_error(weights_too_large);
      } else {
        run_released(std::move(progress), [&] {
          found = handle.path_queries<T>().find_all(host, forward, backward,
                                                    {sources, targets, wants_vertices}, settings);
        });
      }
    });
    return to_arrays(std::move(found));
  });
}

}  // namespace

void init_hierarchy_path(py::module_& module) {
  define(module, "path_in_hierarchy", &path_in_hierarchy,
         {"hierarchy", "graph", "transposed", "source", "target", "dtype", "unweighted"},
         keyword("ledger", &ShortestPathSettings::budget));
  define(module, "paths_in_hierarchy", &paths_in_hierarchy,
         {"hierarchy", "graph", "transposed", "sources", "targets", "dtype", "unweighted",
          "wants_vertices", "progress"},
         keyword("ledger", &ShortestPathSettings::budget));
}

}  // namespace warpgraph
