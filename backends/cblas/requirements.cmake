# OpenBLAS with OpenMP, found by its full path: the variant with its own threads has the same name, wins where both are installed,
# and would bring a second pool of threads.
file(GLOB _openblas /usr/lib/*/openblas-openmp/libopenblas.so.0 /usr/lib64/openblas-openmp/libopenblas.so.0)
set(TESSERA_OPENBLAS "${_openblas}" CACHE FILEPATH "OpenBLAS built with OpenMP")
if(NOT EXISTS "${TESSERA_OPENBLAS}")
  set(reason "OpenBLAS with OpenMP was not found (Debian: libopenblas0-openmp; TESSERA_OPENBLAS names it elsewhere)")
endif()
