// Options of a call: a keyword sets a member of their struct. A member whose keyword is left out
// has the default that the struct gives it.
#pragma once

#include "core/error.hpp"

#include <pybind11/pybind11.h>

#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace warpgraph {

namespace py = pybind11;

template <class Options, class Member>
struct Keyword {
  const char* name;
  Member Options::*member;
};

template <class Options, class Member>
Keyword<Options, Member> keyword(const char* name, Member Options::*member) {
  return {name, member};
}

/// Defines name(arguments..., *, keywords...) in a module, as function(options, arguments...).
template <class Result, class Options, class... Arguments, std::size_t N, class... Members>
void define(py::module_& module, const char* name, Result (*function)(const Options&, Arguments...),
            const char* const (&arguments)[N], Keyword<Options, Members>... keywords) {
  const Options defaults;
  const auto call = [=](Arguments... values, Members... given) -> Result {
    Options options;
    ((options.*keywords.member = std::move(given)), ...);
    return function(options, std::forward<Arguments>(values)...);
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    module.def(name, call, py::arg(arguments[I])..., py::kw_only(),
               py::arg_v(keywords.name, defaults.*keywords.member)...);
  }
  (std::make_index_sequence<N>());
}

/// Sets the members of options that a dict names. One dict takes less time than a keyword for each
/// member, of which most are left out.
template <class Options, class... Members>
void set_named(Options& options, const py::dict& given,
               const Keyword<Options, Members>&... keywords) {
  for (const std::pair<py::handle, py::handle>& item : given) {
    const auto name = py::cast<std::string_view>(item.first);
    const auto sets = [&](const auto& known) {
      if (name != known.name) return false;
      auto& member = options.*known.member;
      member = py::cast<std::remove_reference_t<decltype(member)>>(item.second);
      return true;
    };
    EXPECTS((sets(keywords) || ...), "unknown option '", name, "'");
  }
}

/// A value of an enum and its name in Python.
template <class Enum>
struct Named {
  const char* name;
  Enum value;
};

template <class Enum>
inline constexpr std::array<Named<Enum>, 0> names;

template <class Enum>
struct NameCaster {
  PYBIND11_TYPE_CASTER(Enum, py::detail::const_name("str"));

  bool load(py::handle source, bool convert) {
    py::detail::make_caster<std::string> given;
    if (!given.load(source, convert)) return false;
    const auto& text = py::detail::cast_op<std::string&>(given);
    for (const Named<Enum>& known : names<Enum>) {
      if (text == known.name) {
        value = known.value;
        return true;
      }
    }
    throw std::invalid_argument(concat("unknown name '", text, "'"));
  }
  static py::handle cast(Enum value, py::return_value_policy, py::handle) {
    for (const Named<Enum>& known : names<Enum>) {
      if (value == known.value) return py::str(known.name).release();
    }
    return py::none().release();
  }
};

/// Conversion of a struct that Python passes as the tuple of its members, or as None for the
/// defaults.
template <class Struct, class... Members>
struct TupleCaster {
  PYBIND11_TYPE_CASTER(Struct, py::detail::make_caster<std::tuple<Members...>>::name +
                                   py::detail::const_name(" | None"));

  bool load(py::handle source, bool convert) {
    py::detail::make_caster<std::tuple<Members...>> given;
    if (source.is_none()) return true;
    if (!given.load(source, convert)) return false;
    // Braces, unlike std::make_from_tuple: for compilers that do not initialise aggregates by
    // parentheses, such as Clang 14.
    value = std::apply([](auto&&... members) { return Struct{std::move(members)...}; },
                       py::detail::cast_op<std::tuple<Members...>>(given));
    return true;
  }
  static py::handle cast(const Struct&, py::return_value_policy, py::handle) {
    return py::none().release();
  }
};

}  // namespace warpgraph

/// Defines, at global scope, the names of an enum's values, e.g. {"binary", binary}.
#define WARPGRAPH_NAMES(Enum, ...)                               \
  template <>                                                    \
  inline constexpr auto warpgraph::names<Enum> = [] {            \
    using enum Enum;                                             \
    return std::to_array<warpgraph::Named<Enum>>({__VA_ARGS__}); \
  }();                                                           \
  template <>                                                    \
  struct pybind11::detail::type_caster<Enum> : warpgraph::NameCaster<Enum> {}

/// Defines, at global scope, the types of the members of a struct that Python passes as a tuple.
#define WARPGRAPH_TUPLE(Struct, ...) \
  template <>                        \
  struct pybind11::detail::type_caster<Struct> : warpgraph::TupleCaster<Struct, __VA_ARGS__> {}
