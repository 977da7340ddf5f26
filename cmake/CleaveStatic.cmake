# Makes the packaged archives of MLIR and LLVM linkable without their shared
# libraries. Included after find_package where CLEAVE_STATIC is on.
#
# Debian exports MLIR's archives with an interface that names the shared LLVM
# (and LLVM's with shared zstd and z3), so that a plain static link gives MLIR's
# archives beside libLLVM.so. Here those names are replaced.

# What MLIR's archives mean by LLVM, as far as Cleave's tools reach.
llvm_map_components_to_libnames(CLEAVE_LLVM_ARCHIVES
  core support irreader bitwriter bitreader linker ipo passes target
  targetparser asmparser analysis nvptxcodegen nvptxdesc nvptxinfo
  frontendopenmp frontendoffloading mc object binaryformat transformutils
  vectorize remarks)
add_library(CleaveStaticLLVM INTERFACE)
target_link_libraries(CleaveStaticLLVM INTERFACE ${CLEAVE_LLVM_ARCHIVES})

get_property(CLEAVE_MLIR_ARCHIVES GLOBAL PROPERTY MLIR_ALL_LIBS)
foreach(lib ${CLEAVE_MLIR_ARCHIVES})
  get_target_property(interface ${lib} INTERFACE_LINK_LIBRARIES)
  if(interface)
    list(TRANSFORM interface REPLACE "^(\\$<LINK_ONLY:)?LLVM>?$"
      CleaveStaticLLVM)
    list(REMOVE_ITEM interface MLIR)
    set_target_properties(${lib} PROPERTIES
      INTERFACE_LINK_LIBRARIES "${interface}")
  endif()
endforeach()

find_package(ZLIB REQUIRED)
find_package(zstd REQUIRED)
foreach(lib ${LLVM_AVAILABLE_LIBS})
  if(NOT TARGET ${lib})
    continue()
  endif()
  get_target_property(interface ${lib} INTERFACE_LINK_LIBRARIES)
  if(interface)
    list(REMOVE_ITEM interface LLVM)
    list(FILTER interface EXCLUDE REGEX "libz3")
    list(TRANSFORM interface REPLACE "zstd::libzstd_shared"
      "zstd::libzstd_static")
    set_target_properties(${lib} PROPERTIES
      INTERFACE_LINK_LIBRARIES "${interface}")
  endif()
endforeach()

# Archives nothing refers to cost nothing: tools link all of them, since with
# libMLIR.so nobody notices a library missing from a list. Left out are shared
# ones (whatever a shared library on the line knows would be exported, and so
# kept), and those that want more LLVM targets than NVPTX.
set(CLEAVE_TOOL_ARCHIVES)
foreach(lib ${CLEAVE_MLIR_ARCHIVES})
  get_target_property(type ${lib} TYPE)
  if(type STREQUAL STATIC_LIBRARY AND NOT lib MATCHES
     "^MLIR(CAPI|RegisterAll|ExecutionEngine$|JitRunner|.*Test)")
    list(APPEND CLEAVE_TOOL_ARCHIVES ${lib})
  endif()
endforeach()
set_property(GLOBAL PROPERTY CLEAVE_STATIC_MLIR_LIBS ${CLEAVE_TOOL_ARCHIVES})

add_compile_definitions(CLEAVE_STATIC)
add_compile_options(-ffunction-sections -fdata-sections)
add_link_options(-B${LLVM_TOOLS_BINARY_DIR} -fuse-ld=lld -static-libstdc++
  -static-libgcc -Wl,--gc-sections -Wl,--as-needed -Wl,--strip-all)
