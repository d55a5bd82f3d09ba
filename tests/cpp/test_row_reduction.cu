// Reductions over rows on a device equal those of the host bit by bit.
#include "on_device.hpp"
#include "primitives/row_reduction/device_row_reduction.cuh"
#include "row_reduction_graphs.hpp"

namespace warpgraph::cuda {
namespace {

class DeviceRowReduction : public test::OnDevice {
 protected:
  template <class T, class Value, class Combine>
  std::vector<T> reduced(const CsrPattern& graph, const Value& value,
                         const Combine& combine) const {
    const DeviceBuffer<T> results(static_cast<std::size_t>(graph.n_vertices), stream());
    fill_bytes(results.data(), 0x11, results.size(), stream());
    const LongRows long_rows(graph, stream());
    reduce_rows(stream(), graph, long_rows, value, combine, T{}, results.data());
    return fetched(results);
  }
};

TEST_F(DeviceRowReduction, EqualsTheDefinition) {
  const Csr<double> graph = test::graph_of_all_orders();
  const CsrView<double> host = graph.view();
  const test::CopiedGraph<double> copy(host, stream());
  const CsrView<double> device = copy.view();
  EXPECT_EQ(reduced<std::uint64_t>(device, test::Mixed{}, test::OrderedHash{}),
            test::reduced_by_reference<std::uint64_t>(host, test::Mixed{}, test::OrderedHash{}));
  const auto check_sums = [&]<class T>(T) {
    const auto found = reduced<T>(device, test::Weight<T>{device.weights}, test::Sum{});
    EXPECT_EQ(found,
              test::reduced_by_reference<T>(host, test::Weight<T>{host.weights}, test::Sum{}));
  };
  check_sums(double{});
  check_sums(float{});
}

TEST_F(DeviceRowReduction, TakesGraphsWithoutLongRowsOrWithoutArcs) {
  for (const edge_t n_arcs : {0, 3000}) {
    const Csr<double> graph = test::random_graph<double>(100, n_arcs, 5);
    const test::CopiedGraph<double> copy(graph.view(), stream());
    const auto found =
        reduced<double>(copy.view(), test::Weight<double>{copy.view().weights}, test::Sum{});
    EXPECT_EQ(found, test::reduced_by_reference<double>(
                         graph.view(), test::Weight<double>{graph.view().weights}, test::Sum{}));
  }
}

TEST_F(DeviceRowReduction, EndsForAGraphWithoutVertices) {
  const Csr<double> graph;
  const test::CopiedGraph<double> copy(graph.view(), stream());
  EXPECT_TRUE(reduced<double>(copy.view(), test::Weight<double>{nullptr}, test::Sum{}).empty());
}

}  // namespace
}  // namespace warpgraph::cuda
