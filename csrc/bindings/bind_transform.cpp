// The input transformations of csrc/graph: sorted rows, new vertex numbers, ranks, compression.
#include "bindings/call.hpp"
#include "bindings/graph_handle.hpp"
#include "bindings/hand_over.hpp"
#include "graph/transform/compress.hpp"
#include "graph/transform/reorder.hpp"
#include "graph/transform/sort_rows.hpp"
#include "graph/transform/weight_rank/weight_rank.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/stream_pool.hpp"
#include "graph/transform/device_transform.hpp"
#endif

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

py::tuple sort_rows_arrays(const GraphHandle& graph, const py::dtype& dtype, bool heaviest_first,
                           const std::string& device_name) {
  const Device device = Device::parse(device_name);
  return dispatch_weight(dtype, [&]<class W>() -> py::tuple {
    const CsrView<W> view = graph.view<W>();
    SortedRows<W> sorted = run_released(py::none(), [&] {
      return device.is_cuda() ? WARPGRAPH_ON_CUDA(sort_rows_cuda(view, heaviest_first,
                                                                 *cuda::BorrowedStream(device)))
                              : sort_rows(view, heaviest_first);
    });
    return py::make_tuple(to_array(std::move(sorted.heads)), to_array(std::move(sorted.weights)),
                          to_array(std::move(sorted.positions)));
  });
}

bool has_sorted_rows_of(const GraphHandle& graph, const py::dtype& dtype, bool heaviest_first) {
  return dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> view = graph.view<W>();
    return run_released(py::none(), [&] { return has_sorted_rows(view, heaviest_first); });
  });
}

py::tuple rank_weights_arrays(const py::array& weights, const std::string& device_name) {
  const Device device = Device::parse(device_name);
  return dispatch_weight(weights.dtype(), [&]<class W>() -> py::tuple {
    const std::span<const W> values = readable<W>(weights);
    WeightRanks<W> ranked = run_released(py::none(), [&] {
      return device.is_cuda()
                 ? WARPGRAPH_ON_CUDA(rank_weights_cuda(values, *cuda::BorrowedStream(device)))
                 : rank_weights(values);
    });
    py::array ranks = std::visit(
        [](auto& narrow_or_wide) -> py::array { return to_array(std::move(narrow_or_wide)); },
        ranked.ranks);
    return py::make_tuple(std::move(ranks), ranked.first_rank, to_array(std::move(ranked.values)));
  });
}

py::array vertex_order(const GraphHandle& graph, const std::string& strategy) {
  return to_array(run_released(py::none(), [&] {
    if (strategy == "degree") return order_by_degree(graph.pattern());
    if (strategy == "rcm") return order_by_reverse_cuthill_mckee(graph.pattern());
    EXPECTS(strategy == "communities", "there is no strategy ", strategy);
    return order_by_communities(graph.pattern());
  }));
}

py::array inverse_order_array(const py::array& order) {
  const std::span<const vertex_t> vertices = readable<vertex_t>(order);
  return to_array(run_released(py::none(), [&] { return inverse_order(vertices); }));
}

py::tuple permute_arrays(const GraphHandle& graph, const py::dtype& dtype, const py::array& order) {
  const std::span<const vertex_t> vertices = readable<vertex_t>(order);
  return dispatch_weight(dtype, [&]<class W>() -> py::tuple {
    const CsrView<W> view = graph.view<W>();
    PermutedGraph<W> permuted = run_released(py::none(), [&] { return permute(view, vertices); });
    return py::make_tuple(
        to_array(std::move(permuted.graph.offsets)), to_array(std::move(permuted.graph.heads)),
        to_array(std::move(permuted.graph.weights)), to_array(std::move(permuted.positions)));
  });
}

double mean_gap_bits_of(const GraphHandle& graph) {
  return run_released(py::none(), [&] { return mean_gap_bits(graph.pattern()); });
}

/// The compressed heads of a graph. Holds the graph's indptr, but not its indices.
class CompressedHandle {
 public:
  CompressedHandle(const GraphHandle& graph, py::array indptr, int block_bits)
      : indptr_(std::move(indptr)), pattern_(graph.pattern()) {
    const CsrPattern& pattern = graph.pattern();
    const void* offsets = pattern.offsets.is_wide()
                              ? static_cast<const void*>(pattern.offsets.wide())
                              : static_cast<const void*>(pattern.offsets.narrow());
    EXPECTS(indptr_.data() == offsets, "indptr must be the array that the graph was made of");
    adjacency_ = run_released(py::none(), [&] { return compress(pattern, block_bits); });
    pattern_.heads = nullptr;
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return adjacency_.bytes(); }
  [[nodiscard]] int block_bits() const noexcept { return adjacency_.block_bits; }
  /// (number of patched rows, number of wide rows).
  [[nodiscard]] py::tuple irregular_rows() const {
    const auto is_wide = [](const IrregularRow& row) {
      return row.n_exceptions == IrregularRow::wide;
    };
    const auto wide =
        std::count_if(adjacency_.irregular.begin(), adjacency_.irregular.end(), is_wide);
    return py::make_tuple(static_cast<std::ptrdiff_t>(adjacency_.irregular.size()) - wide, wide);
  }
  [[nodiscard]] py::array heads() const {
    HostVector<vertex_t> heads(static_cast<std::size_t>(pattern_.n_arcs));
    run_released(py::none(), [&] { decompress(adjacency_.view(pattern_), heads); });
    return to_array(std::move(heads));
  }
  [[nodiscard]] py::array heads_of(vertex_t u) const {
    EXPECTS(u >= 0 && u < pattern_.n_vertices, u, " is not a vertex of ",
            vertex_range(pattern_.n_vertices));
    const CompressedRow row = adjacency_.view(pattern_).row(u);
    return to_array(std::vector<vertex_t>(row.begin(), row.end()));
  }

 private:
  py::array indptr_;
  CsrPattern pattern_;
  CompressedAdjacency adjacency_;
};

py::object compressed(const GraphHandle& graph, py::array indptr, int block_bits) {
  return hand_over(std::make_unique<CompressedHandle>(graph, std::move(indptr), block_bits));
}

}  // namespace

void init_transform(py::module_& module) {
  module.def("sort_rows", &sort_rows_arrays, py::arg("graph"), py::arg("dtype"),
             py::arg("heaviest_first"), py::arg("device"));
  module.def("has_sorted_rows", &has_sorted_rows_of, py::arg("graph"), py::arg("dtype"),
             py::arg("heaviest_first"));
  module.def("rank_weights", &rank_weights_arrays, py::arg("weights"), py::arg("device") = "cpu");
  module.def("vertex_order", &vertex_order, py::arg("graph"), py::arg("strategy"));
  module.def("inverse_order", &inverse_order_array, py::arg("order"));
  module.def("permute", &permute_arrays, py::arg("graph"), py::arg("dtype"), py::arg("order"));
  module.def("mean_gap_bits", &mean_gap_bits_of, py::arg("graph"));
  py::class_<CompressedHandle>(module, "CompressedHandle")
      .def("bytes", &CompressedHandle::bytes)
      .def("block_bits", &CompressedHandle::block_bits)
      .def("irregular_rows", &CompressedHandle::irregular_rows)
      .def("heads", &CompressedHandle::heads)
      .def("heads_of", &CompressedHandle::heads_of, py::arg("vertex"));
  module.def("compressed_handle", &compressed, py::arg("graph"), py::arg("indptr"),
             py::arg("block_bits"));
}

}  // namespace warpgraph
