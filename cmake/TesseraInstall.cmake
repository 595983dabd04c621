# The install tree: headers, libtessera_runtime, the compiler's library, the tools, and the package for find_package(Tessera).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tessera)
set(TESSERA_INSTALLED_COMPONENTS)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tessera DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.def" PATTERN "*.h" PATTERN "*.hpp")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Test backends are not installed: where there are some, the compiler's library and tessera-opt are linked again without them.
get_property(_test_backends GLOBAL PROPERTY TESSERA_TEST_BACKENDS)
set(_installed_backends ${TESSERA_BUILT_BACKENDS})
list(REMOVE_ITEM _installed_backends ${_test_backends})
set(_variant "")
if(TARGET tessera_compiler AND NOT "${_installed_backends}" STREQUAL "${TESSERA_BUILT_BACKENDS}")
  set(_variant _installed)
  tessera_add_backend_registry(NAME tessera_backend_registry_installed BACKENDS ${_installed_backends})
  tessera_add_compiler_library(NAME tessera_compiler_installed REGISTRY tessera_backend_registry_installed)
  tessera_add_opt(NAME tessera-opt_installed REGISTRY tessera_backend_registry_installed)
  set_target_properties(tessera_compiler_installed tessera-opt_installed PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/installed RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/installed)
endif()

# Component <name> is the targets that follow, exported as tessera::<EXPORT_NAME>.
foreach(component Runtime Compiler)
  string(TOLOWER ${component} stem)
  if(NOT TARGET tessera_${stem})
    continue()
  endif()
  set(targets tessera_${stem})
  if(component STREQUAL Runtime)
    list(APPEND targets tessera_headers)
  else()
    string(APPEND targets "${_variant}")
  endif()
  install(TARGETS ${targets} EXPORT Tessera${component}Targets)
  install(EXPORT Tessera${component}Targets NAMESPACE tessera:: DESTINATION ${package_dir})
  list(APPEND TESSERA_INSTALLED_COMPONENTS ${component})
endforeach()

foreach(tool tessera tessera-reduce tessera-opt${_variant})
  if(TARGET ${tool})
    install(TARGETS ${tool})
  endif()
endforeach()

# Component Passes: the headers of the dialect, those that the build makes included, and of the pattern language.
if(TARGET tessera_compiler)
  set(_passes_dir ${CMAKE_INSTALL_INCLUDEDIR}/tessera-passes)
  foreach(folder compiler/ir compiler/pattern)
    foreach(root ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
      install(DIRECTORY ${root}/${folder}/ DESTINATION ${_passes_dir}/${folder}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "*.inc" PATTERN "test" EXCLUDE PATTERN "CMakeFiles" EXCLUDE)
    endforeach()
  endforeach()
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/TesseraPasses.cmake DESTINATION ${package_dir})
  list(APPEND TESSERA_INSTALLED_COMPONENTS Passes)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/TesseraConfig.cmake.in ${PROJECT_BINARY_DIR}/TesseraConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TesseraConfig.cmake ${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake
  DESTINATION ${package_dir})
