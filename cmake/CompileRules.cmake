# Script: runs mlir-pdll on SOURCE and fails on any message.
cmake_policy(VERSION 3.25)
string(REPLACE "|" ";" include_dirs "${INCLUDES}")
set(flags)
foreach(dir ${include_dirs})
  list(APPEND flags -I ${dir})
endforeach()
# A relative name, so that no path of this machine gets into locations.
get_filename_component(folder ${SOURCE} DIRECTORY)
get_filename_component(name ${SOURCE} NAME)
execute_process(COMMAND ${TOOL} -x=mlir ${flags} ${name}
  WORKING_DIRECTORY ${folder}
  RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE messages)
if(NOT code EQUAL 0 OR NOT messages STREQUAL "")
  message(FATAL_ERROR "mlir-pdll ${name} (exit code ${code}):\n${messages}")
endif()
file(WRITE ${OUTPUT} "${text}")
