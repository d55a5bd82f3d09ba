// How a KdTree is built. Included by kd_tree.hpp alone.
//
// The first few levels are planned by a sample (TopSplits), and all threads move the points to
// their subtrees at once; each subtree is then one thread's work. There, splits are near-medians of
// samples, so one pass moves the points. Nothing depends on the number of threads.
#pragma once

#include "algorithms/emst/kd_tree/kd_tree.hpp"
#include "algorithms/emst/kd_tree/top_splits.hpp"

namespace warpgraph::emst {

inline constexpr int median_sample = 63;   // its median is off by 6 % of the ranks
inline constexpr int most_gap_splits = 2;  // of what would be a leaf: across a corner of crowds

template <class T, int D>
KdTree<T, D>::KdTree(PointsView<T> points)
    : n_(points.n_points),
      dimension_{static_cast<int>(D > 0 ? D : points.dimension)},
      coordinates_(std::int64_t{n_} * dimension_),
      ids_(n_) {
  const std::vector<vertex_t> begin = place_points(points);
  std::vector<Subtree> parts(begin.size() - 1);
  parallel_for(
      std::ssize(parts),
      [&](std::int64_t i) {
        const auto part = static_cast<std::size_t>(i);
        if (begin[part] == begin[part + 1]) return;
        grow(begin[part], begin[part + 1], parts[part], most_gap_splits);
      },
      1);
  splice(begin, parts);
}

template <class T, int D>
std::size_t KdTree<T, D>::bytes(std::size_t n, std::size_t dimension) {
  // Sampled medians leave leaves at least a third full, and few of them have gaps; twice that,
  // since subtrees are copied.
  const std::size_t nodes = 2 * (3 * n / leaf_capacity<D> + 1);
  return n * (dimension * sizeof(T) + sizeof(vertex_t) + sizeof(std::uint8_t)) +
         2 * nodes * (sizeof(KdNode) + 2 * dimension * sizeof(T));
}

/// Copies the points to where their subtrees are; returns where each begins. Points of a part keep
/// their order.
template <class T, int D>
std::vector<vertex_t> KdTree<T, D>::place_points(PointsView<T> points) {
  constexpr std::int64_t block = 1 << 14;
  const TopSplits<T> splits(points);
  const auto n_parts = static_cast<std::size_t>(splits.n_parts());
  const auto from = [&](std::int64_t p) { return points.coordinates + p * points.dimension; };
  HostArray<std::uint8_t> part(n_);
  std::vector<vertex_t> places(static_cast<std::size_t>((n_ + block - 1) / block) * n_parts);
  parallel_blocks(n_, block, [&](int, std::int64_t first, std::int64_t last) {
    vertex_t* const count = places.data() + static_cast<std::size_t>(first / block) * n_parts;
    for (std::int64_t p = first; p < last; ++p) {
      part[p] = static_cast<std::uint8_t>(splits.part_of(from(p)));
      ++count[part[p]];
    }
  });
  std::vector<vertex_t> begin;
  vertex_t next = 0;
  for (std::size_t i = 0; i < n_parts; ++i) {
    begin.push_back(next);
    for (std::size_t at = i; at < places.size(); at += n_parts) {
      next += std::exchange(places[at], next);
    }
  }
  begin.push_back(next);
  parallel_blocks(n_, block, [&](int, std::int64_t first, std::int64_t last) {
    vertex_t* const place = places.data() + static_cast<std::size_t>(first / block) * n_parts;
    for (std::int64_t p = first; p < last; ++p) {
      const vertex_t to = place[part[p]]++;
      // Missing coordinates are 0, which changes no distance.
      for (int k = 0; k < dimension_; ++k) row(to)[k] = k < points.dimension ? from(p)[k] : T(0);
      ids_[to] = static_cast<vertex_t>(p);
    }
  });
  return begin;
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

template <class T, int D>
void KdTree<T, D>::swap_points(vertex_t a, vertex_t b) noexcept {
  std::swap_ranges(row(a), row(a) + dimension_, row(b));
  std::swap(ids_[a], ids_[b]);
}

/// Moves the points that are left to the front; returns the end of these.
template <class T, int D>
template <class IsLeft>
vertex_t KdTree<T, D>::part(vertex_t first, vertex_t last, IsLeft&& is_left) noexcept {
  while (true) {
    while (first < last && is_left(first)) ++first;
    while (first < last && !is_left(last - 1)) --last;
    if (first == last) return first;
    swap_points(first++, --last);
  }
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
  const vertex_t below = part(first, last, [&](vertex_t p) { return row(p)[axis] < pivot; });
  if (below > first) return below;
  // Nothing is below the pivot: it is the least coordinate, and something lies above it.
  return part(first, last, [&](vertex_t p) { return row(p)[axis] <= pivot; });
}

template <class T, int D>
void KdTree<T, D>::grow(vertex_t first, vertex_t last, Subtree& subtree, int gap_splits) {
  const std::size_t index = subtree.nodes.size();
  const std::size_t corners = subtree.boxes.size();
  subtree.nodes.push_back({0, first, last});
  subtree.boxes.resize(corners + 2 * static_cast<std::size_t>(dimension_));
  T* const box = subtree.boxes.data() + corners;
  fit_box(first, last, box);
  const int axis = widest_axis(box, dimension_);
  vertex_t middle = first;
  if (axis >= 0 && last - first > leaf_capacity<D>) {
    middle = split(first, last, axis);
  } else if (axis >= 0 && gap_splits > 0) {
    middle = split_gap(first, last, axis, box);
    --gap_splits;
  }
  if (middle == first) {
    last = drop_twins(first, last, axis < 0, subtree);
    subtree.nodes[index].last = last;
    subtree.leaves.push_back(static_cast<std::int32_t>(index));
    turn_leaf(first, last, subtree.scratch);
    return;
  }
  grow(first, middle, subtree, gap_splits);
  subtree.nodes[index].right = static_cast<std::int32_t>(subtree.nodes.size() - index);
  grow(middle, last, subtree, gap_splits);
}

/// Parts a few points with an empty space between them, more than half of their box: the box of a
/// leaf across the space between two crowds is near to everything in both. Returns `first` if there
/// is no such space.
template <class T, int D>
vertex_t KdTree<T, D>::split_gap(vertex_t first, vertex_t last, int axis, const T* box) {
  constexpr vertex_t worth_it = 8;
  if (last - first < worth_it) return first;
  const T low = box[axis];
  const T high = box[dimension_ + axis];
  const T begin = T(0.75) * low + T(0.25) * high;
  const T end = T(0.25) * low + T(0.75) * high;
  for (vertex_t p = first; p < last; ++p) {
    if (begin < row(p)[axis] && row(p)[axis] < end) return first;
  }
  const vertex_t middle = part(first, last, [&](vertex_t p) { return row(p)[axis] <= begin; });
  return middle < last ? middle : first;  // rounded up, where the box is hardly any
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

/// Brings the subtrees together under the nodes that part them.
template <class T, int D>
void KdTree<T, D>::splice(const std::vector<vertex_t>& begin, const std::vector<Subtree>& parts) {
  std::size_t n_nodes = 0;
  std::size_t n_leaves = 0;
  for (const Subtree& part : parts) {
    // Each but one adds a node above.
    n_nodes += part.nodes.empty() ? 0 : part.nodes.size() + 1;
    n_leaves += part.leaves.size();
    twins_.insert(twins_.end(), part.twins.begin(), part.twins.end());
  }
  nodes_.resize(n_nodes - 1);
  boxes_.resize(2 * (n_nodes - 1) * static_cast<std::size_t>(dimension_));
  leaves_.resize(n_leaves);
  Numbering numbering{begin, parts, std::vector<Place>(parts.size()), {}, {}};
  number_nodes(0, parts.size(), numbering);
  parallel_for(
      std::ssize(parts),
      [&](std::int64_t i) {
        const Subtree& part = parts[static_cast<std::size_t>(i)];
        const auto [node, leaf] = numbering.places[static_cast<std::size_t>(i)];
        std::copy(part.nodes.begin(), part.nodes.end(), nodes_.begin() + node);
        std::copy(part.boxes.begin(), part.boxes.end(),
                  boxes_.begin() + std::int64_t{2} * node * dimension_);
        std::transform(part.leaves.begin(), part.leaves.end(), leaves_.begin() + leaf,
                       [node = node](std::int32_t number) { return node + number; });
      },
      1);
  for (std::size_t i = numbering.above.size(); i-- > 0;) cover_children(numbering.above[i]);
}

/// Numbers the nodes above the subtrees first..last and says where these go, in preorder.
template <class T, int D>
void KdTree<T, D>::number_nodes(std::size_t first, std::size_t last, Numbering& numbering) {
  const std::vector<vertex_t>& begin = numbering.begin;
  Place& next = numbering.next;
  if (begin[first] == begin[last]) return;
  if (last - first == 1) {
    numbering.places[first] = next;
    const auto size = static_cast<std::int32_t>(numbering.parts[first].nodes.size());
    subtrees_.emplace_back(next.node, next.node + size);
    next.node += size;
    next.leaf += static_cast<std::int32_t>(numbering.parts[first].leaves.size());
    return;
  }
  const std::size_t middle = (first + last) / 2;
  const bool parted = begin[first] < begin[middle] && begin[middle] < begin[last];
  const std::int32_t number = next.node;
  if (parted) {
    numbering.above.push_back(number);
    ++next.node;
  }
  number_nodes(first, middle, numbering);
  if (parted) {
    nodes_[static_cast<std::size_t>(number)] = {next.node - number, begin[first], begin[last]};
  }
  number_nodes(middle, last, numbering);
}

/// Makes a node's box that of its children's.
template <class T, int D>
void KdTree<T, D>::cover_children(std::int32_t number) {
  const auto box = [&](std::int32_t node) {
    return boxes_.data() + std::int64_t{2} * node * dimension_;
  };
  const T* const left = box(number + 1);
  const T* const right = box(number + nodes_[static_cast<std::size_t>(number)].right);
  for (int k = 0; k < dimension_; ++k) {
    box(number)[k] = std::min(left[k], right[k]);
    box(number)[dimension_ + k] = std::max(left[dimension_ + k], right[dimension_ + k]);
  }
}

}  // namespace warpgraph::emst
