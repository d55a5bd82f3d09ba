// The arrays of a member of a team for PageRank, beside its rows.
#pragma once

#include "algorithms/pagerank/team/part_kernels.cuh"
#include "core/containers/at.hpp"
#include "core/cuda/memory/buffer.hpp"

namespace warpgraph::pagerank {

/// The arrays of a member.
struct PartArrays {
  vertex_t n_vertices;
  int n_parts;
  double* contributions;  // of all vertices, after even and odd sweeps
  double* segment_sums;
  Totals* all_totals;  // of all parts, in slots
  PartState* state;

  [[nodiscard]] double* after(int sweeps) const {
    return contributions + sweeps % 2 * std::int64_t{n_vertices};
  }
  [[nodiscard]] Totals* totals(int sweeps, int part = 0) const {
    return all_totals + (sweeps % SweepTotals::slots * n_parts + part) * total_copies;
  }
  [[nodiscard]] std::size_t n_totals() const {
    return at(SweepTotals::slots * n_parts * total_copies);
  }
};

/// Returns a function that takes the arrays of a member. n_segments(member) is the number of
/// segments of its rows, as in RowClasses.
template <class Segments>
auto arrays_for(vertex_t n_vertices, int n_parts, const Segments& n_segments) {
  return [=](int member, cuda::BumpAllocator& memory) {
    PartArrays made{n_vertices, n_parts, nullptr, nullptr, nullptr, nullptr};
    made.contributions = memory.take<double>(2 * at(n_vertices));
    made.segment_sums = memory.take<double>(at(n_segments(member)));
    made.all_totals = memory.take<Totals>(made.n_totals());
    made.state = memory.take<PartState>(1);
    return made;
  };
}

}  // namespace warpgraph::pagerank
