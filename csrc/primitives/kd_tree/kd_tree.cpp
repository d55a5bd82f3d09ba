// The construction of a KdTree.
//
// The first levels are planned on a sample (TopSplits), and all threads scatter the points to their
// subtrees at once. Then each subtree is built by one thread. Its splits are at approximate
// medians, taken from samples, so that one pass moves the points. The result does not depend on the
// number of threads.
#include "primitives/kd_tree/kd_tree.hpp"

#include "primitives/kd_tree/top_splits.hpp"

namespace warpgraph {

inline constexpr int median_sample = 63;  // its median is off by 6 % of the ranks
inline constexpr int max_gap_splits = 2;  // for a node small enough for a leaf, where clusters meet

template <class T>
KdTreePoints<T>::KdTreePoints(PointsView<T> points, int n_axes)
    : KdTreeNodes(points.n_points),
      n_axes_(n_axes),
      coordinates_(std::int64_t{points.n_points} * n_axes + LeafVectors<T>::lanes) {
  std::fill_n(row(n_), LeafVectors<T>::lanes, T(0));
}

template <class T>
void KdTreePoints<T>::build(PointsView<T> points,
                            FunctionRef<void(Subtree&, vertex_t, vertex_t)> build_subtree) {
  const std::vector<vertex_t> begin = scatter_points(points);
  std::vector<Subtree> parts(begin.size() - 1);
  parallel_for(
      std::ssize(parts),
      [&](std::int64_t i) {
        const auto part = static_cast<std::size_t>(i);
        if (begin[part] == begin[part + 1]) return;
        build_subtree(parts[part], begin[part], begin[part + 1]);
      },
      1);
  assemble(begin, parts);
  index_copies();
}

template <class T, int D>
KdTree<T, D>::KdTree(PointsView<T> points)
    : KdTreePoints<T>(points, static_cast<int>(D > 0 ? D : points.dimension)),
      dimension_{this->n_axes_} {
  this->build(points, [&](Subtree& subtree, vertex_t first, vertex_t last) {
    build_subtree(first, last, subtree, max_gap_splits);
  });
}

/// Copies the points to their subtrees and returns where each begins. The order within a subtree is
/// that of the input.
template <class T>
std::vector<vertex_t> KdTreePoints<T>::scatter_points(PointsView<T> points) {
  constexpr std::int64_t block = 1 << 14;
  const TopSplits<T> splits(points);
  const auto n_parts = static_cast<std::size_t>(splits.n_parts());
  const auto from = [&](std::int64_t p) { return points.coordinates + p * points.dimension; };
  HostArray<std::uint8_t> part(n_);
  std::vector<vertex_t> offsets(static_cast<std::size_t>((n_ + block - 1) / block) * n_parts);
  parallel_blocks(n_, block, [&](int, std::int64_t first, std::int64_t last) {
    vertex_t* const count = offsets.data() + static_cast<std::size_t>(first / block) * n_parts;
    for (std::int64_t p = first; p < last; ++p) {
      part[p] = static_cast<std::uint8_t>(splits.part_of(from(p)));
      ++count[part[p]];
    }
  });
  std::vector<vertex_t> begin;
  vertex_t next = 0;
  for (std::size_t i = 0; i < n_parts; ++i) {
    begin.push_back(next);
    for (std::size_t at = i; at < offsets.size(); at += n_parts) {
      next += std::exchange(offsets[at], next);
    }
  }
  begin.push_back(next);
  parallel_blocks(n_, block, [&](int, std::int64_t first, std::int64_t last) {
    vertex_t* const offset = offsets.data() + static_cast<std::size_t>(first / block) * n_parts;
    for (std::int64_t p = first; p < last; ++p) {
      const vertex_t to = offset[part[p]]++;
      // Padding axes are 0, which changes no distance.
      for (int k = 0; k < n_axes_; ++k) row(to)[k] = k < points.dimension ? from(p)[k] : T(0);
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

/// Moves the points with is_left to the front and returns their end, without branches, half of
/// which would be mispredicted: two points on the right may change places.
template <class T, int D>
template <class IsLeft>
vertex_t KdTree<T, D>::partition(vertex_t first, vertex_t last, IsLeft&& is_left) noexcept {
  for (vertex_t p = first; p < last; ++p) {
    const auto goes_left = static_cast<vertex_t>(is_left(p));
    swap_points(p, first);
    first += goes_left;
  }
  return first;
}

/// Partitions the points at about the median of `axis`, along which they differ. Returns the first
/// position of the right side. Both sides have points, and equal coordinates are on one side.
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
  const vertex_t below = partition(first, last, [&](vertex_t p) { return row(p)[axis] < pivot; });
  if (below > first) return below;
  // No point is below the pivot: it is the smallest coordinate, and some point is above it.
  return partition(first, last, [&](vertex_t p) { return row(p)[axis] <= pivot; });
}

template <class T, int D>
void KdTree<T, D>::build_subtree(vertex_t first, vertex_t last, Subtree& subtree, int gap_splits) {
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
    middle = split_at_gap(first, last, axis, box);
    --gap_splits;
  }
  if (middle == first) {
    last = drop_copies(first, last, axis < 0, subtree);
    subtree.nodes[index].last = last;
    subtree.leaves.push_back(static_cast<std::int32_t>(index));
    this->transpose_leaf(first, last, subtree.scratch);
    return;
  }
  build_subtree(first, middle, subtree, gap_splits);
  subtree.nodes[index].right = static_cast<std::int32_t>(subtree.nodes.size() - index);
  build_subtree(middle, last, subtree, gap_splits);
}

/// Partitions a few points at an empty gap that spans more than the middle half of their box: the
/// box of a leaf across the gap between two clusters would be near all points of both. Returns
/// `first` if there is no such gap.
template <class T, int D>
vertex_t KdTree<T, D>::split_at_gap(vertex_t first, vertex_t last, int axis, const T* box) {
  constexpr vertex_t min_points = 8;
  if (last - first < min_points) return first;
  const T low = box[axis];
  const T high = box[dimension_ + axis];
  const T begin = T(0.75) * low + T(0.25) * high;
  const T end = T(0.25) * low + T(0.75) * high;
  for (vertex_t p = first; p < last; ++p) {
    if (begin < row(p)[axis] && row(p)[axis] < end) return first;
  }
  const vertex_t middle = partition(first, last, [&](vertex_t p) { return row(p)[axis] <= begin; });
  return middle < last ? middle : first;  // rounding can empty a side of a thin box
}

/// Keeps the smallest id of each set of identical points and moves the others, its copies, to the
/// end. Returns the end of the remaining points.
template <class T, int D>
vertex_t KdTree<T, D>::drop_copies(vertex_t first, vertex_t last, bool all_identical,
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
    if (last < end) this->note_copies(kept, last, end, subtree);
  }
  return last;
}

/// Records that the points from `first` on are copies of `kept`, which gets the smallest id.
template <class T>
void KdTreePoints<T>::note_copies(vertex_t kept, vertex_t first, vertex_t last, Subtree& subtree) {
  vertex_t* const begin = ids_.get() + first;
  vertex_t* const end = ids_.get() + last;
  std::sort(begin, end);
  if (*begin < ids_[kept]) {
    std::swap(*begin, ids_[kept]);
    const vertex_t moved = *begin;
    vertex_t* const to = std::lower_bound(begin + 1, end, moved);
    std::copy(begin + 1, to, begin);
    *(to - 1) = moved;
  }
  subtree.copies.push_back({kept, first, last});
}

/// Transposes the coordinates of a leaf from point by point to axis by axis.
template <class T>
void KdTreePoints<T>::transpose_leaf(vertex_t first, vertex_t last, std::vector<T>& scratch) {
  const int count = last - first;
  scratch.assign(row(first), row(first) + static_cast<std::int64_t>(count) * n_axes_);
  T* transposed = row(first);
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < n_axes_; ++k) transposed[k * count + i] = scratch[i * n_axes_ + k];
  }
}

