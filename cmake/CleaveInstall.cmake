# What `cmake --install` puts where, so that find_package(Cleave) works. Included
# after all targets; test/Install builds a project on the result.
include(CMakePackageConfigHelpers)

set(CLEAVE_CONFIG_DIR lib/cmake/cleave)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/Cleave DESTINATION include
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.pdll")
install(DIRECTORY ${CMAKE_BINARY_DIR}/include/Cleave DESTINATION include
  FILES_MATCHING PATTERN "*.inc" PATTERN CMakeFiles EXCLUDE)

# What cleave_add_rules needs, beside the package's configuration.
install(FILES
  ${CMAKE_SOURCE_DIR}/cmake/CleaveRules.cmake
  ${CMAKE_SOURCE_DIR}/cmake/CompileRules.cmake
  DESTINATION ${CLEAVE_CONFIG_DIR})
install(FILES
  ${CMAKE_SOURCE_DIR}/lib/Transforms/Algebra/Rules/Natives.pdll
  ${CMAKE_SOURCE_DIR}/lib/Transforms/Algebra/Rules/RuleOps.td
  DESTINATION ${CLEAVE_CONFIG_DIR}/rules)

# Descriptions of GPUs, to copy and change.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/lib/Transforms/Targets/
  DESTINATION ${CLEAVE_CONFIG_DIR}/targets)

# add_mlir_library puts every library into this export set; MLIR's own are not
# built here, so that it holds exactly Cleave's.
install(EXPORT MLIRTargets FILE CleaveTargets.cmake
  DESTINATION ${CLEAVE_CONFIG_DIR})

configure_package_config_file(
  ${CMAKE_SOURCE_DIR}/cmake/CleaveConfig.cmake.in
  ${CMAKE_BINARY_DIR}/cmake/CleaveConfig.cmake
  INSTALL_DESTINATION ${CLEAVE_CONFIG_DIR})
write_basic_package_version_file(
  ${CMAKE_BINARY_DIR}/cmake/CleaveConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_BINARY_DIR}/cmake/CleaveConfig.cmake
  ${CMAKE_BINARY_DIR}/cmake/CleaveConfigVersion.cmake
  DESTINATION ${CLEAVE_CONFIG_DIR})
