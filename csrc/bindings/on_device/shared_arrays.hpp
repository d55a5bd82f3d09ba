// Arrays of Python that the library shares, and those of the library in Python. Nothing is copied.
#pragma once

#include "bindings/core/device_array.hpp"
#include "warpgraph/shared_array.hpp"

namespace warpgraph {

/// Shares an array of one of the weight types, aligned and C-contiguous; another one is a
/// TypeError. Its last owner takes Python's global lock to leave it.
[[nodiscard]] SharedArray shared(const py::array& array);
[[nodiscard]] SharedArray shared(const DeviceArray& array);

/// Returns an array on the host for Python: the one that was shared, if Python had made it.
[[nodiscard]] py::array to_numpy(const SharedArray& array);

}  // namespace warpgraph
