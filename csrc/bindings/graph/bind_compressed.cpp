// wg.transform.CompressedGraph: heads in one to two bytes each.
#include "bindings/call.hpp"
#include "bindings/graphs.hpp"
#include "bindings/hand_over.hpp"
#include "graph/transform/compress.hpp"

namespace warpgraph {
namespace {

/// The compressed heads of a graph. Holds the graph's indptr, but not its indices.
class CompressedHandle {
 public:
  CompressedHandle(const Graph& graph, py::array indptr, int block_bits)
      : indptr_(std::move(indptr)), pattern_(graph.pattern()) {
    const Offsets& offsets = pattern_.offsets;
    EXPECTS(indptr_.data() == offsets.narrow() || indptr_.data() == offsets.wide(),
            "indptr must be the array that the graph was made of");
    adjacency_ = run_released([&] { return compress(pattern_, block_bits); });
    pattern_.heads = nullptr;
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return adjacency_.bytes(); }
  [[nodiscard]] int block_bits() const noexcept { return adjacency_.block_bits; }
  [[nodiscard]] std::int64_t n_patched_rows() const { return adjacency_.n_patched_rows(); }
  [[nodiscard]] std::int64_t n_wide_rows() const { return adjacency_.n_wide_rows(); }
  [[nodiscard]] py::array_t<vertex_t> heads() const {
    HostVector<vertex_t> heads(static_cast<std::size_t>(pattern_.n_arcs));
    run_released([&] { decompress(adjacency_.view(pattern_), heads); });
    return to_array(std::move(heads));
  }
  [[nodiscard]] py::array_t<vertex_t> heads_of(vertex_t u) const {
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

Owned<CompressedHandle> compressed(const Graph& graph, py::array indptr, int block_bits) {
  return hand_over(std::make_unique<CompressedHandle>(graph, std::move(indptr), block_bits));
}

}  // namespace

void init_compressed(py::module_& module) {
  py::class_<CompressedHandle>(module, "CompressedHandle")
      .def("bytes", &CompressedHandle::bytes)
      .def("block_bits", &CompressedHandle::block_bits)
      .def("n_patched_rows", &CompressedHandle::n_patched_rows)
      .def("n_wide_rows", &CompressedHandle::n_wide_rows)
      .def("heads", &CompressedHandle::heads)
      .def("heads_of", &CompressedHandle::heads_of, py::arg("vertex"));
  module.def("compressed_handle", &compressed, py::arg("graph"), py::arg("indptr"),
             py::arg("block_bits"));
}

}  // namespace warpgraph
