# Which folders of backends/ are built: TESSERA_BUILT_BACKENDS, and in TESSERA_MISSING_BACKENDS those that were selected but whose
# libraries are absent, as "name|reason". A backend that needs libraries has a requirements.cmake that looks for them and sets
# `reason` when one is not there. Nothing else names a backend.
set(TESSERA_BACKENDS "" CACHE STRING "Folders of backends/ to build, e.g. \"native;null\"; empty: all")

set(TESSERA_BUILT_BACKENDS "")
set(TESSERA_MISSING_BACKENDS "")

file(GLOB _folders RELATIVE ${PROJECT_SOURCE_DIR}/backends CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/backends/*/CMakeLists.txt)
list(TRANSFORM _folders REPLACE "/CMakeLists.txt" "")
list(SORT _folders)
foreach(_name ${TESSERA_BACKENDS})
  if(NOT _name IN_LIST _folders)
    message(FATAL_ERROR "TESSERA_BACKENDS names '${_name}', which is no folder of backends/; there are: ${_folders}")
  endif()
endforeach()
foreach(_name ${_folders})
  if(TESSERA_BACKENDS AND NOT _name IN_LIST TESSERA_BACKENDS)
    continue()
  endif()
  set(reason "")
  include(${PROJECT_SOURCE_DIR}/backends/${_name}/requirements.cmake OPTIONAL)
  if(reason)
    string(REPLACE ";" "," reason "${reason}")  # It becomes one entry of a list.
    list(APPEND TESSERA_MISSING_BACKENDS "${_name}|${reason}")
    message(STATUS "Backend ${_name} is left out: ${reason}")
  else()
    list(APPEND TESSERA_BUILT_BACKENDS ${_name})
  endif()
endforeach()

# tessera_add_backend_registry(NAME x BACKENDS b ...): compiler/backend_registry with these backends built in.
function(tessera_add_backend_registry)
  cmake_parse_arguments(ARG "" "NAME" "BACKENDS" ${ARGN})
  set(includes "")
  set(built "")
  set(missing "")
  set(libraries "")
  foreach(name ${ARG_BACKENDS})
    string(APPEND includes "#include \"backends/${name}/compiler/register.h\"\n")
    string(APPEND built "TESSERA_BUILTIN_BACKEND(${name})\n")
    list(APPEND libraries tessera_backend_${name}_compiler)
  endforeach()
  foreach(entry ${TESSERA_MISSING_BACKENDS})
    string(REGEX MATCH "^([^|]*)[|](.*)$" _ "${entry}")
    set(name "${CMAKE_MATCH_1}")
    string(REGEX REPLACE "([\\\"])" "\\\\\\1" why "${CMAKE_MATCH_2}")
    string(APPEND missing "TESSERA_MISSING_BACKEND(${name}, \"${why}\")\n")
  endforeach()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${ARG_NAME}_lists)
  file(CONFIGURE OUTPUT ${folder}/backend_includes.inc CONTENT "${includes}")
  file(CONFIGURE OUTPUT ${folder}/backend_list.inc CONTENT "${built}")
  file(CONFIGURE OUTPUT ${folder}/missing_list.inc CONTENT "${missing}")
  tessera_add_library(NAME ${ARG_NAME} MLIR
    SOURCES ${PROJECT_SOURCE_DIR}/compiler/backend_registry/registry.cpp
    DEPS tessera_backend_api tessera_isolation tessera_plugin_host ${libraries})
  target_include_directories(${ARG_NAME} PRIVATE ${folder})
endfunction()

# tessera_add_compiler_library(NAME x REGISTRY r): libtessera_compiler.so, of include/tessera/compile.h, costs.h, explain.h, tensor_compare.h and
# tensor_io.h, with the backends of registry r. All code comes from archives.
function(tessera_add_compiler_library)
  cmake_parse_arguments(ARG "" "NAME;REGISTRY" "" ${ARGN})
  file(CONFIGURE OUTPUT ${ARG_NAME}.cpp CONTENT "")
  add_library(${ARG_NAME} SHARED ${CMAKE_CURRENT_BINARY_DIR}/${ARG_NAME}.cpp)
  target_link_libraries(${ARG_NAME} PUBLIC tessera_headers PRIVATE
    "$<LINK_LIBRARY:WHOLE_ARCHIVE,${ARG_REGISTRY},tessera_conformance,tessera_costs_api,tessera_driver,tessera_explain,tessera_serve_worker,tessera_tensor_io>")
  set_target_properties(${ARG_NAME} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME tessera_compiler EXPORT_NAME compiler
    SOVERSION ${PROJECT_VERSION_MAJOR} VERSION ${PROJECT_VERSION})
endfunction()
