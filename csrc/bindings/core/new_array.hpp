// Arrays of the host for results, in memory of HostVector: see core/memory/kept_memory.hpp.
#pragma once

#include <pybind11/numpy.h>

#include <vector>

namespace warpgraph {

namespace py = pybind11;

/// Makes an uninitialised array, as numpy.empty does.
py::array new_array(const std::vector<py::ssize_t>& shape, const py::dtype& dtype);

}  // namespace warpgraph
