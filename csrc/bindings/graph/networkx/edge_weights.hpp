// Weights of edges, from the dictionaries in which NetworkX keeps the attributes of each edge.
#pragma once

#include "core/memory/host_vector.hpp"

#include <pybind11/typing.h>

#include <array>

namespace warpgraph {

namespace py = pybind11;

/// Reads plain weights: objects of the types int and float themselves that fit 64 bits and are not
/// NaN, in dictionaries whose keys are strings; or no attributes at all, of any edge. Functions
/// return false if there is something else, and run no Python code. A sum of integers among floats
/// is an integer in Python, which arrays do not tell: they can be refused.
///
/// A weight is three references away, each of which is likely to miss the caches. Dictionaries are
/// collected, so that many of these references are prefetched at a time.
class EdgeWeights {
 public:
  EdgeWeights(const py::str& name, std::size_t n_edges, bool takes_both_types);

  /// Takes the attributes of the next edge, a borrowed reference that must live until flush().
  [[nodiscard]] bool add(PyObject* attributes) {
    __builtin_prefetch(attributes);
    batch_[n_batch_++] = attributes;
    return n_batch_ < batch_.size() || flush();
  }
  /// Reads the weights of the edges that were added.
  [[nodiscard]] bool flush();

  // Weights of all edges, which are of one of these kinds. Both are empty if no edge has one.
  HostVector<std::int64_t> integers;
  HostVector<double> floats;  // if not empty, it has the integers as well

 private:
  [[nodiscard]] bool append(PyObject* value);
  [[nodiscard]] bool append_float(double value);
  [[nodiscard]] bool append_integer(PyObject* value);

  py::object name_;
  std::size_t n_edges_;
  bool takes_both_types_;
  std::size_t n_without_ = 0;
  std::size_t n_batch_ = 0;
  std::array<PyObject*, 128> batch_;
};

}  // namespace warpgraph
