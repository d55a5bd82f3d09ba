# Decides whether CUDA is built, and how. Sets WARPGRAPH_WITH_CUDA.
#
# AUTO builds it when nvcc compiles, links and knows the architectures: a compiler that is there
# but broken (too old, or at odds with the C++ compiler) must not cost a user the CPU package.
include(CheckLanguage)

# Builds cmake/cuda_probe/ with the compiler and for the architectures of the package; says why it
# failed in `reason`. A project of its own, since a language that was enabled cannot be given up.
function(try_nvcc works reason)
  set(key "${CMAKE_CUDA_COMPILER} ${CMAKE_CUDA_HOST_COMPILER} ${CMAKE_CUDA_ARCHITECTURES}")
  if(NOT WARPGRAPH_PROBED_WITH STREQUAL key)
    message(CHECK_START "Compiling CUDA C++20 for ${CMAKE_CUDA_ARCHITECTURES}")
    set(build ${CMAKE_BINARY_DIR}/cuda_probe)
    file(REMOVE_RECURSE ${build})
    set(options "-DCMAKE_MAKE_PROGRAM=${CMAKE_MAKE_PROGRAM}")
    foreach(name CXX_COMPILER CUDA_COMPILER CUDA_HOST_COMPILER CUDA_ARCHITECTURES CUDA_FLAGS)
      if(CMAKE_${name})
        string(REPLACE ";" "\\;" value "${CMAKE_${name}}") # a list stays one argument
        list(APPEND options "-DCMAKE_${name}=${value}")
      endif()
    endforeach()
    execute_process(
      COMMAND ${CMAKE_COMMAND} -G ${CMAKE_GENERATOR} -S ${CMAKE_SOURCE_DIR}/cmake/cuda_probe -B
              ${build} ${options}
      COMMAND_ECHO NONE
      RESULT_VARIABLE status
      OUTPUT_VARIABLE output
      ERROR_VARIABLE output)
    if(status EQUAL 0)
      execute_process(
        COMMAND ${CMAKE_COMMAND} --build ${build}
        RESULT_VARIABLE status
        OUTPUT_VARIABLE output
        ERROR_VARIABLE output)
    endif()
    string(REGEX MATCH "[^\n]*(nvcc fatal|error:|#error|unsupported)[^\n]*" line "${output}")
    string(STRIP "${line} (${build}.log)" line)
    file(WRITE ${build}.log "${output}")
    if(status EQUAL 0)
      message(CHECK_PASS "works")
    else()
      message(CHECK_FAIL "fails")
    endif()
    set(WARPGRAPH_PROBED_WITH "${key}" CACHE INTERNAL "What the probe was compiled with")
    set(WARPGRAPH_PROBE_STATUS "${status}" CACHE INTERNAL "0 if it was")
    set(WARPGRAPH_PROBE_ERROR "${line}" CACHE INTERNAL "Why it was not")
  endif()
  if(WARPGRAPH_PROBE_STATUS EQUAL 0)
    set(${works} ON PARENT_SCOPE)
  else()
    set(${works} OFF PARENT_SCOPE)
  endif()
  set(${reason} "${WARPGRAPH_PROBE_ERROR}" PARENT_SCOPE)
endfunction()

# Sets `found` to the architectures of the GPUs of this machine, such as 90-real; to nothing where
# there are none. A module for these alone compiles in half the time.
function(find_gpus found)
  execute_process(
    COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE capabilities
    RESULT_VARIABLE status
    ERROR_QUIET)
  set(architectures "")
  if(status EQUAL 0)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]+" capabilities "${capabilities}")
    foreach(capability IN LISTS capabilities)
      string(REPLACE "." "" number ${capability})
      list(APPEND architectures ${number}-real)
    endforeach()
    list(REMOVE_DUPLICATES architectures)
  endif()
  set(${found} "${architectures}" PARENT_SCOPE)
endfunction()

# Sets `missing` to what keeps CUDA from being built, or to nothing.
macro(look_for_cuda missing)
  set(${missing} "")
  if(CMAKE_CUDA_HOST_COMPILER)
    set(ENV{CUDAHOSTCXX} ${CMAKE_CUDA_HOST_COMPILER}) # check_language() would forget it
  endif()
  find_program(nvcc nvcc PATHS /usr/local/cuda/bin NO_CACHE)
  if(nvcc AND NOT DEFINED ENV{CUDACXX})
    set(ENV{CUDACXX} ${nvcc}) # also where /usr/local/cuda/bin is not in PATH
  endif()
  check_language(CUDA)
  find_package(CUDAToolkit QUIET)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    find_gpus(of_gpus)
    if(DEFINED ENV{CUDAARCHS})
      set(CMAKE_CUDA_ARCHITECTURES $ENV{CUDAARCHS})
    elseif(of_gpus)
      set(CMAKE_CUDA_ARCHITECTURES ${of_gpus})
    else()
      # Machine code for Hopper, and portable code that the driver finishes on Ampere and later.
      set(CMAKE_CUDA_ARCHITECTURES 80-virtual 90-real)
      set(hopper_from_portable "--generate-code=arch=compute_80,code=[compute_80,sm_90]")
    endif()
  endif()
  if(NOT CMAKE_CUDA_COMPILER)
    set(${missing} "there is no nvcc")
    if(DEFINED ENV{CUDACXX})
      set(${missing} "$ENV{CUDACXX} fails; CMakeFiles/CMakeConfigureLog.yaml has its words")
    endif()
    unset(CMAKE_CUDA_COMPILER CACHE) # so that one which is installed later is found
  elseif(NOT CUDAToolkit_FOUND)
    set(${missing} "nvcc is ${CMAKE_CUDA_COMPILER}, but its toolkit was not found")
  else()
    try_nvcc(nvcc_works probe_error)
    if(NOT nvcc_works)
      set(${missing} "${CMAKE_CUDA_COMPILER} cannot compile for ${CMAKE_CUDA_ARCHITECTURES}: \
${probe_error}")
    endif()
  endif()
