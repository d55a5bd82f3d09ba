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
  /// `index` has an item for each vertex, all no_vertex; the destructor leaves them so.
  explicit Corridor(std::vector<vertex_t>& index) : index_(index) {}
  ~Corridor() {
    for (const Member& member : members_) index_[at(member.vertex)] = no_vertex;
  }
  Corridor(const Corridor&) = delete;
  Corridor& operator=(const Corridor&) = delete;

  /// Collects the vertices through which a path to the target is at most `longest` long;
  /// distance_of(v) is that from the source. Returns false if there are more than `most`, or many
  /// more than the longest of these paths has.
  template <class DistanceOf>
  bool collect(const CsrView<W>& transposed, vertex_t target, double longest, std::size_t most,
               const DistanceOf& distance_of) {
    Queue<double> queue;
    add(target, {0, 0});
    queue.push({0, target});
    while (!queue.empty()) {
      const auto [left, v] = queue.top();
      queue.pop();
      if (member(v).rest.length < left) continue;  // outdated
      poll_sometimes();
      const Rest rest = member(v).rest;
      longest_rest_ = std::max(longest_rest_, rest.n_arcs);
      shortest_paths::for_each_arc_of(transposed, v, [&](vertex_t u, W weight) {
        const Rest through{rest.length + double{weight}, rest.n_arcs + 1};
        if (has(u)) {
          if (!(through.length < member(u).rest.length)) return;
          member(u).rest = through;
        } else {
          if (!(distance_of(u) + through.length <= longest)) return;
          add(u, through);
        }
        queue.push({through.length, u});
      });
      if (members_.size() > std::min(most, few_members + members_per_arc * longest_rest_)) {
        return false;
      }
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
      shortest_paths::for_each_arc_of(graph, u, [&, distance = from](vertex_t v, W weight) {
        const W through = extend(distance, weight);
        if (!has(v) || !(through < member(v).distance)) return;
        member(v).distance = through;
        queue.push({through, v});
      });
    }
  }

  /// Returns the distance of a vertex, which is infinite outside of the corridor.
  [[nodiscard]] W distance(vertex_t v) const {
    return has(v) ? members_[at(index_[at(v)])].distance : infinity<W>();
  }

 private:
  /// The members of a corridor that are always few enough, and those for each arc of its longest
  /// path: twice as many as on New York's roads; equal weights on a grid make wider ones soon.
  static constexpr std::size_t few_members = 256;
  static constexpr std::size_t members_per_arc = 4;

  /// The rest of a path, which ends in the target.
  struct Rest {
    double length;
    std::size_t n_arcs;
  };
  struct Member {
    vertex_t vertex;
    Rest rest;
    W distance = infinity<W>();
  };
  template <class Key>
  using Entry = std::pair<Key, vertex_t>;
  template <class Key>
  using Queue = std::priority_queue<Entry<Key>, std::vector<Entry<Key>>, std::greater<>>;

  [[nodiscard]] bool has(vertex_t v) const { return index_[at(v)] != no_vertex; }
  Member& member(vertex_t v) { return members_[at(index_[at(v)])]; }
  void add(vertex_t v, Rest rest) {
    members_.push_back({v, rest});
    index_[at(v)] = static_cast<vertex_t>(members_.size() - 1);
  }
  void poll_sometimes() {
    if (n_settled_++ % shortest_paths::vertices_between_polls == 0) poll();
  }

  std::vector<vertex_t>& index_;
  std::vector<Member> members_;
  std::size_t longest_rest_ = 0;  // arcs
  std::int64_t n_settled_ = 0;
};

}  // namespace warpgraph::hierarchy_detail
