// Exchange of arrays by DLPack, https://dmlc.github.io/dlpack/latest: structures in capsules, of
// which each has a function that gives the memory back.
#pragma once

#include "bindings/core/device_array.hpp"

namespace warpgraph::dlpack {

/// Returns the array of an object with __dlpack__ in place: a NumPy array if it lies on the host, a
/// DeviceArray on a CUDA device, where the work that the owner has queued on it is then done.
/// Throws TypeError for items that NumPy has no real numbers for, and for other devices.
py::object take(const py::object& array);

/// Returns the capsule of an array, as __dlpack__ does: its memory is ready on every stream. Throws
/// BufferError for a copy, for another device, and for a read-only array unless the taker knows
/// version 1 of the protocol, which can say so.
py::object give(const DeviceArray& array, const py::object& stream, const py::object& max_version,
                const py::object& dl_device, const py::object& copy);

/// Returns the device in the protocol's numbers.
[[nodiscard]] std::pair<int, int> device_numbers(Device device) noexcept;

}  // namespace warpgraph::dlpack
