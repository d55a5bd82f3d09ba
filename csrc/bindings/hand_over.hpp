// Transfer of the ownership of C++ objects to Python.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

namespace warpgraph {

namespace py = pybind11;

/// Makes a Python object that owns a T.
template <class T>
class Owned : public py::object {
 public:
  explicit Owned(py::object&& owner) : py::object(std::move(owner)) {}
};

/// Makes a Python object that owns `item`, of a class with the holder type Holder. If there is no
/// memory for it, frees `item` and throws std::bad_alloc. pybind11 itself would then free an item
/// that is returned as a Holder twice, and end the process if py::init makes the item.
template <class Holder>
Owned<typename Holder::element_type> hand_over(Holder item) {
  py::object object = py::cast(item.get(), py::return_value_policy::reference);
  auto* const instance = reinterpret_cast<py::detail::instance*>(object.ptr());
  py::detail::value_and_holder place = instance->get_value_and_holder();
  std::construct_at(&place.holder<Holder>(), std::move(item));
  place.set_holder_constructed();
  instance->owned = true;
  return Owned<typename Holder::element_type>(std::move(object));
}

/// Constructs a T and hands it over, for module.def().
template <class T, class... Arguments>
Owned<T> make(Arguments... arguments) {
  return hand_over(std::make_unique<T>(std::move(arguments)...));
}

}  // namespace warpgraph

template <class T>
struct pybind11::detail::handle_type_name<warpgraph::Owned<T>> {
  static constexpr auto name = make_caster<T>::name;
};
