// The vertices of all paths to a target that are nearly shortest, and sums along these paths.
#pragma once

#include "core/containers/at.hpp"
#include "core/interrupt.hpp"
#include "primitives/search/dijkstra_search.hpp"

#include <functional>
#include <queue>
#include <vector>

namespace warpgraph::hierarchy_detail {

template <class W>
class Corridor {
 public:
  /// `index` has an item for each vertex, all no_vertex; so they are again afterwards.
  explicit Corridor(std::vector<vertex_t>& index) : index_(index) {}
  ~Corridor() {
    for (const Member& member : members_) index_[at(member.vertex)] = no_vertex;
  }
  Corridor(const Corridor&) = delete;
  Corridor& operator=(const Corridor&) = delete;

  /// The vertices through which a path to the target is at most `longest` long; distance_of(v) is
  /// that from the source. False if there are more than `most`.
  template <class DistanceOf>
  bool collect(const CsrView<W>& transposed, vertex_t target, double longest, std::size_t most,
               const DistanceOf& distance_of) {
    Queue<double> queue;
    add(target, 0);
    queue.push({0, target});
    while (!queue.empty()) {
      const auto [left, v] = queue.top();
      queue.pop();
      if (member(v).left < left) continue;  // outdated
      poll_sometimes();
      shortest_paths::for_each_arc_of(transposed, v, [&](vertex_t u, W weight) {
        const double through = left + double{weight};
        if (has(u) ? !(through < member(u).left) : !(distance_of(u) + through <= longest)) return;
        has(u) ? void(member(u).left = through) : add(u, through);
        queue.push({through, u});
      });
      if (members_.size() > most) return false;
    }
    return true;
  }

  /// Sets the distances from the source along paths in the corridor.
  void search(const CsrView<W>& graph, vertex_t source) {
    if (!has(source)) return;
    Queue<W> queue;
    member(source).distance = W{0};
    queue.push({W{0}, source});
    while (!queue.empty()) {
      const auto [from, u] = queue.top();
      queue.pop();
      if (member(u).distance < from) continue;  // outdated
      poll_sometimes();
      shortest_paths::for_each_arc_of(graph, u, [&, from = from](vertex_t v, W weight) {
        const W through = extend(from, weight);
        if (!has(v) || !(through < member(v).distance)) return;
        member(v).distance = through;
        queue.push({through, v});
      });
    }
  }

  /// Infinite outside of the corridor.
  [[nodiscard]] W distance(vertex_t v) const {
    return has(v) ? members_[at(index_[at(v)])].distance : infinity<W>();
  }

 private:
  struct Member {
    vertex_t vertex;
    double left;  // length of the path to the target
    W distance = infinity<W>();
  };
  template <class Key>
  using Entry = std::pair<Key, vertex_t>;
  template <class Key>
  using Queue = std::priority_queue<Entry<Key>, std::vector<Entry<Key>>, std::greater<>>;

  [[nodiscard]] bool has(vertex_t v) const { return index_[at(v)] != no_vertex; }
  Member& member(vertex_t v) { return members_[at(index_[at(v)])]; }
  void add(vertex_t v, double left) {
    members_.push_back({v, left});
    index_[at(v)] = static_cast<vertex_t>(members_.size() - 1);
  }
  void poll_sometimes() {
    if (n_settled_++ % shortest_paths::vertices_between_polls == 0) poll();
  }

  std::vector<vertex_t>& index_;
  std::vector<Member> members_;
  std::int64_t n_settled_ = 0;
};

}  // namespace warpgraph::hierarchy_detail
