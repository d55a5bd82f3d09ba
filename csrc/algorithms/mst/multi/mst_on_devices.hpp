// A spanning forest by CUDA devices alone, in rounds (team_forest.cuh).
#pragma once

#include "algorithms/mst/forest/device_forest.hpp"

#include <functional>
#include <vector>

namespace warpgraph::mst {

/// The rows of a part on its device, over all vertices.
template <class W>
using RowsOnDevice = std::function<CsrView<W>(Device, std::size_t part)>;

/// Finds the forest; the parts are those of mst_multi. Leaves it on the first device if it may stay
/// there: if there is no memory limit, the devices share their memory, and may_stay_on() says so.
template <class W>
FoundForest<W> mst_on_devices(const std::vector<Device>& devices,
                              const std::vector<edge_t>& first_entries, const RowsOnDevice<W>& rows,
                              const MstOptions& options);

}  // namespace warpgraph::mst
