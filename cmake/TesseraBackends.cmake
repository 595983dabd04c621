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
    list(APPEND TESSERA_MISSING_BACKENDS "${_name}|${reason}")
    message(STATUS "Backend ${_name} is left out: ${reason}")
  else()
    list(APPEND TESSERA_BUILT_BACKENDS ${_name})
  endif()
endforeach()
