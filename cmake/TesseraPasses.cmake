# Component Passes: what a pass of one's own needs, loaded into tessera and tessera-opt by --load-pass-plugin.
#   tessera_add_pass_plugin(NAME x SOURCES a.cpp ...)   x.so with `mlirGetPassPluginInfo`, over the dialect's headers
# The library leaves the symbols of the dialect open: they are those of the program that loads it.
find_dependency(MLIR 19.1 CONFIG HINTS ${Tessera_MLIR_DIR})

function(tessera_add_pass_plugin)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES" ${ARGN})
  add_library(${ARG_NAME} MODULE ${ARG_SOURCES})
  set_target_properties(${ARG_NAME} PROPERTIES PREFIX "" CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_VISIBILITY_PRESET default)
  target_compile_options(${ARG_NAME} PRIVATE -fno-exceptions -fno-rtti $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-lifetime-dse>)
  target_include_directories(${ARG_NAME} PRIVATE ${Tessera_PASSES_INCLUDE_DIR} ${Tessera_INCLUDE_DIR})
  target_include_directories(${ARG_NAME} SYSTEM PRIVATE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
endfunction()
