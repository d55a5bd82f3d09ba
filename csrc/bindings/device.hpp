// The names of devices as arguments.
#pragma once

#include "warpgraph/run_on.hpp"

#include <pybind11/pybind11.h>

#include <string>

namespace warpgraph {

namespace py = pybind11;

}  // namespace warpgraph

/// Conversion of the name of a device in Python.
template <>
struct pybind11::detail::type_caster<warpgraph::Device> {
  PYBIND11_TYPE_CASTER(warpgraph::Device, const_name("str"));

  bool load(handle source, bool convert) {
    make_caster<std::string> given;
    if (!given.load(source, convert)) return false;
    value = warpgraph::Device::parse(cast_op<std::string&>(given));
    return true;
  }
  static handle cast(warpgraph::Device device, return_value_policy, handle) {
    return str(device.name()).release();
  }
};
