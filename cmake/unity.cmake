# With WARPGRAPH_UNITY, the sources of a folder of csrc/algorithms, or of another layer, or of several
# small ones, are one source a language: what their headers define is parsed and instantiated once.
# CMake compiles CUDA sources together from 3.31 on, and one by one before. WARPGRAPH_UNITY=CUDA
# leaves out C++.
function(compile_together)
  if(WARPGRAPH_UNITY STREQUAL "CUDA")
    list(FILTER ARGN INCLUDE REGEX "\\.cu$")
  endif()
  foreach(source IN LISTS ARGN)
    string(REGEX REPLACE "^.*csrc/(algorithms/)?([^/]*)/.*$" "\\2" group ${source})
    if(source MATCHES "\\.cu$")
      merge_cuda_groups(group ${source})
    else()
      merge_cxx_groups(group ${source})
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# A source of C++ takes a second for the headers of the core. Large ones stay apart: in them, GCC
# inlines less.
macro(merge_cxx_groups group source)
  set(small bipartite_matching connected_components core dense_mst hdbscan kmeans knn runtime
            single_linkage small_graphs traversal worklist_paths)
  if(${source} MATCHES "/core/cuda/") # only in builds with CUDA
    set(${group} core_cuda)
  elseif(${group} IN_LIST small)
    set(${group} small_rooms)
  elseif(${group} MATCHES "^(k_shortest_paths|shortest_path)$")
    set(${group} paths)
  endif()
endmacro()

# CUDA's headers, which nvcc reads three times, take 3 seconds of each source. A source of several rooms
# takes half a minute, so that two processors finish at the same time.
macro(merge_cuda_groups group source)
  if(${source} MATCHES ${tuned_kernels})
    set(${group} tuned)
  elseif(${source} MATCHES "/brute_force/|/knn_by_metric|/tile_search")
    set(${group} point_pairs)
  elseif(${group} MATCHES "^(bfs|connected_components|graph|hdbscan|primitives|runtime)$")
    set(${group} small_rooms)
  elseif(${group} MATCHES "^(emst|kmeans|knn|single_linkage)$")
    set(${group} points)
  elseif(${group} MATCHES "^(hierarchy|many_to_many|nearest_facilities|within)$")
    set(${group} many_to_many)
  elseif(${group} MATCHES "^(sssp|worklist_paths)$")
    set(${group} sssp)
  elseif(${group} MATCHES "^(betweenness|pagerank)$")
    set(${group} ranks)
  endif()
endmacro()

# Beside the code of the other methods, GCC inlines less here: 9 % slower.
set_source_files_properties(csrc/algorithms/many_to_many/batched/batched.cpp
                            PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# Vectors need -O3, and the other searches -O2: its loops take a third longer without them.
set_source_files_properties(csrc/algorithms/hierarchy/customizable/triangles.cpp
                            PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# Searches follow arcs one by one. With -O2 they take as long as with -O3, building a hierarchy a tenth
# less, and they compile in a tenth less time. (Options of a source would keep it out of the unity
# source, so they are set for that.)
function(optimise_as_search sources)
  if(NOT WARPGRAPH_UNITY STREQUAL "CUDA" AND WARPGRAPH_UNITY)
    list(GET sources 0 source)
    get_source_file_property(group ${source} UNITY_GROUP)
    set(sources ${CMAKE_BINARY_DIR}/CMakeFiles/warpgraph_core.dir/Unity/unity_${group}_cxx.cxx)
  endif()
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O2>")
endfunction()
