// Weights of one type as weights of another, on a CUDA device.
#pragma once

#include "core/cuda/stream.hpp"
#include "graph/weights/convert_weight.hpp"

#include <cstdint>
#include <span>

namespace warpgraph {

/// Writes the weights as convert_weight() does. `misfits` becomes 1 if one does not fit. `weights`,
/// `to` and `misfits` lie on the stream's device. Asynchronous.
template <class To, class From>
void convert_weights_on_device(std::span<const From> weights, WeightsAs as, To* to,
                               std::int32_t* misfits, const cuda::Stream& stream);

}  // namespace warpgraph
