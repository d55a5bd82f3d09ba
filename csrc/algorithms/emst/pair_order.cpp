#include "algorithms/emst/pair_order.hpp"

#include "core/parallel.hpp"

#include <cmath>

namespace warpgraph::emst {

template <class T>
EuclideanTree finish(std::vector<Edge<T>>&& edges) {
  parallel_sort(edges.begin(), edges.end());
  EuclideanTree tree;
  tree.edges.resize(2 * edges.size());
  tree.weights.resize(edges.size());
  parallel_for(static_cast<std::int64_t>(edges.size()), [&](std::int64_t index) {
    const auto i = static_cast<std::size_t>(index);
    tree.edges[2 * i] = edges[i].u;
    tree.edges[2 * i + 1] = edges[i].v;
    tree.weights[i] = std::sqrt(static_cast<double>(std::max(edges[i].key, T(0))));
  });
  return tree;
}

template EuclideanTree finish(std::vector<Edge<float>>&&);
template EuclideanTree finish(std::vector<Edge<double>>&&);

}  // namespace warpgraph::emst
