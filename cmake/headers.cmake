# Headers that other programs include without linking anything, and a CMake package of them. They
# are copied to include/warpgraph/ of the build folder, where their includes of each other begin with
# warpgraph/, so that they cannot be taken for headers of the program. wg.get_include() returns the
# folder that they are installed in.
set(public_headers core/types.hpp core/atomics.hpp core/order_key.hpp core/containers/at.hpp
                   core/containers/heap.hpp core/containers/union_find.hpp core/cuda/warp.cuh
                   core/cuda/containers/warp_heap.cuh)
set(include_folder ${CMAKE_BINARY_DIR}/include)
foreach(header IN LISTS public_headers)
  file(READ csrc/${header} text)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS csrc/${header})
  string(REPLACE "#include \"core/" "#include \"warpgraph/core/" text "${text}")
  file(CONFIGURE OUTPUT ${include_folder}/warpgraph/${header} CONTENT "${text}" @ONLY)
endforeach()

file(STRINGS python/warpgraph/_version.py version REGEX "^__version__ = ")
string(REGEX REPLACE "^.*\"([0-9.]+).*$" "\\1" version "${version}")
include(CMakePackageConfigHelpers)
set(package_folder ${include_folder}/warpgraph/cmake)
configure_file(cmake/warpgraphConfig.cmake ${package_folder}/warpgraphConfig.cmake COPYONLY)
write_basic_package_version_file(
  ${package_folder}/warpgraphConfigVersion.cmake
  VERSION ${version}
  COMPATIBILITY SameMinorVersion
  ARCH_INDEPENDENT)
install(DIRECTORY ${include_folder}/ DESTINATION warpgraph/include)
