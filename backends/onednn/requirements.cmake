# oneDNN 3.1 or later, with OpenMP: in the build's Python environment, or the system's.
find_package(dnnl 3.1 CONFIG QUIET HINTS ${TESSERA_VENV})
if(NOT dnnl_FOUND)
  set(reason "oneDNN 3.1 or later was not found (wheel onednn-devel-cpu-gomp)")
elseif(NOT DNNL_CPU_RUNTIME STREQUAL "OMP")
  set(reason "oneDNN has threads of its own (${DNNL_CPU_RUNTIME}) instead of OpenMP's")
endif()