/// Concatenates the subtrees in preorder, below the nodes that separate them.
template <class T>
void KdTreePoints<T>::assemble(const std::vector<vertex_t>& begin,
                               const std::vector<Subtree>& parts) {
  std::size_t n_nodes = 0;
  std::size_t n_leaves = 0;
  for (const Subtree& part : parts) {
    // Each subtree except one adds an inner node above.
    n_nodes += part.nodes.empty() ? 0 : part.nodes.size() + 1;
    n_leaves += part.leaves.size();
    copies_.insert(copies_.end(), part.copies.begin(), part.copies.end());
  }
  nodes_.resize(n_nodes - 1);
  boxes_.resize(2 * (n_nodes - 1) * static_cast<std::size_t>(n_axes_));
  leaves_.resize(n_leaves);
  Numbering numbering{begin, parts, std::vector<SubtreeOffset>(parts.size()), {}, {}};
  number_nodes(0, parts.size(), numbering);
  parallel_for(
      std::ssize(parts),
      [&](std::int64_t i) {
        const Subtree& part = parts[static_cast<std::size_t>(i)];
        const auto [node, leaf] = numbering.offsets[static_cast<std::size_t>(i)];
        std::copy(part.nodes.begin(), part.nodes.end(), nodes_.begin() + node);
        std::copy(part.boxes.begin(), part.boxes.end(),
                  boxes_.begin() + std::int64_t{2} * node * n_axes_);
        std::transform(part.leaves.begin(), part.leaves.end(), leaves_.begin() + leaf,
                       [above = node](std::int32_t number) { return above + number; });
      },
      1);
  for (std::size_t i = numbering.above.size(); i-- > 0;) fit_box_to_children(numbering.above[i]);
}

