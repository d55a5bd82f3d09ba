// wg.generators: parameters -> CSR arrays, or points.
#include "bindings/call.hpp"
#include "bindings/graph_handle.hpp"
#include "graph/generate/generate.hpp"
#include "graph/generate/random_points.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

/// None: all 1; "uniform": in [0, 1); (low, high): integers.
WeightRule weight_rule(const py::object& weights) {
  if (weights.is_none()) return {.kind = WeightRule::Kind::ones};
  if (py::isinstance<py::str>(weights)) return {.kind = WeightRule::Kind::uniform};
  const auto range = weights.cast<std::pair<std::int64_t, std::int64_t>>();
  return {WeightRule::Kind::integer, range.first, range.second};
}

/// Calls make.operator()<W>(rule) for the weight type, and returns the graph's arrays.
template <class Make>
py::tuple generate(const py::object& weights, const py::dtype& dtype, Make&& make) {
  const WeightRule rule = weight_rule(weights);
  return dispatch_weight(dtype, [&]<class W>() {
    return to_arrays(run_released(py::none(), [&] { return make.template operator()<W>(rule); }));
  });
}

EdgeRules edge_rules(bool directed, bool keep_loops, bool keep_duplicates) {
  return {directed, keep_loops, keep_duplicates};
}

py::tuple generate_rmat(const RmatOptions& options, std::uint64_t seed, const py::object& weights,
                        const py::dtype& dtype) {
  return generate(weights, dtype,
                  [&]<class W>(const WeightRule& rule) { return rmat<W>(options, rule, seed); });
}

py::tuple generate_ssca2(const Ssca2Options& options, std::uint64_t seed, const py::object& weights,
                         const py::dtype& dtype) {
  return generate(weights, dtype,
                  [&]<class W>(const WeightRule& rule) { return ssca2<W>(options, rule, seed); });
}

py::tuple generate_grid(const GridOptions& options, std::uint64_t seed, const py::object& weights,
                        const py::dtype& dtype) {
  return generate(weights, dtype,
                  [&]<class W>(const WeightRule& rule) { return grid<W>(options, rule, seed); });
}

void fill_points(py::array points, py::array labels, const PointOptions& options,
                 std::uint64_t seed) {
  const std::span<std::int32_t> centre_of = writable<std::int32_t>(labels);
  const auto fill = [&](auto coordinates) {
    run_released(py::none(), [&] { random_points(options, seed, coordinates, centre_of); });
  };
  if (py::isinstance<py::array_t<float>>(points)) {
    fill(writable<float>(points));
  } else {
    fill(writable<double>(points));
  }
}

PointOptions::Kind point_kind(const std::string& name) {
  if (name == "uniform") return PointOptions::Kind::uniform;
  return name == "normal" ? PointOptions::Kind::normal : PointOptions::Kind::blobs;
}

}  // namespace

void init_generators(py::module_& module) {
  const py::class_<EdgeRules> rules(module, "EdgeRules");
  module.def("edge_rules", &edge_rules, py::arg("directed"), py::arg("keep_loops"),
             py::arg("keep_duplicates"));
  module.def(
      "generate_rmat",
      [](int scale, double edge_factor, const std::array<double, 4>& parameters, double noise,
         bool relabel, const EdgeRules& edges, std::uint64_t seed, const py::object& weights,
         const py::dtype& dtype) {
        const auto [a, b, c, d] = parameters;
        return generate_rmat({scale, edge_factor, a, b, c, d, noise, relabel, edges}, seed, weights,
                             dtype);
      },
      py::arg("scale"), py::arg("edge_factor"), py::arg("parameters"), py::arg("noise"),
      py::arg("relabel"), py::arg("edges"), py::arg("seed"), py::arg("weights"), py::arg("dtype"));
  module.def(
      "generate_ssca2",
      [](int scale, vertex_t max_clique_size, double inter_clique_probability, double decay,
         bool relabel, const EdgeRules& edges, std::uint64_t seed, const py::object& weights,
         const py::dtype& dtype) {
        return generate_ssca2(
            {scale, max_clique_size, inter_clique_probability, decay, relabel, edges}, seed,
            weights, dtype);
      },
      py::arg("scale"), py::arg("max_clique_size"), py::arg("inter_clique_probability"),
      py::arg("decay"), py::arg("relabel"), py::arg("edges"), py::arg("seed"), py::arg("weights"),
      py::arg("dtype"));
  module.def(
      "generate_grid",
      [](vertex_t rows, vertex_t cols, double removed, std::uint64_t seed,
         const py::object& weights, const py::dtype& dtype) {
        return generate_grid({rows, cols, removed}, seed, weights, dtype);
      },
      py::arg("rows"), py::arg("cols"), py::arg("removed"), py::arg("seed"), py::arg("weights"),
      py::arg("dtype"));
  module.def(
      "random_points",
      [](py::array points, py::array labels, const std::string& dist, std::int64_t n_blobs,
         double spread, std::uint64_t seed) {
        const std::int64_t dim = points.ndim() == 2 ? points.shape(1) : 0;
        fill_points(points, labels, {point_kind(dist), dim, n_blobs, spread}, seed);
      },
      py::arg("points"), py::arg("labels"), py::arg("dist"), py::arg("n_blobs"), py::arg("spread"),
      py::arg("seed"));
}

}  // namespace warpgraph
