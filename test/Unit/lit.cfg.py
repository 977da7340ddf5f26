"""The GoogleTest programs, each case a test of its own."""

import lit.formats

config.name = "Cleave-Unit"
config.suffixes = []
config.test_source_root = config.cleave_obj_root + "/test/Unit"
config.test_exec_root = config.test_source_root
config.test_format = lit.formats.GoogleTest(".", "Tests")
