// Declarations that the parts of the emulated runtime share.
#pragma once

#include "cuda_runtime_api.h"

#include <mutex>
#include <string>

namespace emulator {

/// Guards all state of the runtime. The work of a stream is done under it, so two host threads
/// alternate; the blocks of a kernel still run concurrently.
std::recursive_mutex& runtime_mutex();

/// Stores a message for cudaGetErrorString, and returns the error.
cudaError_t explain(cudaError_t error, const std::string& sentence);
/// The same, and cudaGetLastError() returns it.
cudaError_t set_last(cudaError_t error);

/// The kind of memory that a pointer points to.
enum class Place { unknown, device, pinned };
Place place_of(const void* pointer);
/// Whether `bytes` at a pointer lie within one allocation; true for memory of unknown origin.
bool is_within(const void* pointer, std::size_t bytes);
int current_device();

}  // namespace emulator
