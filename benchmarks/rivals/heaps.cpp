// Dijkstra's algorithm on one core with the heaps of Boost and of the C++ standard library, as a
// rival: reads a graph in ECL's binary format, and origins and columns from a file. Searches from a
// sixteenth of the origins to warm up, then from all, and prints the seconds of both. Then it
// prints the sum of the distances in the columns. README.md says how to compile it.
#include <boost/heap/d_ary_heap.hpp>
#include <boost/heap/fibonacci_heap.hpp>
#include <boost/heap/pairing_heap.hpp>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <queue>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Distance = float;
constexpr Distance unreached = std::numeric_limits<Distance>::infinity();

struct Graph {
  std::vector<int> offsets, heads, weights;
};

struct Entry {
  Distance key;
  int vertex;
  /// Heaps of both libraries have their largest entry on top.
  bool operator<(const Entry& other) const { return key > other.key; }
};

template <class T>
std::vector<T> read(std::ifstream& file, std::size_t n) {
  std::vector<T> items(n);
  file.read(reinterpret_cast<char*>(items.data()), static_cast<std::streamsize>(n * sizeof(T)));
  return items;
}

/// Calls found(head, distance) for the arcs of a vertex that shorten a path.
template <class Found>
void relax(const Graph& graph, int vertex, std::vector<Distance>& distances, const Found& found) {
  for (int arc = graph.offsets[vertex]; arc < graph.offsets[vertex + 1]; ++arc) {
    const int head = graph.heads[arc];
    const Distance through = distances[vertex] + static_cast<Distance>(graph.weights[arc]);
    if (through >= distances[head]) continue;
    const bool is_first = distances[head] == unreached;
    distances[head] = through;
    found(head, is_first);
  }
}

/// Pushes a vertex again when its key decreases, and skips entries that are out of date.
struct Lazy {
  std::priority_queue<Entry> heap;

  explicit Lazy(std::size_t) {}
  void search(const Graph& graph, int origin, std::vector<Distance>& distances) {
    heap.push({distances[origin] = 0, origin});
    while (!heap.empty()) {
      const Entry least = heap.top();
      heap.pop();
      if (least.key != distances[least.vertex]) continue;
      relax(graph, least.vertex, distances, [&](int head, bool) {
        heap.push({distances[head], head});
      });
    }
  }
};

/// Moves the entry of a vertex in the heap when its key decreases.
template <class Heap>
struct Addressable {
  Heap heap;
  std::vector<typename Heap::handle_type> handles;

  explicit Addressable(std::size_t n) : handles(n) {}
  void search(const Graph& graph, int origin, std::vector<Distance>& distances) {
    handles[origin] = heap.push({distances[origin] = 0, origin});
    while (!heap.empty()) {
      const int vertex = heap.top().vertex;
      heap.pop();
      relax(graph, vertex, distances, [&](int head, bool is_first) {
        const Entry entry{distances[head], head};
        if (is_first) {
          handles[head] = heap.push(entry);
        } else {
          heap.increase(handles[head], entry);
        }
      });
    }
  }
};

/// Searches from the first origins, and returns the sum of the distances in the columns.
template <class Search>
double search(const Graph& graph, const std::vector<int>& origins, std::size_t n_origins,
              const std::vector<int>& columns) {
  const std::size_t n = graph.offsets.size() - 1;
  Search searches(n);
  std::vector<Distance> distances(n);
  double sum = 0;
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < n_origins; ++i) {
    std::fill(distances.begin(), distances.end(), unreached);
    searches.search(graph, origins[i], distances);
    for (const int column : columns) {
      if (distances[column] != unreached) sum += distances[column];
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("Seconds: %.6f\n", took.count());
  return sum;
}

template <class Search>
void run(const Graph& graph, const std::vector<int>& origins, const std::vector<int>& columns) {
  search<Search>(graph, origins, (origins.size() + 15) / 16, columns);
  std::printf("Sum: %.0f\n", search<Search>(graph, origins, origins.size(), columns));
}

std::vector<int> line_of(std::ifstream& file) {
  std::string line;
  std::getline(file, line);
  std::istringstream words(line);
  std::vector<int> numbers;
  for (int number; words >> number;) numbers.push_back(number);
  return numbers;
}

}  // namespace

int main(int count, char** arguments) {
  namespace heaps = boost::heap;
  if (count != 4) {
    std::fprintf(stderr, "usage: %s GRAPH.egr ORIGINS std|4-ary|fibonacci|pairing\n", arguments[0]);
    return 2;
  }
  std::ifstream file(arguments[1], std::ios::binary), listed(arguments[2]);
  const std::vector<int> sizes = read<int>(file, 2);
  Graph graph;
  graph.offsets = read<int>(file, static_cast<std::size_t>(sizes[0]) + 1);
  graph.heads = read<int>(file, static_cast<std::size_t>(sizes[1]));
  graph.weights = read<int>(file, static_cast<std::size_t>(sizes[1]));
  const std::vector<int> origins = line_of(listed), columns = line_of(listed);
  if (!file || origins.empty()) {
    std::fprintf(stderr, "%s or %s could not be read\n", arguments[1], arguments[2]);
    return 1;
  }
  const std::string kind = arguments[3];
  if (kind == "std") {
    run<Lazy>(graph, origins, columns);
  } else if (kind == "4-ary") {
    run<Addressable<heaps::d_ary_heap<Entry, heaps::arity<4>, heaps::mutable_<true>>>>(
        graph, origins, columns);
  } else if (kind == "fibonacci") {
    run<Addressable<heaps::fibonacci_heap<Entry>>>(graph, origins, columns);
  } else if (kind == "pairing") {
    run<Addressable<heaps::pairing_heap<Entry>>>(graph, origins, columns);
  } else {
    std::fprintf(stderr, "no heap is called %s\n", arguments[3]);
    return 2;
  }
  return 0;
}
