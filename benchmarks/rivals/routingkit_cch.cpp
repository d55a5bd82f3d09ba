// Times the customizable contraction hierarchy of RoutingKit, for bench_customize.py: on a graph in
// ECL's binary format, with an order of contraction from a file of int32. README.md says how to
// compile it with the sources of RoutingKit.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <routingkit/contraction_hierarchy.h>
#include <routingkit/customizable_contraction_hierarchy.h>
#include <vector>

namespace {

constexpr int repetitions = 7;

template <class T>
std::vector<T> read(std::ifstream& file, std::size_t n) {
  std::vector<T> items(n);
  file.read(reinterpret_cast<char*>(items.data()), static_cast<std::streamsize>(n * sizeof(T)));
  return items;
}

template <class F>
void time_and_print(const char* what, double divisor, const F& work) {
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    std::printf("%s: %.6f ms\n", what, elapsed.count() / divisor);
  }
}

}  // namespace

// usage: routingkit_cch GRAPH ORDER PAIRS N_THREADS
int main(int count, char** arguments) {
  if (count != 5) return 2;
  std::ifstream graph(arguments[1], std::ios::binary);
  const std::vector<int> sizes = read<int>(graph, 2);
  const auto n = static_cast<std::size_t>(sizes[0]);
  const auto m = static_cast<std::size_t>(sizes[1]);
  const std::vector<int> offsets = read<int>(graph, n + 1);
  const std::vector<unsigned> heads = read<unsigned>(graph, m);
  const std::vector<unsigned> weights = read<unsigned>(graph, m);
  std::vector<unsigned> tails(m);
  for (std::size_t u = 0; u < n; ++u) {
    for (int e = offsets[u]; e < offsets[u + 1]; ++e) tails[static_cast<std::size_t>(e)] = u;
  }
  std::ifstream order_file(arguments[2], std::ios::binary);
  const std::vector<unsigned> order = read<unsigned>(order_file, n);
  std::ifstream pair_file(arguments[3], std::ios::binary | std::ios::ate);
  const std::size_t n_pairs = static_cast<std::size_t>(pair_file.tellg()) / (2 * sizeof(unsigned));
  pair_file.seekg(0);
  const std::vector<unsigned> pairs = read<unsigned>(pair_file, 2 * n_pairs);
  const auto n_threads = static_cast<unsigned>(std::atoi(arguments[4]));

  const RoutingKit::CustomizableContractionHierarchy cch(order, tails, heads);
  std::printf("Arcs: %u\n", cch.cch_arc_count());
  RoutingKit::CustomizableContractionHierarchyMetric metric(cch, weights);
  if (n_threads == 1) {
    time_and_print("Customize", 1, [&] { metric.customize(); });
  } else {
    RoutingKit::CustomizableContractionHierarchyParallelization parallel(cch);
    time_and_print("Customize", 1, [&] { parallel.customize(metric, n_threads); });
  }
  RoutingKit::CustomizableContractionHierarchyQuery query(metric);
  std::int64_t sum = 0;
  time_and_print("Query", static_cast<double>(n_pairs), [&] {
    sum = 0;
    for (std::size_t i = 0; i < n_pairs; ++i) {
      query.reset().add_source(pairs[2 * i]).add_target(pairs[2 * i + 1]).run();
      sum += query.get_distance();
    }
  });
  std::printf("Sum: %lld\n", static_cast<long long>(sum));
  time_and_print("Perfect", 1,
                 [&] { (void)metric.build_contraction_hierarchy_using_perfect_witness_search(); });
}
