// The elimination order of a small part of a nested dissection, by minimum degree.
#pragma once

#include "algorithms/hierarchy/customizable/sparse_graph.hpp"

#include <bit>

namespace warpgraph::hierarchy_detail {

/// Orders the vertices of small parts. Their neighbours outside the part, which are eliminated
/// later, count in degrees, too.
class MinimumDegree {
 public:
  explicit MinimumDegree(const SparseGraph& graph)
      : graph_(graph), number_of_(at(graph.size()), no_vertex) {}

  /// Returns the vertices of a part in the order of their elimination.
  std::vector<vertex_t> run(const std::vector<vertex_t>& part) {
    members_ = part;
    for (std::size_t i = 0; i < part.size(); ++i)
      number_of_[at(part[i])] = static_cast<vertex_t>(i);
    for (const vertex_t v : part) {
      for (const vertex_t* u = graph_.begin(v); u != graph_.end(v); ++u) {
        if (number_of_[at(*u)] != no_vertex) continue;
        number_of_[at(*u)] = static_cast<vertex_t>(members_.size());
        members_.push_back(*u);
      }
    }
    fill_rows(part.size());
    for (const vertex_t v : members_) number_of_[at(v)] = no_vertex;
    return eliminate(part);
  }

 private:
  [[nodiscard]] std::uint64_t* row(std::size_t i) { return rows_.data() + i * n_words_; }
  void set(std::size_t i, std::size_t j) { row(i)[j / 64] |= std::uint64_t{1} << (j % 64); }

  /// Fills the adjacency matrix: a row of bits for each of the n vertices of the part.
  void fill_rows(std::size_t n) {
    n_words_ = (members_.size() + 63) / 64;
    rows_.assign(n * n_words_, 0);
    for (std::size_t i = 0; i < n; ++i) {
      for (const vertex_t* u = graph_.begin(members_[i]); u != graph_.end(members_[i]); ++u) {
        set(i, at(number_of_[at(*u)]));
      }
    }
  }

  /// Eliminates vertices of least degree one by one, which makes the neighbours of each a clique.
  std::vector<vertex_t> eliminate(const std::vector<vertex_t>& part) {
    const std::size_t n = part.size();
    std::vector<int> degrees(n);
    for (std::size_t i = 0; i < n; ++i) degrees[i] = degree(i);
    std::vector<vertex_t> order;
    constexpr int done = std::numeric_limits<int>::max();
    while (order.size() < n) {
      const std::size_t least =
          at(std::min_element(degrees.begin(), degrees.end()) - degrees.begin());
      order.push_back(part[least]);
      degrees[least] = done;
      const std::uint64_t* const own = row(least);
      for (std::size_t i = 0; i < n; ++i) {
        if ((own[i / 64] >> (i % 64) & 1) == 0 || degrees[i] == done) continue;
        std::uint64_t* const to = row(i);
        for (std::size_t w = 0; w < n_words_; ++w) to[w] |= own[w];
        to[i / 64] &= ~(std::uint64_t{1} << (i % 64));
        to[least / 64] &= ~(std::uint64_t{1} << (least % 64));
        degrees[i] = degree(i);
      }
    }
    return order;
  }
  [[nodiscard]] int degree(std::size_t i) {
    int n = 0;
    for (std::size_t w = 0; w < n_words_; ++w) n += std::popcount(row(i)[w]);
    return n;
  }

  const SparseGraph& graph_;
  std::vector<vertex_t> number_of_;  // by vertex: its place in members_, or no_vertex
  std::vector<vertex_t> members_;    // the part, and its neighbours
  std::vector<std::uint64_t> rows_;
  std::size_t n_words_ = 0;
};

}  // namespace warpgraph::hierarchy_detail
