// What many_to_many_cpu.cpp puts together. Not for use outside this folder.
#pragma once

#include "algorithms/many_to_many/many_to_many.hpp"
#include "core/types.hpp"

#include <cstddef>
#include <span>
#include <type_traits>

namespace warpgraph::many_to_many_steps {

/// What all methods are called with.
template <class W>
struct Problem {
  CsrView<W> graph;
  std::span<const vertex_t> sources;
  ManyToManyOptions<W> options;
  ManyToManyResult<W> result;

  [[nodiscard]] std::int64_t n_rows() const { return static_cast<std::int64_t>(sources.size()); }
  [[nodiscard]] bool wants_tree() const { return result.predecessors != nullptr; }
  [[nodiscard]] bool to_all() const { return options.targets.empty(); }
  [[nodiscard]] bool ends_early() const { return !to_all() || options.limit != infinity<W>(); }
};

template <class W>
void search_with_heaps(const Problem<W>& problem);

}  // namespace warpgraph::many_to_many_steps
