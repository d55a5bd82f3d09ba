# The target warpgraph::headers: the headers of this folder's parent, for C++ and, if the language
# CUDA has been enabled before, for CUDA.
get_filename_component(_warpgraph_include "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
get_property(_warpgraph_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(NOT TARGET warpgraph::headers)
  add_library(warpgraph::headers INTERFACE IMPORTED)
  target_include_directories(warpgraph::headers INTERFACE "${_warpgraph_include}")
  target_compile_features(warpgraph::headers INTERFACE cxx_std_20)
  if("CUDA" IN_LIST _warpgraph_languages)
    if(CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      target_compile_features(warpgraph::headers INTERFACE cuda_std_20)
    else()
      # This CMake is older than the compiler, and does not know its options.
      target_compile_options(warpgraph::headers INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
    endif()
  endif()
endif()
unset(_warpgraph_include)
unset(_warpgraph_languages)
