# Makes allocations of a target pass through tests/faults, which counts them and lets the k-th one
# fail. The standard library becomes part of the target, or its allocations would not.
set(faults ${CMAKE_SOURCE_DIR}/tests/faults)

function(fail_allocations target)
  set(wrapped malloc calloc realloc aligned_alloc posix_memalign free)
  if(WARPGRAPH_WITH_CUDA)
    list(APPEND wrapped cudaMalloc cudaFree cudaMallocFromPoolAsync cudaFreeAsync
         cudaMallocHost cudaFreeHost)
  endif()
  list(TRANSFORM wrapped PREPEND "-Wl,--wrap=")
  target_sources(${target} PRIVATE ${faults}/allocations.cpp)
  set_source_files_properties(${faults}/allocations.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_link_options(${target} PRIVATE -static-libstdc++ ${wrapped})
endfunction()
