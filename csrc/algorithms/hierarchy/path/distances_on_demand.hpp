// Distances from one source, each computed when it is asked for, from those of the vertices above.
#pragma once

#include "algorithms/hierarchy/upward_search.hpp"
#include "core/interrupt.hpp"
#include "core/processor/least_sum.hpp"

namespace warpgraph::hierarchy_detail {

/// Lazy RPHAST, [1] in path.hpp: the downward sweep for a set of targets that grows. A distance is
/// the least of the upward path's and those through the downward arcs into the vertex; it is
/// computed once for a source, after those of the tails.
template <class T>
class DistancesOnDemand {
 public:
  explicit DistancesOnDemand(const Hierarchy<T>& hierarchy)
      : hierarchy_(hierarchy),
        upward_search_(hierarchy),
        labels_(at(hierarchy.n_vertices), Label{unreached<T>(), unknown}),
        entrances_(at(hierarchy.n_core), unreached<T>()),
        core_is_dense_(is_dense(hierarchy)) {}

  /// Returns an upper bound, which holds when all vertices have been asked for.
  static std::size_t bytes_needed(vertex_t n_vertices, vertex_t n_core) {
    // A vector that grows has both its old and its new items for a moment.
    constexpr std::size_t growth = 3;
    constexpr std::size_t lists =
        2 * sizeof(vertex_t) + sizeof(typename UpwardSearch<T>::Reached) + sizeof(Frame);
    return at(n_vertices) * (sizeof(Label) + sizeof(T) + growth * lists) + at(n_core) * sizeof(T);
  }

  [[nodiscard]] std::size_t bytes() const {
    return labels_.size() * (sizeof(Label) + sizeof(T)) + entrances_.size() * sizeof(T) +
           known_.capacity() * sizeof(vertex_t) + frames_.capacity() * sizeof(Frame);
  }

  /// Starts with a source and forgets another one before. Takes time for what has been visited,
  /// not for all vertices.
  [[gnu::noinline]] void start(vertex_t source) {
    if (reached_ != nullptr && source == source_) return;
    forget();
    source_ = source;
    reached_ = &upward_search_.run(source);
    for (const auto& [position, distance] : *reached_) {
      labels_[at(position)].upward = distance;
      if (position < hierarchy_.n_core) entrances_[at(position)] = distance;
    }
  }

  /// Returns the distance of a vertex; unreached<T>() if there is no path.
  T to(vertex_t v) {
    const vertex_t position = hierarchy_.position_of[at(v)];
    const T known = labels_[at(position)].distance;
    return known != unknown ? known : find(position);
  }

 private:
  static constexpr T unknown{-1};
  static constexpr std::size_t vertices_between_polls = 1 << 12;

  struct Label {
    T upward;    // the length of the shortest upward path
    T distance;  // of the exit, if the vertex is in the core
  };
  /// A vertex whose distance is being computed, of which some arcs have been read.
  struct Frame {
    vertex_t position;
    edge_t next;
    T least;
  };

  /// Returns whether each exit has arcs from all entrances, in their order.
  static bool is_dense(const Hierarchy<T>& h) {
    for (vertex_t exit = 0; exit < h.n_core; ++exit) {
      const edge_t first = h.down.offsets[at(exit)];
      if (h.down.offsets[at(exit) + 1] - first != h.n_core) return false;
      for (vertex_t i = 0; i < h.n_core; ++i) {
        if (h.down.heads[at(first + i)] != h.n_vertices + i) return false;
      }
    }
    return true;
  }

  void forget() {
    for (const vertex_t p : known_) labels_[at(p)].distance = unknown;
    known_.clear();
    frames_.clear();
    if (reached_ == nullptr) return;
    for (const auto& [position, distance] : *reached_) {
      labels_[at(position)].upward = unreached<T>();
      if (position < hierarchy_.n_core) entrances_[at(position)] = unreached<T>();
    }
    reached_ = nullptr;
  }

  [[gnu::noinline]] T find(vertex_t position) {
    if (position < hierarchy_.n_core) return leave_core(position);
    open(position);
    while (!frames_.empty()) {
      if (!read_arcs(frames_.back())) continue;
      set(frames_.back().position, frames_.back().least);
      frames_.pop_back();
    }
    return labels_[at(position)].distance;
  }

  void open(vertex_t p) {
    frames_.push_back({p, hierarchy_.down.offsets[at(p)], labels_[at(p)].upward});
  }

  /// Reads arcs. Returns false if the distance of a tail must be found first: its frame is the last
  /// one then.
  bool read_arcs(Frame& frame) {
    const vertex_t* const tails = hierarchy_.down.heads.data();
    const T* const weights = hierarchy_.down.weights.data();
    const Label* const labels = labels_.data();
    const edge_t end = hierarchy_.down.offsets[at(frame.position) + 1];
    T least = frame.least;
    for (edge_t e = frame.next; e < end; ++e) {
      const vertex_t tail = tails[e];
      T from = labels[tail].distance;
      if (from == unknown) {
        if (tail >= hierarchy_.n_core) {
          frame.next = e;
          frame.least = least;
          open(tail);
          return false;
        }
        from = leave_core(tail);
      }
      least = std::min(least, from + weights[e]);
    }
    frame.least = least;
    return true;
  }

  T leave_core(vertex_t exit) {
    const Csr<T>& down = hierarchy_.down;
    const edge_t first = down.offsets[at(exit)];
    const edge_t last = down.offsets[at(exit) + 1];
    T least = unreached<T>();
    if (core_is_dense_) {
      least = least_sum(entrances_.data(), &down.weights[at(first)], entrances_.size(), least);
    } else {
      for (edge_t e = first; e < last; ++e) {
        const std::size_t entrance = at(down.heads[at(e)] - hierarchy_.n_vertices);
        least = std::min(least, entrances_[entrance] + down.weights[at(e)]);
      }
    }
    return set(exit, least);
  }

  T set(vertex_t p, T distance) {
    if (known_.size() % vertices_between_polls == 0) poll();
    known_.push_back(p);
    return labels_[at(p)].distance = std::min(distance, unreached<T>());
  }

  const Hierarchy<T>& hierarchy_;
  UpwardSearch<T> upward_search_;
  std::vector<Label> labels_;  // by position
  std::vector<T> entrances_;
  bool core_is_dense_;
  vertex_t source_ = no_vertex;
  const std::vector<typename UpwardSearch<T>::Reached>* reached_ = nullptr;
  std::vector<vertex_t> known_;
  std::vector<Frame> frames_;
};

}  // namespace warpgraph::hierarchy_detail
