# Imports of the results of other tools, from files made for these tests.

$ tacho import --help
| tacho import - turn results of other benchmark tools into run folders
| 
| Usage: tacho import [OPTIONS] FILE...
|        tacho import --list
| 
| Recognises the format of each file by its content, and makes a run folder for
| each benchmark in it. All other commands treat it as a run of tacho run. Every
| value is kept as it is in the file.
| 
| A process is a run. Repetitions inside one process depend on each other, so they
| are the values of one run, whose value is their median. Several files that
| contain the same benchmark are several runs of it. A file with statistics only,
| such as a median, is imported as such: its value is shown, and is too little to
| judge by.
| 
| Arguments:
|   FILE  a file, a folder with files, or - for standard input
| 
| Options:
|   -o, --out-dir DIR            create the run folders below DIR (default:
|                                tacho-out)
|       --format FORMAT          read this format instead of recognising it
|                                (default: auto)
|       --name BENCH             put BENCH/ before the name of each benchmark
|       --commit SHA             record that the files were made at this commit
|       --better NAME=DIRECTION  say that higher or lower values of a metric are
|                                better
|       --keep-going             exit with 0 even if some files or benchmarks
|                                cannot be imported
|       --list                   list the formats, and how each is recognised
|   -q, --quiet                  show no progress and only essential output
|       --color WHEN             use colours: auto (on a terminal), always or
|                                never
|       --width N                fit tables into N columns
|   -h, --help                   show this help
| 
| Examples:
|   hyperfine --export-json old.json ./prog; tacho import old.json
|       Keep the runs of hyperfine as a run folder.
|   go test -bench . -count 10 | tacho import -
|       Import the output of a command.
|   tacho import -o new run1.json run2.json run3.json
|       Import three processes of one benchmark program as three runs.
| 
| Exit status:
|   0   success
|   1   a file or a benchmark could not be imported; the others were, unless
|       nothing was readable (0 with --keep-going)
|   64  wrong usage
$ tacho import --list
| hyperfine                JSON object with results[] of command, mean and times
| google-benchmark         JSON object with context and benchmarks[] of name and real_time
| pytest-benchmark         JSON object with benchmarks[] of fullname and stats
| criterion                target/criterion, a folder with new/sample.json of iters and times
| cargo-criterion          JSON lines with "reason": "benchmark-complete"
| jmh                      JSON array of objects with benchmark, mode and primaryMetric
| benchmarkdotnet          JSON object with HostEnvironmentInfo and Benchmarks[]
| llama-bench              JSON array or lines of build_commit, model_filename and avg_ts
| pyperf                   JSON object with version and benchmarks[] of runs[]
| nanobench                JSON object with results[] of title, name and median(elapsed)
| perfgate                 JSON object with "schema": "perfgate.run.v1"
| asv                      JSON object with commit_hash, params and results{}
| vitest                   JSON object with files[] of groups[]
| benchmarktools-jl        JSON array that begins with {"Julia", "BenchmarkTools"}
| fio                      JSON object with "fio version" and jobs[]
| github-action-benchmark  window.BENCHMARK_DATA = an object with entries and lastUpdate
| custom-json              JSON array of objects with name, unit and value
| bmf                      JSON object of benchmarks, each an object of measures with a value
| go-test2json             JSON lines with Action, Package and Output
| catch2                   XML with <Catch> or <Catch2TestRun> and <BenchmarkResults>
| gnu-time                 lines "Command being timed: ..." and "Elapsed (wall clock) time" of time -v
| perf-stat                "Performance counter stats for", or the lines of perf stat -x, or -j
| google-benchmark-text    a table with the columns Benchmark, Time, CPU and Iterations
| go                       lines such as "BenchmarkX-8  1000  325 ns/op"
| libtest                  lines such as "test NAME ... bench:  1,234 ns/iter (+/- 56)"
| tacho-samples            CSV whose header has benchmark and value, or JSON lines with these members
$ project/try 'tacho import -o out "$here/../cases/corpus/import/hyperfine.json" | sed "s/[0-9]\{8\}-[0-9]*-[0-9a-f]*$/ID/"'
| sleep 0.1: 3 runs, out/sleep_0.1-95fe334b/ID
| sort threads=4: 1 run, out/sort_threads_4-48f2fcc7/ID
$ project/try 'printf "BenchmarkA-8 100 12.5 ns/op\nBenchmarkA-8 100 13.5 ns/op\n" | tacho import - | sed "s/[0-9]\{8\}-[0-9]*-[0-9a-f]*$/ID/"'
| A-8: 1 run, tacho-out/A-8/ID

# Names that differ only in characters that a folder cannot have get different folders.
$ project/try 'printf "BenchmarkA/8 1 2 ns/op\nBenchmarkA:8 1 2 ns/op\n" | tacho import - | sed "s/[0-9]\{8\}-[0-9]*-[0-9a-f]*$/ID/"'
| A/8: 1 run, tacho-out/A_8-2ec365fd/ID
| A:8: 1 run, tacho-out/A_8-d884d8ef/ID

# Only the good benchmarks of a file are imported.
$ project/try 'printf "{\"context\":{},\"benchmarks\":[{\"name\":\"good\",\"run_type\":\"iteration\",\"real_time\":5,\"cpu_time\":NaN,\"time_unit\":\"ns\"},\n{\"name\":\"bad\",\"run_type\":\"iteration\",\"error_occurred\":true,\"error_message\":\"no input\",\"real_time\":0,\"time_unit\":\"ns\"}]}" >gb.json; tacho import gb.json | sed "s/[0-9]\{8\}-[0-9]*-[0-9a-f]*$/ID/"; tacho import gb.json >/dev/null 2>&1; echo $?; tacho import --keep-going gb.json >/dev/null 2>&1; echo $?'
| good: 1 run, tacho-out/good/ID
| 1
| 0
! tacho: gb.json:2: 'bad' failed: no input

