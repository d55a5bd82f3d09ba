// Entries {neighbour: edge} of the rows of a NetworkX graph: heads of arcs, and their weights.
#pragma once

#include "bindings/graph/networkx/edge_weights.hpp"
#include "bindings/graph/networkx/node_numbers.hpp"

#include <array>
#include <span>

namespace warpgraph {

/// Reader of entries, which are collected so that many objects are prefetched at a time. Functions
/// return false if something is unusual: a neighbour that is no node, an edge that is no
/// dictionary, or a weight that EdgeWeights does not read.
class EntryReader {
 public:
  struct Kind {
    bool is_directed = false;
    bool is_multigraph = false;
  };
  /// Makes a reader; weights are read if `weights` is not null. `row_sizes`, one for each vertex,
  /// counts the arcs.
  EntryReader(Kind kind, NodeNumbers& numbers, EdgeWeights* weights, edge_t* row_sizes)
      : kind_(kind), numbers_(numbers), weights_(weights), row_sizes_(row_sizes) {}

  /// Takes an entry, whose objects must live until flush(). May run __hash__ and __eq__ of nodes.
  [[nodiscard]] bool add(vertex_t tail, PyObject* node, PyObject* edge) {
    __builtin_prefetch(node);
    batch_[n_batch_++] = {node, edge, 0, tail, 0};
    return n_batch_ < batch_.size() || read_batch();
  }
  /// Reads the entries that were added.
  [[nodiscard]] bool flush() { return read_batch() && (weights_ == nullptr || weights_->flush()); }
  /// Returns whether, as far as is known, both entries of each edge of an undirected graph have the
  /// same attributes. A wrong "yes" has a probability of about 2^-64. Call this after all entries.
  [[nodiscard]] bool shares_attributes() const noexcept { return difference_ == 0; }
  /// Returns the number of arcs that were read beside one for each entry since the last call.
  [[nodiscard]] std::int64_t take_parallel() { return std::exchange(n_parallel_, 0); }

  HostVector<vertex_t> heads;

 private:
  struct Entry {
    PyObject* node;
    PyObject* edge;
    Py_hash_t hash;
    vertex_t tail;
    vertex_t head;
  };
  class Owned;

  [[nodiscard]] bool read_batch();
  [[nodiscard]] bool find_heads(std::span<Entry> batch);
  [[nodiscard]] bool append(const Entry& entry);
  [[nodiscard]] bool append_parallel(const Entry& entry);
  void compare_attributes(const Entry& entry);
  /// Returns whether the weight is read at this end: undirected edges are stored at both.
  [[nodiscard]] bool reads_weight(const Entry& entry) const noexcept {
    return weights_ != nullptr && (kind_.is_directed || entry.tail <= entry.head);
  }

  Kind kind_;
  NodeNumbers& numbers_;
  EdgeWeights* weights_;
  edge_t* row_sizes_;
  std::uint64_t difference_ = 0;
  std::int64_t n_parallel_ = 0;
  std::size_t n_batch_ = 0;
  std::array<Entry, 128> batch_;
};

}  // namespace warpgraph
