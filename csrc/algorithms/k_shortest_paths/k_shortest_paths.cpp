#include "algorithms/k_shortest_paths/k_shortest_paths.hpp"

#include "algorithms/k_shortest_paths/potentials.hpp"
#include "algorithms/k_shortest_paths/spur_search.hpp"
#include "core/error.hpp"
#include "core/memory/memory_meter.hpp"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

namespace warpgraph {
namespace {

using namespace k_shortest_paths_detail;

constexpr std::int32_t none = -1;

/// A vertex to which no path of a class goes from its spur, and the index of the next one.
struct Barred {
  vertex_t vertex;
  std::int32_t others;  // index, or none
};

template <class W>
struct Path {
  std::vector<vertex_t> vertices;
  std::vector<W> weights;  // of the path up to each vertex
  std::size_t spur;        // the class that it came from: the place of its spur,
  std::int32_t barred;     // and what it may not use

  [[nodiscard]] Length<W> length() const { return length_up_to(vertices.size() - 1); }
  [[nodiscard]] Length<W> length_up_to(std::size_t place) const {
    return {weights[place], static_cast<vertex_t>(place)};
  }
  [[nodiscard]] std::size_t bytes() const {
    return sizeof(Path) + vertices.capacity() * sizeof(vertex_t) + weights.capacity() * sizeof(W);
  }
  friend bool operator<(const Path& a, const Path& b) {
    const Length<W> of_a = a.length(), of_b = b.length();
    return of_a < of_b || (of_a == of_b && a.vertices < b.vertices);
  }
};

/// A path, or a class with a lower bound of its lengths.
template <class W>
struct Candidate {
  Length<W> length;
  std::int32_t path;    // or the one that the class follows
  std::int32_t barred;  // of a class
  vertex_t spur;        // of a class; none: a path

  [[nodiscard]] bool is_path() const noexcept { return spur == none; }
};

template <class W>
class Enumeration {
 public:
  Enumeration(const CsrView<W>& graph, const CsrView<W>& transposed, std::span<const W> to_target,
              const KShortestPathsOptions& options, MemoryMeter& meter)
      : graph_(graph),
        target_(options.target),
        meter_(meter),
        potentials_(graph, transposed, to_target, options.target),
        search_(graph, transposed, potentials_, options.target),
        root_(graph.n_vertices),
        barred_here_(graph.n_vertices) {
    paths_.push_back({{options.source}, {W{0}}, 0, none});
  }

  /// Returns the bytes that the search takes beside candidates and paths.
  static constexpr std::size_t bytes(vertex_t n_vertices) {
    return Potentials<W>::bytes(n_vertices) + SpurSearch<W>::bytes(n_vertices) +
           2 * VertexSet::bytes(n_vertices);
  }

  /// Finds k paths and returns their indices, sorted.
  std::vector<std::int32_t> run(std::int64_t k) {
    std::vector<std::int32_t> found;
    const Path<W>& start = paths_.front();
    if (start.vertices[0] == target_) return {0};
    push({potentials_[start.vertices[0]], 0, none, 0});
    while (std::ssize(found) < k && !candidates_.empty()) {
      const Candidate<W> first = pop();
      if (!first.is_path()) {
        find_first_of(first);
        continue;
      }
      found.push_back(first.path);
      report_progress(std::ssize(found), k);
      if (std::ssize(found) < k) split(first.path);
    }
    if (std::ssize(found) < k && potentials_.overflowed()) {
      throw std::overflow_error(
          concat("only ", found.size(), " of ", k,
                 " paths have lengths that fit the type of the lengths; ask for a wider dtype"));
    }
    std::sort(found.begin(), found.end(), [&](auto a, auto b) { return path(a) < path(b); });
    return found;
  }

  [[nodiscard]] const Path<W>& path(std::int32_t i) const { return paths_[at(i)]; }

 private:
  /// Returns the order of the heap: the least length on top, of equal ones a class first, since it
  /// may have the first path.
  [[nodiscard]] bool comes_after(const Candidate<W>& a, const Candidate<W>& b) const {
    if (!(a.length == b.length)) return b.length < a.length;
    if (!a.is_path() || !b.is_path()) return a.is_path();
    return path(b.path).vertices < path(a.path).vertices;
  }
  [[nodiscard]] auto heap_order() const {
    return [this](const Candidate<W>& a, const Candidate<W>& b) { return comes_after(a, b); };
  }

  void push(const Candidate<W>& candidate) {
    if (!candidate.length.is_finite()) return;
    // Vectors hold up to three times their items while they grow.
    meter_.take(3 * (sizeof(Candidate<W>) + sizeof(Barred)));
    candidates_.push_back(candidate);
    std::push_heap(candidates_.begin(), candidates_.end(), heap_order());
  }

  Candidate<W> pop() {
    std::pop_heap(candidates_.begin(), candidates_.end(), heap_order());
    const Candidate<W> first = candidates_.back();
    candidates_.pop_back();
    return first;
  }

