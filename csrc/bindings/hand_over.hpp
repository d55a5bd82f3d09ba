// Objects of ours that Python owns from then on.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

namespace warpgraph {

namespace py = pybind11;

/// The Python object that owns `item`, of a class whose holder is a Holder. Where there is no
/// memory for it, throws std::bad_alloc and `item` is freed: pybind11 by itself frees it twice when
/// it is returned as a Holder, and ends the process when it is made by py::init.
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

/// A function that makes a T of Arguments and hands it over.
template <class T, class... Arguments>
py::object make(Arguments... arguments) {
  return hand_over(std::make_unique<T>(std::move(arguments)...));
}

}  // namespace warpgraph
