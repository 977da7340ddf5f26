// Schedules by measured times. The times come from a file, so that the choice,
// the table, and compiling by it are the same on every machine.

// RUN: rm -rf %t && mkdir -p %t
// RUN: echo '{"points": [{"extents": {"M": 16}, "us": [20.5, null, 18, 25]}, {"extents": {"M": 2048}, "us": [100, 90]}]}' > %t/times.json
// RUN: cleave-run %s --tune=%t/table.json --tune-times=%t/times.json --tune-count=4 > %t/tune.txt
// RUN: FileCheck %s --check-prefix=TUNE < %t/tune.txt
// TUNE-LABEL: tune[M=16]: 4 schedules on sm_90a
// TUNE-NEXT: 0: model [[#]].[[#]] us, measured 20.50 us: #cleave.schedule<region = 0
// TUNE-NEXT: 1: model {{.*}} us, not measured (no time in '{{.*}}times.json'): #cleave.schedule<
// TUNE-NEXT: 2: model {{.*}} us, measured 18.00 us: #cleave.schedule<
// TUNE-NEXT: 3: model {{.*}} us, measured 25.00 us: #cleave.schedule<
// TUNE-NEXT: fastest: 2
// TUNE-LABEL: tune[M=2048]:
// TUNE: fastest: 1

// Candidates are different, and the model's choice is the first.
// RUN: cleave-opt %s --cleave-algebra --cleave-assign-schedule=candidates=4 | FileCheck %s --check-prefix=CANDIDATES
// CANDIDATES: cleave.candidates = [{extents = {M = 16 : i64}, model_us = [{{[^]]*}}], schedules = [#cleave.schedule<[[FIRST:[^>]*]]>, #cleave.schedule<{{.*}}>]}, {extents = {M = 2048 : i64}
// CANDIDATES-SAME: cleave.schedule = #cleave.schedules<
// CANDIDATES-SAME: [[FIRST]]
// RUN: sed -n 's/.*us: //p' %t/tune.txt | sort | uniq -d | count 0

// The table has the fastest of each shape class.
// RUN: FileCheck %s --check-prefix=TABLE < %t/table.json
// TABLE: "entries": [
// TABLE: "chip": "sm_90a",
// TABLE-NEXT: "extents": {
// TABLE-NEXT: "M": 16
// TABLE: "function": "norm_linear",
// TABLE-NEXT: "graph": "[[GRAPH:[0-9a-f]{16}]]",
// TABLE-NEXT: "schedule": "#cleave.schedule<
// TABLE-NEXT: "us": 18
// TABLE: "M": 2048
// TABLE: "graph": "[[GRAPH]]",
// TABLE: "us": 90

// Compiled by it, the function has these schedules, and is right.
// RUN: sed -n '/fastest/d; s/^  2: .*us: //p' %t/tune.txt | head -n 1 > %t/expected.txt
// RUN: cleave-opt %s --cleave-algebra --cleave-assign-schedule=tuning-table=%t/table.json --remarks-filter=cleave-schedule 2> %t/remarks.txt | sed -n 's/.*when = \[M upto [0-9]*\], \(region[^>]*\)>, <region.*/#cleave.schedule<\1>/p' > %t/chosen.txt
// RUN: diff %t/expected.txt %t/chosen.txt
// RUN: FileCheck %s --check-prefix=REMARKS < %t/remarks.txt
// REMARKS: Passed{{.*}}at M = 16: region {{.*}} us{{.*}}, measured 18.00 us
// REMARKS: Passed{{.*}}at M = 2048: region {{.*}} us{{.*}}, measured 90.00 us
// RUN: cleave-run %s --tuning-table=%t/table.json --check --bind 'M=3;M=1;M=0;M=2049' | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-4: : ok
// RUN: cleave-run %s --tuning-table=%t/table.json --explain | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: @norm_linear on sm_90a at M = 16
// EXPLAIN-NEXT: region {{.*}}, from the tuning table, measured 18.00 us
// EXPLAIN: by the model alone it would be
// EXPLAIN-NEXT: region 0 {{.*}}, wins
// RUN: cleave-run %s --device=cuda --chip=sm_90a --tuning-table=%t/table.json --dry-run --bind M=16 | FileCheck %s --check-prefix=LAUNCH
// LAUNCH: launches[

