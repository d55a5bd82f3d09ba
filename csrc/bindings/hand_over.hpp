// Transfer of the ownership of C++ objects to Python.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

namespace warpgraph {

namespace py = pybind11;

/// A Python object that owns `item`, of a class with the holder type Holder. If there is no memory
/// for it, frees `item` and throws std::bad_alloc. pybind11 itself would then free an item that is
/// returned as a Holder twice, and end the process if py::init makes the item.
template <class Holder>
py::object hand_over(Holder item) {
  py::object object = py::cast(item.get(), py::return_value_policy::reference);
  auto* const instance = reinterpret_cast<py::detail::instance*>(object.ptr());
  py::detail::value_and_holder place = instance->get_value_and_holder();
  std::construct_at(&place.holder<Holder>(), std::move(item));
  place.set_holder_constructed();
  instance->owned = true;
  return object;
}

/// Constructs a T and hands it over, for module.def().
template <class T, class... Arguments>
py::object make(Arguments... arguments) {
  return hand_over(std::make_unique<T>(std::move(arguments)...));
}

}  // namespace warpgraph
