"""The lit suite: .mlir files, scripts and the GoogleTest programs of Unit/."""

import os
import sys

import lit.formats
from lit.llvm import llvm_config

config.name = "Cleave"
config.suffixes = [".mlir", ".pdll", ".test"]
config.excludes = ["Inputs", "Unit", "CMakeLists.txt"]
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.cleave_obj_root, "test")

config.substitutions += [
    ("%check_symbols", "%python %src/scripts/check-symbols.py --nm "
     "%llvm_tools/llvm-nm --readelf %llvm_tools/llvm-readelf"),
    ("%mlir_include", config.mlir_include_dir),
    ("%python", sys.executable),
    ("%plugin", os.path.join(config.cleave_lib_dir, "CleavePlugin.so")),
    ("%cmake", config.cmake),
    ("%mlir_lib_dir", config.mlir_lib_dir),
    ("%mlir_libs", "%s/libMLIR.so %s/libLLVM.so" % (
        config.mlir_lib_dir, config.mlir_lib_dir)),
    ("%examples", os.path.join(config.cleave_src_root, "examples")),
    ("%src", config.cleave_src_root),
    ("%obj", config.cleave_obj_root),
    ("%cleave_lib_dir", config.cleave_lib_dir),
    ("%llvm_tools", config.llvm_tools_dir),
    ("%mlir_include",
     os.path.join(config.llvm_tools_dir, "..", "include")),
]
llvm_config.with_system_environment(["HOME", "TMP", "TEMP"])
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
# MLIR takes ptxas from PATH and libdevice from CUDA_HOME, which must not name a
# folder without libdevice.
if os.path.exists(config.cleave_ptxas):
    toolkit = os.path.dirname(os.path.dirname(os.path.realpath(config.cleave_ptxas)))
    llvm_config.with_environment(
        "PATH", os.path.dirname(config.cleave_ptxas), append_path=True)
    if os.path.exists(os.path.join(toolkit, "nvvm/libdevice/libdevice.10.bc")):
        llvm_config.with_environment("CUDA_HOME", toolkit)
if config.cleave_sanitizers:
    config.available_features.add("sanitizers")
llvm_config.add_tool_substitutions(
    ["cleave-opt", "cleave-run", "cleave-fuzz", "FileCheck", "not", "mlir-opt", "mlir-runner",
     "mlir-pdll"],
    [config.cleave_tools_dir, config.llvm_tools_dir])
