#include "graph/points/near_rows.hpp"

#include "core/threads/parallel.hpp"
#include "graph/generate/random.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace warpgraph {
namespace {

/// A row, and its products with two fixed vectors. Near rows have near products. The second ones
/// tell most other rows apart, so that these need not be read.
struct Entry {
  double key;
  double second;
  vertex_t row;

  bool operator<(const Entry& other) const noexcept {
    return key < other.key || (key == other.key && row < other.row);
  }
};

/// Rows, compared with each other.
template <class T>
class Rows {
 public:
  Rows(PointsView<T> rows, Rounding rounding) : rows_(rows), rounding_(rounding) {
    const CounterRandom random(1, 0);
    for (std::int64_t i = 0; i < 2 * dimension(); ++i) {
      fixed_.push_back(2 * random.uniform(static_cast<std::uint64_t>(i)) - 1);
    }
    // The sum of magnitudes of products with a row of length 1 is at most the root of the
    // dimension.
    const auto d = static_cast<double>(dimension());
    const double rounded = rounding_.relative + (d + 2) * std::numeric_limits<double>::epsilon();
    reach_ = 1.01 * (rounded * std::sqrt(d) + rounding_.absolute * d);
  }

  [[nodiscard]] const T* row(const Entry& entry) const noexcept { return rows_.row(entry.row); }
  [[nodiscard]] std::int64_t dimension() const noexcept { return rows_.dimension; }
  /// Returns an upper bound of the difference of the products of near rows.
  [[nodiscard]] double reach() const noexcept { return reach_; }

  [[nodiscard]] Entry entry_of(const T* row, std::int64_t number) const noexcept {
    Entry entry{0, 0, static_cast<vertex_t>(number)};
    const double* const fixed = fixed_.data();
    for (std::int64_t k = 0; k < dimension(); ++k) {
      entry.key += fixed[2 * k] * static_cast<double>(row[k]);
      entry.second += fixed[2 * k + 1] * static_cast<double>(row[k]);
    }
    return entry;
  }

  [[nodiscard]] bool are_near(const Entry& a, const Entry& b) const noexcept {
    return are_near(a, row(a), b, row(b));
  }

  [[nodiscard]] bool are_near(const Entry& a, const T* row_a, const Entry& b,
                              const T* row_b) const noexcept {
    if (std::abs(a.second - b.second) > reach_) return false;
    for (std::int64_t k = 0; k < dimension(); ++k) {
      const double x = row_a[k], y = row_b[k];
      const double larger = std::max(std::abs(x), std::abs(y));
      if (std::abs(x - y) > rounding_.relative * larger + rounding_.absolute) return false;
    }
    return true;
  }

  [[nodiscard]] bool are_equal(const Entry& a, const Entry& b) const noexcept {
    return a.key == b.key && a.second == b.second &&
           std::equal(row(a), row(a) + dimension(), row(b));
  }

  [[nodiscard]] bool is_less(const T* a, const T* b) const noexcept {
    return std::lexicographical_compare(a, a + dimension(), b, b + dimension());
  }

  [[nodiscard]] std::vector<Entry> sorted() const {
    std::vector<Entry> entries(static_cast<std::size_t>(rows_.n_points));
    parallel_for(rows_.n_points, [&](std::int64_t i) {
      entries[static_cast<std::size_t>(i)] = entry_of(rows_.row(i), i);
    });
    parallel_sort(entries.begin(), entries.end());
    return entries;
  }

 private:
  PointsView<T> rows_;
  Rounding rounding_;
  std::vector<double> fixed_;  // coordinates of both fixed vectors, in turn
  double reach_ = 0;
};

/// The nearest of some rows so far; of equally near ones the least.
template <class T>
struct Nearest {
  const T* row = nullptr;
  double apart = std::numeric_limits<double>::infinity();

  void offer(const T* candidate, const T* to, const Rows<T>& rows) noexcept {
    double sum = 0;
    for (std::int64_t k = 0; k < rows.dimension(); ++k) {
      sum += std::pow(static_cast<double>(candidate[k]) - static_cast<double>(to[k]), 2);
    }
    if (sum > apart || (sum == apart && !rows.is_less(candidate, row))) return;
    row = candidate;
    apart = sum;
  }
};

/// Entries whose keys are near each other, joined. Others are near none of them.
template <class T>
class Segment {
 public:
  Segment(const Rows<T>& rows, std::span<const Entry> entries,
          std::span<const std::uint8_t> are_first)
      : rows_(rows), entries_(entries), are_first_(are_first) {
    find_distinct();
  }

  /// Writes the representatives over the rows. They stay as they are.
  void join(std::span<T> to) {
    choose_representatives();
    std::vector<const T*> found(distinct_.size());
    for (std::size_t i = 0; i < distinct_.size(); ++i) found[i] = representative_of(i);
    const std::int64_t d = rows_.dimension();
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      T* const row = to.data() + entries_[i].row * d;
      if (row != found[number_[i]]) std::copy_n(found[number_[i]], d, row);
    }
  }

 private:
  struct Distinct {
    Entry entry;
    bool is_representative;
    std::size_t number;  // before they are sorted
  };

