// Prefetching what is in Python's dictionaries. Reading those of a graph takes little work, but
// most references lead to memory that is in no cache.
#pragma once

#include <Python.h>

namespace warpgraph {

/// Prefetches the entries of a dictionary, which follow a header and a table of indices.
inline void prefetch_entries(PyObject* dictionary) {
  constexpr Py_ssize_t cache_line = 64;
  constexpr Py_ssize_t bytes_per_entry = 26;  // with the indices; 18 if all keys are strings
  constexpr Py_ssize_t most_bytes = 2048;     // processors prefetch the rest of long rows
  const auto* const keys =
      reinterpret_cast<const char*>(reinterpret_cast<PyDictObject*>(dictionary)->ma_keys);
  const Py_ssize_t bytes = 32 + bytes_per_entry * PyDict_GET_SIZE(dictionary);
  for (Py_ssize_t i = 0; i < bytes && i < most_bytes; i += cache_line) {
    __builtin_prefetch(keys + i);
  }
}

}  // namespace warpgraph
