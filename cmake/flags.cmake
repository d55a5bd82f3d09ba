# Compiler flags for everything of ours, as the target warpgraph_flags.
add_library(warpgraph_flags INTERFACE)

# No contraction to fused multiply-adds: every device must round alike.
set(cxx_flags -ffp-contract=off)
# Machine code of kernels takes an eighth of its space compressed; nvcc compresses only portable code.
set(nvcc_flags --fmad=false -Xcompiler=-ffp-contract=off,-fopenmp -Xfatbin=-compress-all)
if(WARPGRAPH_WITH_CUDA AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
  list(APPEND nvcc_flags --compress-mode=size) # first calls take as long
endif()
# Grids and groups of threads need nothing of libcu++, whose headers take 1.5 seconds of each source.
list(APPEND nvcc_flags -D_CG_LIMIT_INCLUDED_DEPENDENCIES)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC collects garbage only when it uses so many KiB. Else that takes up to a tenth of its time.
  list(APPEND cxx_flags --param=ggc-min-heapsize=1048576)
endif()
# CMake tells the kind of nvcc's host compiler from 3.31 on.
if(CMAKE_CUDA_HOST_COMPILER_ID STREQUAL "Clang" OR CMAKE_CUDA_HOST_COMPILER MATCHES "clang")
  set(nvcc_hosts_clang ON)
else()
  set(nvcc_hosts_clang OFF)
  # What -O2 takes a fifth of GCC's time for, and code that allocates and launches gains nothing of.
  list(APPEND nvcc_flags -Xcompiler=--param=ggc-min-heapsize=1048576
       -Xcompiler=-fno-tree-pta,-fno-tree-dominator-opts,-fno-tree-pre,-fno-gcse,-fno-tree-vrp
       -Xcompiler=-fno-expensive-optimizations,-fno-schedule-insns2,-fno-ivopts
       -Xcompiler=-fno-ipa-cp,-fno-ipa-icf,-fno-ipa-sra,-fno-tree-vectorize,-fno-tree-slp-vectorize)
endif()
# Warnings are for developers; looking for them takes time, too.
if(WARPGRAPH_WERROR)
  list(APPEND cxx_flags -Werror -Wall -Wextra -Wpedantic -Wshadow)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang") # Apple's, too
    # Attributes of GCC; conditions without a branch; what generic lambdas capture for their bodies.
    list(APPEND cxx_flags -Wno-unknown-attributes -Wno-bitwise-instead-of-logical
         -Wno-unused-lambda-capture)
  endif()
  list(APPEND nvcc_flags -Werror=all-warnings -Xcompiler=-Werror,-Wall,-Wextra)
  if(nvcc_hosts_clang)
    # What nvcc writes for Clang has lambdas, names and branches of its own.
    list(APPEND nvcc_flags -Xcompiler=-Wno-unused-lambda-capture,-Wno-unused-function)
  else()
    # Below -O3, GCC does not see that CUB sets what it reads.
    list(APPEND nvcc_flags -Xcompiler=-Wno-maybe-uninitialized)
  endif()
endif()
if(WARPGRAPH_SANITIZE)
  list(APPEND cxx_flags -fsanitize=${WARPGRAPH_SANITIZE} -fno-sanitize-recover=all
       -fno-omit-frame-pointer)
  target_link_options(warpgraph_flags INTERFACE -fsanitize=${WARPGRAPH_SANITIZE})
endif()
target_compile_options(
  warpgraph_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${cxx_flags}>"
                            "$<$<COMPILE_LANGUAGE:CUDA>:${nvcc_flags}>")
