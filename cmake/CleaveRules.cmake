# Rules in PDLL, compiled to the pdl dialect at build time.

set(CLEAVE_RULES_CMAKE_DIR ${CMAKE_CURRENT_LIST_DIR})
if(NOT DEFINED CLEAVE_RULES_INCLUDE_DIR)
  set(CLEAVE_RULES_INCLUDE_DIR
    ${CMAKE_CURRENT_LIST_DIR}/../lib/Transforms/Algebra/Rules)
endif()

# cleave_add_rules(TARGET file.pdll...)
#
# Compiles each file to <name>.mlir in the current binary folder, for
# `--cleave-algebra=rules=<name>.mlir`. Whatever mlir-pdll writes to stderr is an
# error: it drops literals it cannot parse and still succeeds.
function(cleave_add_rules target)
  find_program(MLIR_PDLL_TOOL NAMES mlir-pdll mlir-pdll-22
    HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)
  set(outputs)
  foreach(source ${ARGN})
    get_filename_component(source ${source} ABSOLUTE)
    get_filename_component(name ${source} NAME_WE)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.mlir)
    file(GLOB includes ${CLEAVE_RULES_INCLUDE_DIR}/Natives.pdll
      ${CLEAVE_RULES_INCLUDE_DIR}/RuleOps.td)
    add_custom_command(OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -DTOOL=${MLIR_PDLL_TOOL} -DSOURCE=${source}
        -DOUTPUT=${output}
        "-DINCLUDES=${CLEAVE_RULES_INCLUDE_DIR}|${LLVM_LIBRARY_DIR}/../include"
        -P ${CLEAVE_RULES_CMAKE_DIR}/CompileRules.cmake
      DEPENDS ${source} ${includes} ${CLEAVE_RULES_CMAKE_DIR}/CompileRules.cmake
      COMMENT "Compiling rules ${name}.pdll" VERBATIM)
    list(APPEND outputs ${output})
  endforeach()
  add_custom_target(${target} DEPENDS ${outputs})
  set_target_properties(${target} PROPERTIES CLEAVE_RULES "${outputs}")
endfunction()
