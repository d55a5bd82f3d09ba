// Weights of one type as weights of another, by all threads of the host.
#pragma once

#include "core/types.hpp"
#include "graph/weights/convert_weight.hpp"

#include <span>

namespace warpgraph {

/// The positions of the first weights that another type does not represent, by the reason; -1 if
/// there is none.
struct Misfits {
  edge_t beyond = -1;
  edge_t fraction = -1;
};

/// Writes the weights, of which none is NaN, as convert_weight() does.
template <class To, class From>
Misfits convert_weights(std::span<const From> weights, WeightsAs as, std::span<To> to);

}  // namespace warpgraph
