#include "graph/symmetry/symmetry.hpp"
#include "graph/transform/simple_rows.hpp"
#include "graph/upper_triangle.hpp"
#include "warpgraph/planning/needs/memory_needs.hpp"
#include "warpgraph/planning/needs/planned_call.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace warpgraph {
namespace {

std::size_t bytes_of_offsets(const CsrPattern& graph) {
  return (static_cast<std::size_t>(graph.n_vertices) + 1) * sizeof(edge_t);
}

/// Returns the bytes of so many arcs in rows.
template <class W>
std::size_t bytes_of_rows(const CsrPattern& graph, edge_t n_arcs) {
  return static_cast<std::size_t>(n_arcs) * (sizeof(vertex_t) + sizeof(W)) +
         bytes_of_offsets(graph);
}

template <class W>
plan::NeedsOfForm needs_of_upper_triangle(const CsrPattern& graph) {
  MemoryNeed need = most_need_of_upper_triangle(graph);
  const auto n_arcs = static_cast<std::size_t>(graph.n_arcs);
  need.bytes += n_arcs * sizeof(W);
  return {{std::move(need)},
          n_arcs * (sizeof(vertex_t) + sizeof(edge_t) + sizeof(W)) + bytes_of_offsets(graph)};
}

}  // namespace

namespace needs {

bool will_have_simple_rows(const PlannedCall& call) {
  return !call.facts.makes_undirected && has_simple_rows(call.searched.pattern());
}

edge_t longest_row_at_most(const PlannedCall& call) {
  if (!call.facts.makes_undirected) return call.searched.longest_row();
  const CsrPattern& graph = call.searched.pattern();
  std::vector<edge_t> lengths(static_cast<std::size_t>(graph.n_vertices));
  for (edge_t e = 0; e < graph.n_arcs; ++e) ++lengths[static_cast<std::size_t>(graph.heads[e])];
  edge_t longest = 0;
  for (vertex_t v = 0; v < graph.n_vertices; ++v) {
    longest = std::max(longest, graph.degree(v) + lengths[static_cast<std::size_t>(v)]);
  }
  return longest;
}

}  // namespace needs

std::function<plan::NeedsOfForm(plan::Form form)> needs_of_form(const plan::Facts& facts,
                                                                Graph* given) {
  using plan::Form;
  return [&facts, given](Form form) -> plan::NeedsOfForm {
    if (given == nullptr) return {};
    const CsrPattern& graph = given->pattern();
    return given->with_type_of_caller([&]<class W>() -> plan::NeedsOfForm {
      if (facts.makes_undirected) {
        return {{most_need_of_symmetrise<W>(graph)}, bytes_of_rows<W>(graph, 2 * graph.n_arcs)};
      }
      if (form == Form::transposed) {
        return {{need_of_transpose<W>(graph)}, bytes_of_rows<W>(graph, graph.n_arcs)};
      }
      const bool makes_upper = form == Form::upper_triangle && !facts.has_upper_triangle &&
                               !given->is_mirrored() && has_lower_triangle(graph);
      return makes_upper ? needs_of_upper_triangle<W>(graph) : plan::NeedsOfForm{};
    });
  };
}

}  // namespace warpgraph
