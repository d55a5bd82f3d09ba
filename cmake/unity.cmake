# With WARPGRAPH_UNITY, the sources of a folder of csrc/algorithms, or of another layer, are one
# source a language: what their headers define is parsed and instantiated once. CMake compiles CUDA
# sources together from 3.31 on, and one by one before. WARPGRAPH_UNITY=CUDA leaves out C++.
function(compile_together)
  if(WARPGRAPH_UNITY STREQUAL "CUDA")
    list(FILTER ARGN INCLUDE REGEX "\\.cu$")
  endif()
  foreach(source IN LISTS ARGN)
    string(REGEX REPLACE "^.*csrc/(algorithms/)?([^/]*)/.*$" "\\2" group ${source})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# Beside the code of the other methods, GCC inlines less here: 9 % slower.
set_source_files_properties(csrc/algorithms/many_to_many/batched/batched.cpp
                            PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# Its kernels and keys do for all pairs what those of the hierarchy do, and have the same names.
set_source_files_properties(csrc/algorithms/emst/brute_force/brute_force_cuda.cu
                            PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