  /// Puts the path up to a vertex, and the heads that its arcs may not have, into sets.
  void begin_class(const Path<W>& followed, std::size_t spur, std::int32_t barred) {
    root_.clear();
    for (std::size_t i = 0; i <= spur; ++i) root_.add(followed.vertices[i]);
    bar(barred);
  }
  void bar(std::int32_t barred) {
    barred_here_.clear();
    for (; barred != none; barred = barred_[at(barred)].others) {
      barred_here_.add(barred_[at(barred)].vertex);
    }
  }

  /// Returns the least length over an arc of the spur, and the smallest head of such an arc.
  std::pair<Length<W>, vertex_t> bound(vertex_t spur, Length<W> up_to_spur) {
    Length<W> least;
    vertex_t head = no_vertex;
    for_each_usable_arc(graph_, spur, [&](vertex_t v, W weight) {
      if (root_.has(v) || barred_here_.has(v)) return;
      const Length<W> over = potentials_.over(up_to_spur.with_arc(weight), v);
      if (!over.is_finite() || least < over || (least == over && head <= v)) return;
      least = over;
      head = v;
    });
    return {least, head};
  }

  /// Splits the rest of the class of a path that was found.
  void split(std::int32_t index) {
    const Path<W>& found = path(index);
    begin_class(found, found.spur, none);
    std::int32_t others = found.barred;
    for (std::size_t i = found.spur; i + 1 < found.vertices.size(); ++i) {
      if (i % 1024 == 0) poll();
      root_.add(found.vertices[i]);
      barred_.push_back({found.vertices[i + 1], others});
      others = none;
      const auto barred = static_cast<std::int32_t>(barred_.size() - 1);
      bar(barred);
      const Length<W> least = bound(found.vertices[i], found.length_up_to(i)).first;
      push({least, index, barred, static_cast<vertex_t>(i)});
    }
  }

  void find_first_of(const Candidate<W>& cls) {
    const Path<W>& followed = path(cls.path);
    const auto spur = static_cast<std::size_t>(cls.spur);
    begin_class(followed, spur, cls.barred);
    Path<W> found{{followed.vertices.begin(), followed.vertices.begin() + cls.spur + 1},
                  {followed.weights.begin(), followed.weights.begin() + cls.spur + 1},
                  spur,
                  cls.barred};
    if (!follow_potentials(found) && !search(found)) return;
    meter_.take(found.bytes());
    const auto index = static_cast<std::int32_t>(paths_.size());
    paths_.push_back(std::move(found));
    push({paths_.back().length(), index, none, none});
  }

  /// Extends a path after its spur by the best arc, and by the first of the shortest paths from
  /// there. Returns false, and the path is as before, if that meets the path up to the spur.
  bool follow_potentials(Path<W>& found) {
    const std::size_t n_before = found.vertices.size();
    vertex_t u = found.vertices.back();
    vertex_t next = bound(u, found.length()).second;
    while (next != no_vertex && !root_.has(next)) {
      found.weights.push_back(extend(found.weights.back(), lightest(graph_, u, next)));
      found.vertices.push_back(next);
      potentials_.over(found.length(), next);  // throws if the length up to here does not fit
      if (next == target_) return true;
      u = std::exchange(next, potentials_.next(next));
    }
    found.vertices.resize(n_before);
    found.weights.resize(n_before);
    return false;
  }

  bool search(Path<W>& found) {
    const vertex_t spur = found.vertices.back();
    const auto may_use = [&](vertex_t u, vertex_t v) {
      return !root_.has(v) && !(u == spur && barred_here_.has(v));
    };
    return search_.run(spur, found.length(), may_use, found.vertices, found.weights);
  }

  const CsrView<W>& graph_;
  const vertex_t target_;
  MemoryMeter& meter_;
  Potentials<W> potentials_;
  SpurSearch<W> search_;
  VertexSet root_;
  VertexSet barred_here_;
  std::deque<Path<W>> paths_;
  std::vector<Barred> barred_;
  std::vector<Candidate<W>> candidates_;
};

}  // namespace

template <class W>
KShortestPaths<W> k_shortest_paths(const CsrView<W>& graph, const CsrView<W>& transposed,
                                   std::span<const W> to_target,
                                   const KShortestPathsOptions& options) {
  const char* const what = "k_shortest_paths";
  const char* const advice = "ask for fewer paths, or use a smaller graph";
  const std::size_t fixed = Enumeration<W>::bytes(graph.n_vertices);
  options.budget.require(what, fixed, advice);
  MemoryMeter meter(what, options.budget, advice);
  meter.take(fixed);
  Enumeration<W> enumeration(graph, transposed, to_target, options, meter);
  KShortestPaths<W> result;
  for (const std::int32_t i : enumeration.run(options.k)) {
    const Path<W>& path = enumeration.path(i);
    result.lengths.push_back(path.weights.back());
    result.vertices.insert(result.vertices.end(), path.vertices.begin(), path.vertices.end());
    result.offsets.push_back(std::ssize(result.vertices));
  }
  return result;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(k_shortest_paths)

}  // namespace warpgraph
