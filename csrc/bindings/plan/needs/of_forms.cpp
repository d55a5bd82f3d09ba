#include "bindings/plan/needs/memory_needs.hpp"
#include "core/memory_need.hpp"
#include "graph/symmetry/symmetry.hpp"
#include "graph/upper_triangle.hpp"

namespace warpgraph {
namespace {

std::size_t bytes_of_offsets(const CsrPattern& graph) {
  return (static_cast<std::size_t>(graph.n_vertices) + 1) * sizeof(edge_t);
}

/// Returns the need of grouping so many arcs into rows, with weights of type W.
template <class W>
MemoryNeed need_of_grouping(CsrPattern graph, std::int64_t n_arcs) {
  graph.n_arcs = n_arcs;
  return need_of([&] { (void)transpose(CsrView<W>{graph, nullptr}); }).value();
}

template <class W>
plan::NeedsOfForm needs_both_ways(const CsrPattern& graph) {
  const auto first = need_of([&] { (void)symmetrise(CsrView<W>{graph, nullptr}); });
  // The number of arcs is not known before, but it is at most twice that of the graph.
  const edge_t n_arcs = 2 * graph.n_arcs;
  return {
      {first.value(), {"", need_of_grouping<W>(graph, n_arcs).bytes, ""}},
      static_cast<std::size_t>(n_arcs) * (sizeof(vertex_t) + sizeof(W)) + bytes_of_offsets(graph)};
}

template <class W>
plan::NeedsOfForm needs_transposed(const CsrPattern& graph) {
  return {{need_of_grouping<W>(graph, graph.n_arcs)},
          static_cast<std::size_t>(graph.n_arcs) * (sizeof(vertex_t) + sizeof(W)) +
              bytes_of_offsets(graph)};
}

template <class W>
plan::NeedsOfForm needs_of_upper_triangle(const CsrPattern& graph) {
  const auto first = need_of([&] { (void)upper_triangle(CsrView<W>{graph, nullptr}); });
  const auto n_arcs = static_cast<std::size_t>(graph.n_arcs);
  const std::size_t grouping = need_of_grouping<std::int64_t>(graph, graph.n_arcs).bytes;
  return {{first.value(), {"", grouping + n_arcs * sizeof(W), ""}},
          n_arcs * (sizeof(vertex_t) + sizeof(edge_t) + sizeof(W)) + bytes_of_offsets(graph)};
}

}  // namespace

std::function<plan::NeedsOfForm(plan::Form form)> needs_of_form(const plan::Facts& facts,
                                                                GraphHandle* given) {
  using plan::Form;
  return [&facts, given](Form form) -> plan::NeedsOfForm {
    if (given == nullptr) return {};
    const CsrPattern& graph = given->pattern();
    return given->with_type_of_caller([&]<class W>() -> plan::NeedsOfForm {
      if (facts.makes_undirected) return needs_both_ways<W>(graph);
      if (form == Form::transposed) return needs_transposed<W>(graph);
      const bool makes_upper = form == Form::upper_triangle && !facts.has_upper_triangle &&
                               !given->is_mirrored() && has_lower_triangle(graph);
      return makes_upper ? needs_of_upper_triangle<W>(graph) : plan::NeedsOfForm{};
    });
  };
}

}  // namespace warpgraph
