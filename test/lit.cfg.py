"""The lit suite: .mlir files, scripts and the GoogleTest programs of Unit/."""

import os

import lit.formats
from lit.llvm import llvm_config

config.name = "Cleave"
config.suffixes = [".mlir", ".pdll", ".test"]
config.excludes = ["Inputs", "Unit", "CMakeLists.txt"]
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.cleave_obj_root, "test")

config.substitutions += [
    ("%examples", os.path.join(config.cleave_src_root, "examples")),
    ("%src", config.cleave_src_root),
    ("%obj", config.cleave_obj_root),
    ("%cleave_lib_dir", config.cleave_lib_dir),
    ("%llvm_tools", config.llvm_tools_dir),
]
llvm_config.with_system_environment(["HOME", "TMP", "TEMP", "CUDA_HOME"])
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.add_tool_substitutions(
    ["cleave-opt", "cleave-run", "FileCheck", "not", "mlir-opt", "mlir-runner",
     "mlir-pdll"],
    [config.cleave_tools_dir, config.llvm_tools_dir])
