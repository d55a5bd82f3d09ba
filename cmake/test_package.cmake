# package/ in the build folder, for PYTHONPATH: links to python/ and to a module that is built for
# tests alone.
set(package ${CMAKE_BINARY_DIR}/package/warpgraph)
file(MAKE_DIRECTORY ${package})
file(GLOB modules CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/python/warpgraph
     ${CMAKE_SOURCE_DIR}/python/warpgraph/*)
list(FILTER modules EXCLUDE REGEX "\\.so$|__pycache__")
foreach(module IN LISTS modules)
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/python/warpgraph/${module} ${package}/${module} SYMBOLIC)
endforeach()
file(CREATE_LINK ${include_folder} ${package}/include SYMBOLIC)
add_custom_command(
  TARGET _core POST_BUILD COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE:_core>
                                  ${package}/$<TARGET_FILE_NAME:_core>)

# pybind11 then ends the process where a reference is counted without Python's lock.
foreach(target IN ITEMS _core networkx_loops)
  target_compile_definitions(${target} PRIVATE PYBIND11_ASSERT_GIL_HELD_INCREF_DECREF)
endforeach()
# That check needs classes of pybind11 that the loops do not include themselves.
target_compile_options(networkx_loops PRIVATE -include pybind11/pybind11.h)
