# cleave_add_tool(NAME sources... [LIBS libs...] [MLIR_LIBS libs...])
#
# A program of build/bin. MLIR_LIBS come from libMLIR.so where they are in it;
# LIBS are ours. Both ways of linking are decided here, and only here.
function(cleave_add_tool name)
  cmake_parse_arguments(ARG "" "" "LIBS;MLIR_LIBS" ${ARGN})
  if(CLEAVE_STATIC)
    add_llvm_executable(${name} ${ARG_UNPARSED_ARGUMENTS}
      DISABLE_LLVM_LINK_LLVM_DYLIB)
  else()
    add_llvm_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  endif()
  llvm_update_compile_flags(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS})
  mlir_target_link_libraries(${name} PRIVATE ${ARG_MLIR_LIBS})
  # The packaged libMLIR.so is not in a folder the loader searches.
  if(NOT CLEAVE_STATIC)
    set_target_properties(${name} PROPERTIES INSTALL_RPATH ${LLVM_LIBRARY_DIR})
  endif()
  install(TARGETS ${name} RUNTIME DESTINATION bin)
endfunction()
