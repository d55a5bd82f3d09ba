// How a KdTree is built. Included by kd_tree.hpp alone.
//
// The first few levels are split node by node, all nodes of a level at once; below them each
// subtree is one thread's work. Splits are near-medians of samples, so one pass moves the points.
// Nothing depends on the number of threads.
#pragma once

#include "algorithms/emst/kd_tree.hpp"

namespace warpgraph::emst {

inline constexpr std::size_t subtrees_wanted = 256;    // enough to keep 32 threads evenly busy
inline constexpr vertex_t smallest_subtree = 1 << 12;  // points; smaller ones are not worth a fetch
inline constexpr int median_sample = 63;               // its median is off by 6 % of the ranks

template <class T, int D>
KdTree<T, D>::KdTree(PointsView<T> points)
    : n_(points.n_points),
      dimension_{static_cast<int>(points.dimension)},
      coordinates_(std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(n_) *
                                                       static_cast<std::size_t>(dimension_))),
      ids_(std::make_unique_for_overwrite<vertex_t[]>(static_cast<std::size_t>(n_))) {
  load(points);
  std::vector<Top> tops = split_tops();
  parallel_for(
      static_cast<std::int64_t>(tops.size()),
      [&](std::int64_t i) {
        Top& top = tops[static_cast<std::size_t>(i)];
        if (top.left == 0) grow(top.first, top.last, top.subtree);
      },
      1);
  splice(tops, 0);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].is_leaf()) leaves_.push_back(static_cast<std::int32_t>(i));
  }
}

template <class T, int D>
std::size_t KdTree<T, D>::bytes(std::size_t n, std::size_t dimension) {
  // Sampled medians leave leaves at least a third full; twice that, since subtrees are copied.
  const std::size_t nodes = 2 * (3 * n / leaf_capacity<D> + 1);
  return n * (dimension * sizeof(T) + sizeof(vertex_t)) +
         2 * nodes * (sizeof(KdNode) + 2 * dimension * sizeof(T));
}

/// Copies the points; missing coordinates are 0, which changes no distance.
template <class T, int D>
void KdTree<T, D>::load(PointsView<T> points) {
  parallel_for(n_, [&](std::int64_t p) {
    const T* from = points.coordinates + p * points.dimension;
    T* to = row(static_cast<vertex_t>(p));
    for (int k = 0; k < dimension_; ++k) to[k] = k < points.dimension ? from[k] : T(0);
    ids_[static_cast<std::size_t>(p)] = static_cast<vertex_t>(p);
  });
}

template <class T, int D>
void KdTree<T, D>::fit_box(vertex_t first, vertex_t last, T* box) noexcept {
  T* low = box;
  T* high = box + dimension_;
  std::copy_n(row(first), static_cast<int>(dimension_), low);
  std::copy_n(row(first), static_cast<int>(dimension_), high);
  for (vertex_t p = first + 1; p < last; ++p) {
    const T* point = row(p);
    for (int k = 0; k < dimension_; ++k) {
      low[k] = std::min(low[k], point[k]);
      high[k] = std::max(high[k], point[k]);
    }
  }
}

/// The axis along which a box is longest, or -1 if it is a point.
template <class T, int D>
int KdTree<T, D>::widest(const T* box) const noexcept {
  int axis = -1;
  T length = 0;
  for (int k = 0; k < dimension_; ++k) {
    const T here = box[dimension_ + k] - box[k];
    if (here > length) {
      axis = k;
      length = here;
    }
  }
  return axis;
}

template <class T, int D>
void KdTree<T, D>::swap_points(vertex_t a, vertex_t b) noexcept {
  std::swap_ranges(row(a), row(a) + dimension_, row(b));
  std::swap(ids_[a], ids_[b]);
}

/// Parts the points at about the median of `axis`, along which they differ; returns the first
/// position of the right part. Both parts have points, and equal coordinates are on one side.
template <class T, int D>
vertex_t KdTree<T, D>::split(vertex_t first, vertex_t last, int axis) {
  const vertex_t count = last - first;
  const int size = std::min(count, median_sample);
  std::array<T, median_sample> sample;
  for (int i = 0; i < size; ++i) {
    const auto offset = static_cast<vertex_t>(static_cast<std::int64_t>(count) * i / size);
    sample[static_cast<std::size_t>(i)] = row(first + offset)[axis];
  }
  const auto middle = sample.begin() + size / 2;
  std::nth_element(sample.begin(), middle, sample.begin() + size);
  const T pivot = *middle;
  const auto part = [&](auto&& is_left) {
    vertex_t a = first;
    vertex_t b = last;
    while (true) {
      while (a < b && is_left(row(a)[axis])) ++a;
      while (a < b && !is_left(row(b - 1)[axis])) --b;
      if (a == b) return a;
      swap_points(a++, --b);
    }
  };
  const vertex_t below = part([pivot](T x) { return x < pivot; });
  // Nothing is below the pivot: it is the least coordinate, and something lies above it.
  return below > first ? below : part([pivot](T x) { return x <= pivot; });
}

