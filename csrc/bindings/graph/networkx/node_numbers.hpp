// Vertex numbers of the nodes of a NetworkX graph, which are any hashable objects.
#pragma once

#include "core/memory/host_vector.hpp"
#include "core/types.hpp"

#include <pybind11/typing.h>

namespace warpgraph {

namespace py = pybind11;

/// Map from nodes to their positions in a list. If all nodes are integers that lie close together,
/// a table has the number of each. Other objects are found by their own hash and equality as in a
/// Python dictionary, but in a hash table whose slots can be prefetched.
class NodeNumbers {
 public:
  explicit NodeNumbers(py::list nodes);

  /// Returns whether hash(node) or find(node) may run Python code or let other threads run, as the
  /// first hash() of a node that is not looked up in the table does, which makes the slots.
  [[nodiscard]] bool runs_python(PyObject* node) const {
    return !is_in_table(node) && (slots_.empty() || !are_plain_ || !is_plain(node));
  }
  /// Returns the hash that find() takes, and prefetches the slot that find() will read. Runs
  /// __hash__ of objects. It is 0 for a node that find() looks up in the table.
  [[nodiscard]] Py_hash_t hash(PyObject* node);
  /// Returns the number of the node that is or equals `node`, or -1. The caller owns a reference to
  /// `node` where runs_python(node). Runs __eq__ of objects.
  [[nodiscard]] vertex_t find(PyObject* node, Py_hash_t hash) const;

 private:
  struct Slot {
    Py_hash_t hash;
    vertex_t number;  // -1: empty
  };
  static bool is_plain(PyObject* node) {
    return PyLong_CheckExact(node) || PyUnicode_CheckExact(node);
  }
  void make_table();
  void make_slots();
  /// Returns whether find() reads the table, which then answers for every int, also for one that is
  /// no node.
  [[nodiscard]] bool is_in_table(PyObject* node) const {
    return !table_.empty() && PyLong_CheckExact(node);
  }
  [[nodiscard]] std::size_t first_slot(Py_hash_t hash) const noexcept {
    // The hash of a small integer is that integer, except -1; multiplied, all its bits reach the
    // highest ones.
    return (static_cast<std::uint64_t>(hash) * 0x9e3779b97f4a7c15) >> shift_;
  }

  py::list nodes_;
  bool are_plain_ = false;  // all nodes are plain objects
  std::int64_t lowest_ = 0;
  HostVector<vertex_t> table_;  // numbers of the nodes lowest_, lowest_ + 1, ...; -1 for no node
  HostVector<Slot> slots_;      // empty until it is needed
  int shift_ = 0;
};

}  // namespace warpgraph
