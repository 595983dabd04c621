# The install tree: headers, libtessera_runtime, the compiler's library, the tools, and the package for find_package(Tessera).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tessera)
set(TESSERA_INSTALLED_COMPONENTS)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tessera DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.def" PATTERN "*.h" PATTERN "*.hpp")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Component <name> is the targets that follow, exported as tessera::<EXPORT_NAME>.
foreach(component Runtime Compiler)
  string(TOLOWER ${component} stem)
  if(NOT TARGET tessera_${stem})
    continue()
  endif()
  set(targets tessera_${stem})
  if(component STREQUAL Runtime)
    list(APPEND targets tessera_headers)
  endif()
  install(TARGETS ${targets} EXPORT Tessera${component}Targets)
  install(EXPORT Tessera${component}Targets NAMESPACE tessera:: DESTINATION ${package_dir})
  list(APPEND TESSERA_INSTALLED_COMPONENTS ${component})
endforeach()

foreach(tool tessera tessera-opt)
  if(TARGET ${tool})
    install(TARGETS ${tool})
  endif()
endforeach()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/TesseraConfig.cmake.in ${PROJECT_BINARY_DIR}/TesseraConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TesseraConfig.cmake ${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake
  DESTINATION ${package_dir})