// Other extents, another chip and another graph have no entries; without
// something, the table is not read.
// RUN: cleave-opt %s --cleave-algebra "--cleave-assign-schedule=tuning-table=%t/table.json representative=M=17" --remarks-filter=cleave-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXTENTS
// EXTENTS: Missed{{.*}}not in the tuning table
// EXTENTS-NOT: measured
// RUN: cleave-opt %s --cleave-algebra "--cleave-assign-schedule=tuning-table=%t/table.json target=sm_80" --remarks-filter=cleave-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXTENTS
// RUN: sed 's/eps 1.0e-6/eps 1.0e-5/' %s > %t/other.mlir
// RUN: cleave-opt %t/other.mlir --cleave-algebra --cleave-assign-schedule=tuning-table=%t/table.json --remarks-filter=cleave-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=STALE
// STALE: Missed{{.*}}at M = 16: the tuning table is of another graph of this name
// STALE-NOT: measured
// RUN: cleave-opt %s --cleave-algebra "--cleave-assign-schedule=tuning-table=%t/table.json no-horizontal" --remarks-filter=cleave-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=ABLATION
// ABLATION-NOT: tuning table
// ABLATION: Passed
// ABLATION-NOT: measured

// Not so other names, and other extents to choose schedules for.
// RUN: sed 's/@norm_linear/@other/; s/16 | 2048/2048/' %s > %t/renamed.mlir
// RUN: cleave-opt %t/renamed.mlir --cleave-algebra --cleave-assign-schedule=tuning-table=%t/table.json --remarks-filter=cleave-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=RENAMED
// RENAMED: Passed{{.*}}measured 90.00 us

// Entries of other graphs stay, the same ones are replaced.
// RUN: cleave-run %t/other.mlir --tune=%t/table.json --tune-times=%t/times.json --tune-count=4 > /dev/null
// RUN: echo '{"points": [{"extents": {"M": 16}, "us": [7]}, {"extents": {"M": 2048}, "us": [8]}]}' > %t/again.json
// RUN: cleave-run %s --tune=%t/table.json --tune-times=%t/again.json --tune-count=1 > /dev/null
// RUN: grep '"us"' %t/table.json | sort | FileCheck %s --check-prefix=MERGED
// MERGED: "us": 18
// MERGED-NEXT: "us": 7
// MERGED-NEXT: "us": 8
// MERGED-NEXT: "us": 90
// MERGED-NOT: "us"

// A schedule that is none of the graph any more.
// RUN: sed 's/M: [0-9]*, N/M: 48, N/' %t/table.json > %t/illegal.json
// RUN: cleave-opt %s --cleave-algebra --cleave-assign-schedule=tuning-table=%t/illegal.json --remarks-filter=cleave-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=ILLEGAL
// ILLEGAL: Missed{{.*}}at M = 16: no schedule of the graph, in the tuning table: illegal schedule: expected a power of two as tile of axis 'M' but got 48
// ILLEGAL: Passed{{.*}}at M = 16: region 0

