#include "primitives/knn/tile_search.cuh"

namespace warpgraph::knn {

#define INSTANTIATE_FOR_POINTS(Points, T)                                                     \
  template void search_tiles_for(const Points<T>&, const SquaredDistances<T>&,                \
                                 const Queries<Points<T>>&, const DeviceLists<T>&, int, bool, \
                                 const cuda::Stream&);
#define INSTANTIATE(T)                    \
  INSTANTIATE_FOR_POINTS(PointColumns, T) \
  INSTANTIATE_FOR_POINTS(PointRows, T)
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE
#undef INSTANTIATE_FOR_POINTS

}  // namespace warpgraph::knn