endmacro()

set(WARPGRAPH_WITH_CUDA OFF)
if(WARPGRAPH_EMULATE_CUDA)
  set(WARPGRAPH_WITH_CUDA ON)
  message(STATUS "warpgraph: CUDA is emulated on CPU threads, for tests")
  include(cmake/emulate_cuda.cmake)
elseif(WARPGRAPH_CUDA STREQUAL "OFF")
  message(STATUS "warpgraph: CUDA is off, as asked for")
elseif(NOT WARPGRAPH_CUDA MATCHES "^(AUTO|ON)$")
  message(FATAL_ERROR "WARPGRAPH_CUDA must be AUTO, ON or OFF, not ${WARPGRAPH_CUDA}")
else()
  look_for_cuda(missing)
  if(missing STREQUAL "")
    enable_language(CUDA)
    set(WARPGRAPH_WITH_CUDA ON)
    message(STATUS "warpgraph: CUDA ${CUDAToolkit_VERSION} for ${CMAKE_CUDA_ARCHITECTURES}")
  elseif(WARPGRAPH_CUDA STREQUAL "ON")
    message(FATAL_ERROR "WARPGRAPH_CUDA=ON, but ${missing}")
  else()
    message(STATUS "warpgraph: CPU only, since ${missing}")
  endif()
endif()

if(WARPGRAPH_WITH_CUDA)
  # -O is that of the host's part, which allocates and launches: loops of the host are in .cpp files.
  # -O3 takes longer to compile. With -O1, resizing a HostVector is a loop of empty calls.
  string(REPLACE "-O3" "-O2" CMAKE_CUDA_FLAGS_RELEASE "${CMAKE_CUDA_FLAGS_RELEASE}")
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
endif()

# Kernels that are faster if the compiler knows the architecture: CUB's algorithms are tuned for each,
# and Hopper has instructions for minima of sums. They are objects of their own in the target. Of all
# other kernels, the machine code for Hopper is made from the portable code, unless architectures are
# given: it is the same, instruction by instruction, and the compiler runs once instead of twice.
# (Of a header with such instructions, only the sources that are named here may use them.)
set(tuned_kernels "/cub/|/device_pairs_once|/predicate_filter_cuda|/tiles/instances/narrow_|/tiles/device_arithmetic")
function(add_tuned_kernels_to target)
  add_library(tuned_kernels OBJECT)
  target_include_directories(tuned_kernels PRIVATE csrc)
  # Of CUB's headers, those of a profiler took a second and a half.
  target_compile_definitions(tuned_kernels PRIVATE WARPGRAPH_HAS_CUDA=1 NVTX_DISABLE)
  target_link_libraries(tuned_kernels PRIVATE warpgraph_flags CUDA::cudart_static)
  if(WARPGRAPH_UNITY)
    set_target_properties(tuned_kernels PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  endif()
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:tuned_kernels>)
  if(hopper_from_portable)
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES OFF)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${hopper_from_portable}>)
  endif()
endfunction()

# Adds the CUDA sources below folders (*.cu, and *.cpp of core/cuda) to a target.
function(add_cuda_to target)
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE kernels CONFIGURE_DEPENDS ${folder}/*.cu)
    if(WARPGRAPH_EMULATE_CUDA)
      emulate_cuda(${kernels})
    else()
      compile_together(${kernels})
      set(tuned ${kernels})
      list(FILTER tuned INCLUDE REGEX ${tuned_kernels})
      list(FILTER kernels EXCLUDE REGEX ${tuned_kernels})
      target_sources(tuned_kernels PRIVATE ${tuned})
    endif()
    target_sources(${target} PRIVATE ${kernels})
    if(folder STREQUAL "csrc/core")
      file(GLOB_RECURSE hosts CONFIGURE_DEPENDS ${folder}/cuda/*.cpp)
      compile_together(${hosts})
      target_sources(${target} PRIVATE ${hosts})
    endif()
  endforeach()
  target_compile_definitions(${target} PUBLIC WARPGRAPH_HAS_CUDA=1)
  target_link_libraries(
    ${target} PUBLIC $<IF:$<BOOL:${WARPGRAPH_EMULATE_CUDA}>,cuda_emulator,CUDA::cudart_static>)
endfunction()
