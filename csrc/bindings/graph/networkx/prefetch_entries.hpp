// Prefetching of the contents of Python's dictionaries. Reading those of a graph takes little work,
// but most references lead to memory that is in no cache.
#pragma once

#include <Python.h>
#include <algorithm>

namespace warpgraph {

// Always inlined: GCC sees no effect of a call, and drops it.

/// Prefetches memory from `first` to `first + bytes`, wherever its cache lines begin.
[[gnu::always_inline]] inline void prefetch_bytes(const void* first, Py_ssize_t bytes) {
  constexpr Py_ssize_t cache_line = 64;
  const auto* const start = static_cast<const char*>(first);
  for (Py_ssize_t i = 0; i < bytes; i += cache_line) __builtin_prefetch(start + i);
  __builtin_prefetch(start + bytes - 1);
}

/// Prefetches the entries of a dictionary, which follow a header and a table of indices.
[[gnu::always_inline]] inline void prefetch_entries(PyObject* dictionary) {
  constexpr Py_ssize_t bytes_per_entry = 26;  // with the indices; 18 if all keys are strings
  constexpr Py_ssize_t max_bytes = 2048;      // processors prefetch the rest of long rows
  const Py_ssize_t bytes = 32 + bytes_per_entry * PyDict_GET_SIZE(dictionary);
  prefetch_bytes(reinterpret_cast<PyDictObject*>(dictionary)->ma_keys, std::min(bytes, max_bytes));
}

}  // namespace warpgraph
