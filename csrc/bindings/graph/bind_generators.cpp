// wg.generators: parameters -> CSR arrays, or points.
#include "bindings/graph_arrays.hpp"
#include "bindings/keywords.hpp"
#include "graph/generate/generate.hpp"
#include "graph/generate/random_points.hpp"

#include <pybind11/stl.h>

/// Conversion of the argument weights: None means all 1, "uniform" in [0, 1), (low, high) integers.
template <>
struct pybind11::detail::type_caster<warpgraph::WeightRule> {
  PYBIND11_TYPE_CASTER(warpgraph::WeightRule, const_name("str | tuple[int, int] | None"));

  bool load(handle source, bool) {
    using Kind = warpgraph::WeightRule::Kind;
    value.kind = source.is_none() ? Kind::ones : Kind::uniform;
    if (source.is_none() || isinstance<str>(source)) return true;
    value.kind = Kind::integer;
    std::tie(value.low, value.high) = source.cast<std::pair<std::int64_t, std::int64_t>>();
    return true;
  }
};

WARPGRAPH_TUPLE(warpgraph::EdgeRules, bool, bool, bool);
WARPGRAPH_NAMES(warpgraph::PointOptions::Kind, {"uniform", uniform}, {"normal", normal},
                {"blobs", blobs});

namespace warpgraph {
namespace {

/// Binds a generator of graphs: generate.operator()<W>(options, weights, seed) -> Csr<W>.
template <class Generate, class Options, class... Members>
void define_generator(py::module_& module, const char* name, Generate,
                      Keyword<Options, Members>... keywords) {
  constexpr auto call = +[](const Options& options, std::uint64_t seed, const WeightRule& weights,
                            const py::dtype& dtype) {
    return dispatch_weight(dtype, [&]<class W>() {
      return to_arrays(
          run_released([&] { return Generate().template operator()<W>(options, weights, seed); }));
    });
  };
  define(module, name, call, {"seed", "weights", "dtype"}, keywords...);
}

void fill_points(const PointOptions& given, py::array points, std::span<std::int32_t> labels,
                 std::uint64_t seed) {
  PointOptions options = given;
  options.dim = points.ndim() == 2 ? points.shape(1) : 0;
  dispatch_real(points.dtype(), [&]<class T>() {
    const std::span<T> coordinates = writable<T>(points);
    run_released([&] { random_points(options, seed, coordinates, labels); });
  });
}

}  // namespace

void init_generators(py::module_& module) {
  define_generator(
      module, "generate_rmat", []<class W>(const auto&... given) { return rmat<W>(given...); },
      keyword("scale", &RmatOptions::scale), keyword("edge_factor", &RmatOptions::edge_factor),
      keyword("a", &RmatOptions::a), keyword("b", &RmatOptions::b), keyword("c", &RmatOptions::c),
      keyword("d", &RmatOptions::d), keyword("noise", &RmatOptions::noise),
      keyword("relabel", &RmatOptions::relabel), keyword("edges", &RmatOptions::edges));
  define_generator(
      module, "generate_ssca2", []<class W>(const auto&... given) { return ssca2<W>(given...); },
      keyword("scale", &Ssca2Options::scale),
      keyword("max_clique_size", &Ssca2Options::max_clique_size),
      keyword("inter_clique_probability", &Ssca2Options::inter_clique_probability),
      keyword("decay", &Ssca2Options::decay), keyword("relabel", &Ssca2Options::relabel),
      keyword("edges", &Ssca2Options::edges));
  define_generator(
      module, "generate_grid", []<class W>(const auto&... given) { return grid<W>(given...); },
      keyword("rows", &GridOptions::rows), keyword("cols", &GridOptions::cols),
      keyword("removed", &GridOptions::removed));
  define(module, "random_points", &fill_points, {"points", "labels", "seed"},
         keyword("dist", &PointOptions::kind), keyword("n_blobs", &PointOptions::n_blobs),
         keyword("spread", &PointOptions::spread));
}

}  // namespace warpgraph
