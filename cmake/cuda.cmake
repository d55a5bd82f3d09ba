# Decides whether CUDA is built, and how. Sets WARPGRAPH_WITH_CUDA.
include(CheckLanguage)

set(WARPGRAPH_WITH_CUDA OFF)
if(NOT WARPGRAPH_CUDA STREQUAL "OFF")
  check_language(CUDA)
  find_package(CUDAToolkit QUIET)
  if(CMAKE_CUDA_COMPILER AND CUDAToolkit_FOUND)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      # Machine code for Hopper, and portable code that the driver finishes on anything newer
      # than Ampere.
      set(CMAKE_CUDA_ARCHITECTURES 80-virtual 90-real)
    endif()
    enable_language(CUDA)
    set(WARPGRAPH_WITH_CUDA ON)
  elseif(WARPGRAPH_CUDA STREQUAL "ON")
    message(FATAL_ERROR "WARPGRAPH_CUDA=ON, but no working nvcc with its toolkit was found")
  endif()
endif()
message(STATUS "warpgraph: CUDA kernels ${WARPGRAPH_WITH_CUDA}")

if(WARPGRAPH_WITH_CUDA)
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
endif()

# Adds the CUDA sources of folders (*.cu, and *.cpp of core/cuda) to a target.
function(add_cuda_to target)
  foreach(folder IN LISTS ARGN)
    file(GLOB kernels CONFIGURE_DEPENDS ${folder}/*.cu)
    target_sources(${target} PRIVATE ${kernels})
    if(folder STREQUAL "csrc/core/cuda")
      file(GLOB hosts CONFIGURE_DEPENDS ${folder}/*.cpp)
      target_sources(${target} PRIVATE ${hosts})
    endif()
  endforeach()
  target_compile_definitions(${target} PUBLIC WARPGRAPH_HAS_CUDA=1)
  target_link_libraries(${target} PUBLIC CUDA::cudart_static)
  target_compile_options(
    ${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:--fmad=false;-Werror=all-warnings;-lineinfo>"
                      "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Werror,-fopenmp>")
endfunction()