// Tables and times that cannot be read: an error at the place, and nothing is
// compiled or written.
// RUN: not cleave-opt %s --cleave-algebra --cleave-assign-schedule=tuning-table=%t/none.json 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: none.json:1:1: error: cannot read the file: No such file
// RUN: printf '{"entries": [\n  {"graph": 7,}]}' > %t/bad.json
// RUN: not cleave-opt %s --cleave-algebra --cleave-assign-schedule=tuning-table=%t/bad.json 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: bad.json:2:15: error: unreadable: Expected object key
// RUN: printf '{"entries": [{"function": "f", "graph": 7}]}' > %t/fields.json
// RUN: not cleave-opt %s --cleave-algebra --cleave-assign-schedule=tuning-table=%t/fields.json 2>&1 | FileCheck %s --check-prefix=FIELDS
// FIELDS: fields.json:1:1: error: unreadable: expected string at table.entries[0].graph
// RUN: sed 's/region = [0-9]*/region = -1/' %t/table.json > %t/region.json
// RUN: not cleave-run %s --tuning-table=%t/region.json --bind M=1 2>&1 | FileCheck %s --check-prefix=REGION
// REGION: cleave-run: error: {{.*}}region.json:1:1: expected a schedule without 'when' at table.entries[0].schedule: expected a region of at least 0 but got -1
// RUN: not cleave-run %s --tune=%t/bad.json --tune-times=%t/times.json 2>&1 | FileCheck %s --check-prefix=BAD-TUNE
// BAD-TUNE: cleave-run: error: {{.*}}bad.json:2:15: unreadable
// BAD-TUNE-NOT: fastest
// RUN: not cleave-run %s --tune --tune-times=%t/bad.json 2>&1 | FileCheck %s --check-prefix=BAD-TUNE
// RUN: echo '{"points": []}' > %t/empty.json
// RUN: not cleave-run %s --tune --tune-times=%t/empty.json 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: cleave-run: error: {{.*}}tune.mlir:[[#]]:1: expected a time of some schedule in tune[M=16]
// RUN: not cleave-run %s --tune 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: error: expected --device=cuda or --tune-times with --tune
// RUN: not cleave-run %s --tune-times=%t/times.json 2>&1 | FileCheck %s --check-prefix=TIMES
// TIMES: error: expected --tune, and no --dry-run, with --tune-times
// RUN: not cleave-run %s --tune --tune-count=0 --tune-times=%t/times.json 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: expected --tune-count of at least 1

// RUN: cleave-opt %s --cleave-algebra --cleave-assign-schedule -o %t/scheduled.mlir
// RUN: not cleave-run %t/scheduled.mlir --tune --tune-times=%t/times.json 2>&1 | FileCheck %s --check-prefix=SCHEDULED
// SCHEDULED: error: {{.*}}scheduled.mlir:{{.*}}: expected a cleave function without a schedule with --tune

// Programs for another launcher.
// RUN: cleave-run %s --device=cuda --chip=sm_90a --tune --tune-count=2 --representative=M=16 --dry-run --json %t/programs.json > /dev/null
// RUN: %python -c "import json, sys; tuned = json.load(open(sys.argv[1])); point, = tuned['points']; print(tuned['function'], tuned['chip'], point['extents'], [sorted(c) for c in point['candidates']], point['candidates'][1]['program']['runs'][0]['bind']['M'])" %t/programs.json | FileCheck %s --check-prefix=PROGRAMS
// PROGRAMS: norm_linear sm_90a {'M': 16} {{\[}}['model_us', 'program', 'schedule'], ['model_us', 'program', 'schedule']{{\]}} 16

#K = #cleave.axes<K>
#M_K = #cleave.axes<M, K>
#K_M = #cleave.axes<K, M>
#K_N = #cleave.axes<K, N>
#M_N = #cleave.axes<M, N>

func.func @norm_linear(
    %x: tensor<?x512xf16, #M_K> {cleave.name = "X", cleave.range = 300.0 : f32},
    %g: tensor<512xf16, #K> {cleave.name = "g", cleave.range = 8.0 : f32},
    %w: tensor<512x512xf16, #K_N> {cleave.name = "W"})
    -> (tensor<?x512xf32, #M_N> {cleave.name = "Y"})
    attributes {cleave.symbols = #cleave.symbols<M: dynamic like 16 | 2048>} {
  %n = cleave.rms_norm %x, %g over [K] eps 1.0e-6
     : (tensor<?x512xf16, #M_K>, tensor<512xf16, #K>) -> tensor<512x?xf32, #K_M>
  %y = cleave.contract %n, %w over [K]
     : (tensor<512x?xf32, #K_M>, tensor<512x512xf16, #K_N>) -> tensor<?x512xf32, #M_N>
  return %y : tensor<?x512xf32, #M_N>
}
