#include "primitives/boruvka/canonical_labels.hpp"

#include "core/threads/parallel.hpp"

#include <memory>

namespace warpgraph {

vertex_t number_components(std::span<vertex_t> labels) {
  const std::int64_t n = std::ssize(labels);
  const auto number = std::make_unique_for_overwrite<vertex_t[]>(labels.size());
  const auto label_of = [&](std::int64_t v) -> vertex_t& {
    return labels[static_cast<std::size_t>(v)];
  };
  parallel_for(
      n, [&](std::int64_t v) { number[v] = label_of(v) == v ? 1 : 0; }, light_grain);
  const vertex_t n_components = exclusive_scan_in_place(number.get(), n);
  parallel_for(
      n, [&](std::int64_t v) { label_of(v) = number[label_of(v)]; }, light_grain);
  return n_components;
}

}  // namespace warpgraph
