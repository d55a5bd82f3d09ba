# Makes allocations of the module pass through tests/faults, which counts them and lets the k-th one
# fail. The standard library becomes part of the module, or its allocations would not.
set(faults ${CMAKE_SOURCE_DIR}/tests/faults)
target_sources(_core PRIVATE ${faults}/allocations.cpp ${faults}/bind.cpp)
set_source_files_properties(csrc/bindings/module.cpp PROPERTIES COMPILE_DEFINITIONS
                                                                WARPGRAPH_FAULTS)
set(wrapped malloc calloc realloc aligned_alloc posix_memalign free)
if(WARPGRAPH_WITH_CUDA)
  list(APPEND wrapped cudaMallocAsync cudaFreeAsync cudaMallocHost cudaFreeHost)
endif()
list(TRANSFORM wrapped PREPEND "-Wl,--wrap=")
target_link_options(_core PRIVATE -static-libstdc++ ${wrapped})