  /// Finds the distinct rows, in the order of keys and coordinates.
  void find_distinct() {
    number_.resize(entries_.size());
    for (std::size_t i = 0; i < entries_.size(); ++i) number_[i] = number_among_distinct(i);
    std::sort(distinct_.begin(), distinct_.end(), [&](const Distinct& a, const Distinct& b) {
      if (a.entry.key != b.entry.key) return a.entry.key < b.entry.key;
      return rows_.is_less(rows_.row(a.entry), rows_.row(b.entry));
    });
    std::vector<std::size_t> place(distinct_.size());
    for (std::size_t i = 0; i < distinct_.size(); ++i) place[distinct_[i].number] = i;
    for (std::size_t& number : number_) number = place[number];
  }

  std::size_t number_among_distinct(std::size_t i) {
    const Entry& entry = entries_[i];
    const bool is_first = !are_first_.empty() && are_first_[static_cast<std::size_t>(entry.row)];
    for (std::size_t j = distinct_.size(); j-- > 0 && distinct_[j].entry.key == entry.key;) {
      if (!rows_.are_equal(distinct_[j].entry, entry)) continue;
      distinct_[j].is_representative |= is_first;
      return j;
    }
    distinct_.push_back({entry, is_first, distinct_.size()});
    return distinct_.size() - 1;
  }

  void choose_representatives() {
    for (std::size_t i = 0; i < distinct_.size(); ++i) {
      Distinct& here = distinct_[i];
      if (here.is_representative) continue;
      bool is_near = false;
      for_each_near(i, [&](const Distinct&) { is_near = true; });
      here.is_representative = !is_near;
    }
  }

  [[nodiscard]] const T* representative_of(std::size_t i) const {
    const T* const row = rows_.row(distinct_[i].entry);
    if (distinct_[i].is_representative) return row;
    Nearest<T> nearest;
    for_each_near(
        i, [&](const Distinct& there) { nearest.offer(rows_.row(there.entry), row, rows_); });
    return nearest.row;
  }

  /// Calls f(distinct) for the representatives that are near a row.
  template <class F>
  void for_each_near(std::size_t i, F&& f) const {
    const Entry& here = distinct_[i].entry;
    const auto offer = [&](const Distinct& there) {
      if (there.is_representative && rows_.are_near(there.entry, here)) f(there);
    };
    const double reach = rows_.reach();
    for (std::size_t j = i; j-- > 0 && here.key - distinct_[j].entry.key <= reach;) {
      offer(distinct_[j]);
    }
    for (std::size_t j = i + 1; j < distinct_.size(); ++j) {
      if (distinct_[j].entry.key - here.key > reach) break;
      offer(distinct_[j]);
    }
  }

  const Rows<T>& rows_;
  std::span<const Entry> entries_;
  std::span<const std::uint8_t> are_first_;
  std::vector<std::size_t> number_;  // of each entry: the number of its row among the distinct ones
  std::vector<Distinct> distinct_;
};

/// Returns runs of several entries of which each key is within `reach` of the next.
std::vector<std::span<const Entry>> segments_of(std::span<const Entry> entries, double reach) {
  std::vector<std::span<const Entry>> segments;
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= entries.size(); ++i) {
    if (i < entries.size() && entries[i].key - entries[i - 1].key <= reach) continue;
    if (i - begin > 1) segments.push_back(entries.subspan(begin, i - begin));
    begin = i;
  }
  return segments;
}

template <class T>
PointsView<T> view_of(std::span<T> rows, std::int64_t dimension) {
  const auto n = static_cast<std::int64_t>(rows.size()) / dimension;
  return {rows.data(), static_cast<vertex_t>(n), dimension};
}

}  // namespace

template <class T>
void join_near_rows(std::span<T> rows, std::int64_t dimension, Rounding rounding,
                    std::span<const std::uint8_t> are_first) {
  const Rows<T> there(view_of(rows, dimension), rounding);
  const std::vector<Entry> entries = there.sorted();
  const auto segments = segments_of(entries, there.reach());
  parallel_for(
      static_cast<std::int64_t>(segments.size()),
      [&](std::int64_t i) {
        Segment<T>(there, segments[static_cast<std::size_t>(i)], are_first).join(rows);
      },
      1);
}

template <class T>
void take_near_rows(std::span<T> rows, const PointsView<T>& fitted, Rounding rounding) {
  const Rows<T> there(fitted, rounding);
  std::vector<Entry> entries = there.sorted();
  const auto is_same = [&](const Entry& a, const Entry& b) { return there.are_equal(a, b); };
  entries.erase(std::unique(entries.begin(), entries.end(), is_same), entries.end());
  const PointsView<T> queries = view_of(rows, fitted.dimension);
  const double reach = there.reach();
  parallel_for(queries.n_points, [&](std::int64_t i) {
    T* const row = rows.data() + i * fitted.dimension;
    const Entry entry = there.entry_of(row, 0);
    Nearest<T> nearest;
    const Entry least{entry.key - reach, 0, 0};
    for (auto at = std::lower_bound(entries.begin(), entries.end(), least);
         at != entries.end() && at->key - entry.key <= reach; ++at) {
      const T* const candidate = there.row(*at);
      if (there.are_near(*at, candidate, entry, row)) nearest.offer(candidate, row, there);
    }
    if (nearest.row != nullptr) std::copy_n(nearest.row, fitted.dimension, row);
  });
}

#define WARPGRAPH_INSTANTIATE_NEAR_ROWS(T)                           \
  template void join_near_rows(std::span<T>, std::int64_t, Rounding, \
                               std::span<const std::uint8_t>);       \
  template void take_near_rows(std::span<T>, const PointsView<T>&, Rounding);
WARPGRAPH_INSTANTIATE_NEAR_ROWS(float)
WARPGRAPH_INSTANTIATE_NEAR_ROWS(double)

}  // namespace warpgraph