template <class T, int D>
void KdTree<T, D>::grow(vertex_t first, vertex_t last, Subtree& subtree) {
  const std::size_t index = subtree.nodes.size();
  const std::size_t corners = subtree.boxes.size();
  subtree.nodes.push_back({0, first, last});
  subtree.boxes.resize(corners + 2 * static_cast<std::size_t>(dimension_));
  fit_box(first, last, subtree.boxes.data() + corners);
  const int axis = widest(subtree.boxes.data() + corners);
  if (axis < 0 || last - first <= leaf_capacity<D>) {
    last = drop_twins(first, last, axis < 0, subtree);
    subtree.nodes[index].last = last;
    turn_leaf(first, last, subtree.scratch);
    return;
  }
  const vertex_t middle = split(first, last, axis);
  grow(first, middle, subtree);
  subtree.nodes[index].right = static_cast<std::int32_t>(subtree.nodes.size() - index);
  grow(middle, last, subtree);
}

/// Keeps of identical points the one with the smallest id and makes the others edges to it.
/// Returns the end of what is left.
template <class T, int D>
vertex_t KdTree<T, D>::drop_twins(vertex_t first, vertex_t last, bool all_identical,
                                  Subtree& subtree) {
  for (vertex_t kept = first; kept < last; ++kept) {
    const vertex_t end = last;
    for (vertex_t p = kept + 1; p < last;) {
      if (all_identical || std::equal(row(kept), row(kept) + dimension_, row(p))) {
        swap_points(p, --last);
      } else {
        ++p;
      }
    }
    for (vertex_t p = last; p < end; ++p) {
      if (ids_[p] < ids_[kept]) std::swap(ids_[p], ids_[kept]);
    }
    for (vertex_t p = last; p < end; ++p) {
      subtree.twins.push_back({identical_key<T>, ids_[kept], ids_[p]});
    }
  }
  return last;
}

/// From point by point to dimension by dimension.
template <class T, int D>
void KdTree<T, D>::turn_leaf(vertex_t first, vertex_t last, std::vector<T>& scratch) {
  const int count = last - first;
  scratch.assign(row(first), row(first) + static_cast<std::int64_t>(count) * dimension_);
  T* turned = row(first);
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < dimension_; ++k) turned[k * count + i] = scratch[i * dimension_ + k];
  }
}

template <class T, int D>
auto KdTree<T, D>::split_tops() -> std::vector<Top> {
  std::vector<Top> tops;
  tops.push_back({0, n_});
  std::size_t level = 0;  // the first top of the level that is split next
  while (tops.size() < subtrees_wanted && level < tops.size()) {
    const std::size_t end = tops.size();
    std::vector<vertex_t> middle(end - level);
    parallel_for(
        static_cast<std::int64_t>(end - level),
        [&](std::int64_t i) {
          Top& top = tops[level + static_cast<std::size_t>(i)];
          vertex_t& cut = middle[static_cast<std::size_t>(i)];
          cut = top.first;
          if (top.last - top.first < 2 * smallest_subtree) return;
          top.box.resize(2 * static_cast<std::size_t>(dimension_));
          fit_box(top.first, top.last, top.box.data());
          const int axis = widest(top.box.data());
          if (axis >= 0) cut = split(top.first, top.last, axis);
        },
        1);
    for (std::size_t i = level; i < end; ++i) {
      const vertex_t cut = middle[i - level];
      if (cut == tops[i].first) continue;
      tops[i].left = tops.size();
      tops[i].right = tops.size() + 1;
      tops.push_back({tops[i].first, cut});
      tops.push_back({cut, tops[i].last});
    }
    level = end;
  }
  return tops;
}

/// Appends the nodes of a top and of all below it.
template <class T, int D>
void KdTree<T, D>::splice(std::vector<Top>& tops, std::size_t which) {
  Top& top = tops[which];
  const auto index = static_cast<std::int32_t>(nodes_.size());
  if (top.left == 0) {
    Subtree& from = top.subtree;
    nodes_.insert(nodes_.end(), from.nodes.begin(), from.nodes.end());
    boxes_.insert(boxes_.end(), from.boxes.begin(), from.boxes.end());
    twins_.insert(twins_.end(), from.twins.begin(), from.twins.end());
    subtrees_.emplace_back(index, static_cast<std::int32_t>(nodes_.size()));
    from = Subtree{};
    return;
  }
  nodes_.push_back({0, top.first, top.last});
  boxes_.insert(boxes_.end(), top.box.begin(), top.box.end());
  splice(tops, top.left);
  nodes_[static_cast<std::size_t>(index)].right = static_cast<std::int32_t>(nodes_.size()) - index;
  splice(tops, top.right);
}

}  // namespace warpgraph::emst