void KdTreeNodes::index_copies() {
  for (const Copies& copies : copies_) n_distinct_ -= copies.last - copies.first;
  if (copies_.empty()) return;
  copies_index_ = HostArray<std::int32_t>(n_);
  parallel_for(n_, [&](std::int64_t p) { copies_index_[p] = has_no_copies; });
  parallel_for(std::ssize(copies_), [&](std::int64_t i) {
    const Copies& copies = copies_[static_cast<std::size_t>(i)];
    copies_index_[copies.kept] = static_cast<std::int32_t>(i);
    for (vertex_t p = copies.first; p < copies.last; ++p) copies_index_[p] = is_a_copy;
  });
}

/// Numbers the nodes above the subtrees first .. last - 1 and computes the offsets of these, in
/// preorder.
template <class T>
void KdTreePoints<T>::number_nodes(std::size_t first, std::size_t last, Numbering& numbering) {
  const std::vector<vertex_t>& begin = numbering.begin;
  SubtreeOffset& next = numbering.next;
  if (begin[first] == begin[last]) return;
  if (last - first == 1) {
    numbering.offsets[first] = next;
    const auto size = static_cast<std::int32_t>(numbering.parts[first].nodes.size());
    subtrees_.emplace_back(next.node, next.node + size);
    next.node += size;
    next.leaf += static_cast<std::int32_t>(numbering.parts[first].leaves.size());
    return;
  }
  const std::size_t middle = (first + last) / 2;
  const bool is_inner = begin[first] < begin[middle] && begin[middle] < begin[last];
  const std::int32_t number = next.node;
  if (is_inner) {
    numbering.above.push_back(number);
    ++next.node;
  }
  number_nodes(first, middle, numbering);
  if (is_inner) {
    nodes_[static_cast<std::size_t>(number)] = {next.node - number, begin[first], begin[last]};
  }
  number_nodes(middle, last, numbering);
}

/// Sets a node's box to the union of its children's.
template <class T>
void KdTreePoints<T>::fit_box_to_children(std::int32_t number) {
  const auto box = [&](std::int32_t node) {
    return boxes_.data() + std::int64_t{2} * node * n_axes_;
  };
  const T* const left = box(number + 1);
  const T* const right = box(number + nodes_[static_cast<std::size_t>(number)].right);
  for (int k = 0; k < n_axes_; ++k) {
    box(number)[k] = std::min(left[k], right[k]);
    box(number)[n_axes_ + k] = std::max(left[n_axes_ + k], right[n_axes_ + k]);
  }
}

#define WARPGRAPH_DEFINE_KD_TREE(T, D) template KdTree<T, D>::KdTree(PointsView<T>);
WARPGRAPH_FOR_EACH_KD_TREE(WARPGRAPH_DEFINE_KD_TREE, float)
WARPGRAPH_FOR_EACH_KD_TREE(WARPGRAPH_DEFINE_KD_TREE, double)
#undef WARPGRAPH_DEFINE_KD_TREE

}  // namespace warpgraph
