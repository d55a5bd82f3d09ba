// Stands in for CUB's header of this name.
#pragma once

#include "emulator/scratch.hpp"

namespace cub {

struct DeviceSelect {
  template <class In, class Flags, class Out, class Count, class N>
  static cudaError_t Flagged(void* scratch, std::size_t& bytes, In in, Flags flags, Out out,
                             Count count, N n, cudaStream_t stream = nullptr) {
    return emulator::run_algorithm(scratch, bytes, stream, [=] {
      N kept = 0;
      for (N i = 0; i < n; ++i) {
        if (flags[i]) out[kept++] = in[i];
      }
      *count = kept;
    });
  }
  template <class In, class Out, class Count, class N, class Select>
  static cudaError_t If(void* scratch, std::size_t& bytes, In in, Out out, Count count, N n,
                        Select select, cudaStream_t stream = nullptr) {
    return emulator::run_algorithm(scratch, bytes, stream, [=] {
      N kept = 0;
      for (N i = 0; i < n; ++i) {
        if (select(in[i])) out[kept++] = in[i];
      }
      *count = kept;
    });
  }
};

}  // namespace cub
