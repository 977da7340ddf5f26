"""Turns the vector form into a program for the CPU: each kernel a function of
its block id, each launch a loop over the blocks. What distribution does comes
after the vector form, so this runs the same numbers without a GPU.

usage: cpu_blocks.py MAIN < MODULE   (MAIN: the text of more functions)
"""

import re
import sys

lines = []
in_kernels = False
for line in sys.stdin.read().split("\n"):
    if line.startswith("  gpu.module"):
        in_kernels = True
        continue
    if in_kernels and line == "  }":
        in_kernels = False
        continue
    line = re.sub(r"gpu\.func (@\w+)\((.*)\) kernel attributes \{.*\} \{",
                  r"func.func \1(%block_id_x: index, \2) {", line)
    if re.search(r"= gpu\.block_id +x", line):
        continue
    line = line.replace("gpu.return", "return").replace("gpu.container_module", "")
    launch = re.match(r" *gpu\.launch_func +@\w+::(@\w+) blocks in \((%\w+).*args\((.*)\)", line)
    if launch:
        name, blocks, args = launch.groups()
        pairs = [arg.split(" : ") for arg in re.split(r", (?=%)", args)]
        line = (f"scf.for %block = %begin to {blocks} step %next {{ func.call {name}(%block, "
                f"{', '.join(value for value, _ in pairs)}) : (index, {', '.join(kind for _, kind in pairs)}) -> () }}")
    # The CPU's lowering takes operands of the accumulator's type only.
    contract = re.match(r"( *%(\w+) = vector\.contract \{.*\}) (%\w+), (%\w+), (%\w+) "
                        r": (vector<[\dx]+)f16>, (vector<[\dx]+)f16> (into .*)", line)
    if contract:
        head, result, lhs, rhs, acc, left, right, into = contract.groups()
        lines += [f"%lhs{result} = arith.extf {lhs} : {left}f16> to {left}f32>",
                  f"%rhs{result} = arith.extf {rhs} : {right}f16> to {right}f32>"]
        line = f"{head} %lhs{result}, %rhs{result}, {acc} : {left}f32>, {right}f32> {into}"
    lines.append(line)
    if re.match(r"  func\.func .* \{$", line):
        lines.append("%begin = arith.constant 0 : index\n%next = arith.constant 1 : index")
text = "\n".join(lines)
end = text.rindex("}")
with open(sys.argv[1]) as main:
    print(text[:end] + main.read() + text[end:])