# XML: entities are not expanded, and what comes before the end of a truncated file is imported.
$ project/try 'printf "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b \"c\">]><Catch><BenchmarkResults name=\"&b;\"/></Catch>" >bomb.xml; head -n 8 "$here/../cases/corpus/import/catch2.xml" >cut.xml; tacho import bomb.xml cut.xml | sed "s/[0-9]\{8\}-[0-9]*-[0-9a-f]*$/ID/"'
| Sort/1 < 2/sort 8: 1 run, tacho-out/Sort_1___2_sort_8-86ff6cdd/ID
! tacho: bomb.xml: line 1: a document with a DOCTYPE is refused
! tacho: cut.xml: line 9: the XML is truncated or not valid: no element found

# Input that is not a result.
$ tacho import
! tacho: give a file, a folder, or - for standard input
! see 'tacho import --help'
[64]
$ tacho import nowhere.json
! tacho: cannot import 'nowhere.json': cannot open it: No such file or directory
[1]
$ tacho import --format nothing ../cases/corpus/import/go.txt
! tacho: cannot import '../cases/corpus/import/go.txt': 'nothing' is not a format; see 'tacho import --list'
[1]
$ tacho import --better speed=more ../cases/corpus/import/go.txt
! tacho: option '--better' needs NAME=higher or NAME=lower, not 'speed=more'
! see 'tacho import --help'
[64]
$ project/try ': >empty; echo hello >text; head -c 100 "$here/../cases/corpus/import/hyperfine.json" >cut.json; mkdir none; tacho import empty text cut.json none; echo $?'
| 1
! tacho: cannot import 'empty': the file is empty
! tacho: cannot import 'text': the format is not known; 'tacho import --list' shows how formats are recognised
! tacho: cannot import 'cut.json': line 5: the JSON is truncated or not valid: expected ':', found the end of the text
! tacho: cannot import 'none': there is no file of a known format in the folder

# What report writes for other tools is read back with the same values.
$ project/try 'printf "benchmark,metric,unit,run,value\nsort,wall,s,1,0.25\nsort,memory,B,1,4096\nsort,wall,s,2,0.5\nsort,memory,B,2,8192\n" >own.csv; tacho import -o own own.csv >/dev/null; for f in hyperfine bmf github-action-benchmark; do tacho report -f "$f" own/sort/latest >"$f.json"; cat "$f.json"; tacho import -o "back-$f" "$f.json" | sed "s/, .*//"; done; tacho report --json back-hyperfine/sort/latest | jq -c "[.samples[] | [.wall_ns, .max_rss_bytes]], .imported.format"; tacho report --json back-bmf/sort/latest | jq -c ".samples[].wall_ns, .imported.format"; tacho report --json back-github-action-benchmark/sort/latest | jq -c "(.samples | map(.metrics.ns += 0)), .imported.format"'
| {"results":[{"command":"sort","mean":0.375,"stddev":0.1767766952966369,"median":0.375,"user":null,"system":null,"min":0.25,"max":0.5,"times":[0.25,0.5],"memory_usage_byte":[4096.0,8192.0],"exit_codes":[0,0]}]}
| sort: 2 runs
| {"sort":{"latency":{"value":375000000.0},"memory":{"value":6144.0}}}
| sort: 1 run
| [{"name":"sort","unit":"ns","value":375000000.0},{"name":"sort: peak memory","unit":"B","value":6144.0}]
| sort: 1 run
| sort: peak memory: 1 run
| [[250000000,4096],[500000000,8192]]
| "hyperfine"
| 375000000
| "bmf"
| [{"run":1,"pair":1,"start_ns":0,"exit_status":0,"metrics":{"ns":375000000}}]
| "custom-json"

# Two files are compared benchmark by benchmark, from worst to best. What is new or missing is listed.
$ project/try 'for i in 1 2 3 4 5 6; do echo "BenchmarkA 1 10$i ns/op"; echo "BenchmarkB 1 10$i ns/op"; echo "BenchmarkC 1 5 ns/op"; done >old; for i in 1 2 3 4 5 6; do echo "BenchmarkA 1 10$i ns/op"; echo "BenchmarkB 1 30$i ns/op"; echo "BenchmarkD 1 5 ns/op"; done >new; tacho compare old new | sed -n "/^bench/,\$p"; tacho compare -f csv --changed old new | cut -d, -f 1-7,15; tacho compare --filter A -f csv old new | cut -d, -f 1,15; tacho compare -t 5% old new >/dev/null; echo $?'
| bench  metric            A         B    change  95 % interval         less        0        more  B > A
| B      wall time  103.5 ns  303.5 ns  +193.2 %  +144.9 % .. +251.1 %              │           ●   1.00  slower
| A      wall time  103.5 ns  103.5 ns     0.0 %  -22.4 % .. +28.9 %            ────●────           0.50  no change seen
| 
| 2 benchmarks in both sets; 1 of 2 rows changed
|   wall time, geometric mean of 2 benchmarks: +71.2 % [+37.8 % .. +112.8 %]
| only in A: C
| only in B: D
| bench,metric,a_runs,a_median,b_runs,b_median,ratio,verdict
| B,wall,6,103.5,6,303.5,2.9323655531187196,slower
| bench,verdict
| A,no change seen
| 0
$ tacho compare --changed nowhere/a nowhere/b
! tacho: --filter and --changed need two sets: files of other tools, or folders with many runs
! see 'tacho compare --help'
[64]
