#include "core/atomics.hpp"
#include "core/cuda/for_each.cuh"
#include "graph/weights/device_convert_weights.hpp"

namespace warpgraph {
namespace {

template <class To, class From>
struct Convert {
  const From* weights;
  WeightsAs as;
  To* to;
  std::int32_t* misfits;
  __device__ void operator()(std::int64_t i) const {
    if (convert_weight(weights[i], as, to[i]) != Fit::yes) {
      relaxed_store(*misfits, std::int32_t{1});  // every thread that stores writes the same
    }
  }
};

}  // namespace

template <class To, class From>
void convert_weights_on_device(std::span<const From> weights, WeightsAs as, To* to,
                               std::int32_t* misfits, const cuda::Stream& stream) {
  cuda::for_each(stream, static_cast<std::int64_t>(weights.size()),
                 Convert<To, From>{weights.data(), as, to, misfits});
}

#define WARPGRAPH_INSTANTIATE_TO(To, From)                                                      \
  template void convert_weights_on_device(std::span<const From>, WeightsAs, To*, std::int32_t*, \
                                          const cuda::Stream&);
#define WARPGRAPH_INSTANTIATE_FROM(From)       \
  WARPGRAPH_INSTANTIATE_TO(float, From)        \
  WARPGRAPH_INSTANTIATE_TO(double, From)       \
  WARPGRAPH_INSTANTIATE_TO(std::int32_t, From) \
  WARPGRAPH_INSTANTIATE_TO(std::int64_t, From)
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE_FROM)
#undef WARPGRAPH_INSTANTIATE_FROM
#undef WARPGRAPH_INSTANTIATE_TO

}  // namespace warpgraph
