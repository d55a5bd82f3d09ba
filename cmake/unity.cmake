# With WARPGRAPH_UNITY, the sources of a folder of csrc/algorithms, or of another layer, are one
# source: what their headers define is parsed and instantiated once.
function(compile_together)
  foreach(source IN LISTS ARGN)
    string(REGEX REPLACE "^.*csrc/(algorithms/)?([^/]*)/.*$" "\\2" group ${source})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# Beside the code of the other methods, GCC inlines less here: 9 % slower.
set_source_files_properties(csrc/algorithms/many_to_many/batched/batched.cpp
                            PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
