// Weights as their bits, for kernels that only move or order them: those are compiled for two sizes
// instead of four types.
#pragma once

#include "core/order_key.hpp"
#include "graph/csr.hpp"

namespace warpgraph {

template <class W>
CsrView<order_key_t<W>> bits_of(const CsrView<W>& graph) {
  return {graph, reinterpret_cast<const order_key_t<W>*>(graph.weights)};
}

}  // namespace warpgraph
