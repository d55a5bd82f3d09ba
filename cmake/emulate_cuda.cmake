# Compiles CUDA sources with the C++ compiler, GCC, against tests/emulator instead of with nvcc.
include_guard(GLOBAL)
set(emulator ${CMAKE_SOURCE_DIR}/tests/emulator)
if(WARPGRAPH_EMULATE_CUDA)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    message(FATAL_ERROR "WARPGRAPH_EMULATE_CUDA=ON needs GCC, not ${CMAKE_CXX_COMPILER}")
  endif()
  file(GLOB emulator_sources CONFIGURE_DEPENDS ${emulator}/kernels/*.cpp ${emulator}/runtime/*.cpp)
  add_library(cuda_emulator STATIC ${emulator_sources})
  target_include_directories(cuda_emulator PUBLIC ${emulator}/include PRIVATE ${emulator})
  target_link_libraries(cuda_emulator PRIVATE warpgraph_flags)
endif()

# Sets how CUDA sources are compiled.
function(emulate_cuda)
  set(options
      # As nvcc does.
      -include cuda_runtime.h
      # A call at every branch, so that the emulator can interrupt a thread anywhere.
      -fsanitize-coverage=trace-pc
      # What __shared__ stands for has no constructor that would have to be looked for.
      -fno-extern-tls-init
      # Of the pragmas and macros that nvcc knows.
      -Wno-unknown-pragmas -Wno-shadow -Wno-pedantic)
  # The precompiled headers of other sources were compiled with other options.
  set_source_files_properties(
    ${ARGN} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "${options}" SKIP_PRECOMPILE_HEADERS ON
                       INCLUDE_DIRECTORIES ${emulator}/include)
endfunction()
