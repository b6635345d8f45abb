# The help.
$ tacho report --help
| tacho report - write HTML, Markdown, JSON, CSV or other reports of run folders
| 
| Usage: tacho report [--format FORMAT] [--output FILE] RUN...
| 
| Makes a report from the files of a run folder. The HTML or Markdown report of
| one run is written to its folder, every other report to standard output, unless
| --output is given. Several runs are shown side by side.
| 
| hyperfine, bmf (Bencher Metric Format) and github-action-benchmark are files
| that other tools and dashboards read. hyperfine has the times, memory and exit
| codes of every run. bmf has the median of each metric with its interval.
| github-action-benchmark (customSmallerIsBetter) has the medians of the metrics
| of which less is better; its format has no room for the others.
| 
| For HTML and Markdown, a run that was killed is completed first: run.json is
| written from samples.jsonl, unless the folder belongs to another user. The other
| formats write nothing to the folder. For a run in progress, give --output; the
| report shows the runs so far.
| 
| Arguments:
|   RUN  a run folder, its run.json, or OUT/NAME for the latest run
| 
| Options:
|   -f, --format FORMAT  write html (default), md, json, csv, junit, prometheus,
|                        hyperfine, bmf or github-action-benchmark
|   -o, --output FILE    write to FILE (-: standard output; default: html and md
|                        of one run to its folder, everything else to standard
|                        output)
|       --raw            csv: write names unchanged, even if a spreadsheet takes
|                        them for formulas
|       --json           print the result as JSON
|   -q, --quiet          show no progress and only essential output
|       --color WHEN     use colours: auto (on a terminal), always or never
|       --width N        fit tables into N columns
|   -h, --help           show this help
| 
| Examples:
|   tacho report tacho-out/prog/latest
|       Write report.html again.
|   tacho report -o both.html tacho-out/old/latest tacho-out/new/latest
|       Show two runs side by side.
|   tacho report -f csv tacho-out/prog/latest > samples.csv
|       Write every sample, for a spreadsheet.
|   tacho report -f bmf tacho-out/prog/latest > results.json
|       Write a file for Bencher's dashboard.
| 
| Exit status:
|   0   success
|   1   the command could not do its work
|   64  wrong usage

# One run: Markdown, CSV, JUnit.
$ tacho report -f md -o - compare/a
| ## a
| 
| `./prog a`  
| 12 runs, 2026-01-01T00:00:00Z, complete
| 
| | | median | interval of the median | min | max |
| | --- | ---: | ---: | ---: | ---: |
| | wall time | 20.18 ms | 20.04 ms … 20.32 ms | 20.00 ms | 20.38 ms |
| | user CPU | 20.18 ms | 20.04 ms … 20.32 ms | 20.00 ms | 20.38 ms |
| | system CPU | 0 ns | 0 ns … 0 ns | 0 ns | 0 ns |
| | peak memory | 8.004 MiB | 8.000 MiB … 8.008 MiB | 8.000 MiB | 8.008 MiB |
| | major page faults | 0 | 0 … 0 | 0 | 0 |
| | tps | 49.55 | 49.20 … 49.91 | 49.07 | 50 |
| | items/s | 4955 | 4921 … 4991 | 4907 | 5000 |
| 

$ tacho report -f csv compare/a
| name,run,pair,start_ns,exit_status,wall_ns,user_ns,system_ns,max_rss_bytes,minor_faults,major_faults,voluntary_switches,involuntary_switches,block_reads,block_writes,cycles,instructions,branches,branch_misses,cache_references,cache_misses,tree_rss_bytes,energy_j,server_cpu_ns,server_rss_bytes,server_energy_j,energy_status,energy_source,energy_domain,tps
| a,1,1,1,0,20000000,19999000,0,8388608,,0,,,,,,,,,,,,,,,,,,,50
| a,2,2,1,0,20379000,20378000,0,8392704,,0,,,,,,,,,,,,,,,,,,,49.07
| a,3,3,1,0,20351000,20350000,0,8396800,,0,,,,,,,,,,,,,,,,,,,49.138
| a,4,4,1,0,20323000,20322000,0,8388608,,0,,,,,,,,,,,,,,,,,,,49.205
| a,5,5,1,0,20295000,20294000,0,8392704,,0,,,,,,,,,,,,,,,,,,,49.273
| a,6,6,1,0,20222000,20221000,0,8396800,,0,,,,,,,,,,,,,,,,,,,49.451
| a,7,7,1,0,20194000,20193000,0,8388608,,0,,,,,,,,,,,,,,,,,,,49.52
| a,8,8,1,0,20166000,20165000,0,8392704,,0,,,,,,,,,,,,,,,,,,,49.588
| a,9,9,1,0,20138000,20137000,0,8396800,,0,,,,,,,,,,,,,,,,,,,49.657
| a,10,10,1,0,20110000,20109000,0,8388608,,0,,,,,,,,,,,,,,,,,,,49.727
| a,11,11,1,0,20037000,20036000,0,8392704,,0,,,,,,,,,,,,,,,,,,,49.908
| a,12,12,1,0,20009000,20008000,0,8396800,,0,,,,,,,,,,,,,,,,,,,49.978

$ tacho report -f junit compare/a
| <?xml version="1.0" encoding="UTF-8"?>
| <testsuite name="tacho run" tests="1" failures="0">
|   <testcase classname="tacho.run" name="a" time="0.020180000">
|     <system-out>wall time: 20.18 ms
| user CPU: 20.18 ms
| system CPU: 0 ns
| peak memory: 8.004 MiB
| major page faults: 0
| tps: 49.55
| throughput: 4955
| </system-out>
|   </testcase>
| </testsuite>

# Two interleaved runs are compared in pairs. A run of another day is compared without pairs.
$ tacho report -f md -o - compare/a compare/b
| ## a
| 
| `./prog a`  
| 12 runs, 2026-01-01T00:00:00Z, complete
| 
| | | median | interval of the median | min | max |
| | --- | ---: | ---: | ---: | ---: |
| | wall time | 20.18 ms | 20.04 ms … 20.32 ms | 20.00 ms | 20.38 ms |
| | user CPU | 20.18 ms | 20.04 ms … 20.32 ms | 20.00 ms | 20.38 ms |
| | system CPU | 0 ns | 0 ns … 0 ns | 0 ns | 0 ns |
| | peak memory | 8.004 MiB | 8.000 MiB … 8.008 MiB | 8.000 MiB | 8.008 MiB |
| | major page faults | 0 | 0 … 0 | 0 | 0 |
| | tps | 49.55 | 49.20 … 49.91 | 49.07 | 50 |
| | items/s | 4955 | 4921 … 4991 | 4907 | 5000 |
| 
| ## b
| 
| `./prog b`  
| 12 runs, 2026-01-01T00:00:00Z, complete
| 
| | | median | interval of the median | min | max |
| | --- | ---: | ---: | ---: | ---: |
| | wall time | 23.20 ms | 23.04 ms … 23.37 ms | 23.00 ms | 23.43 ms |
| | user CPU | 23.20 ms | 23.04 ms … 23.37 ms | 23.00 ms | 23.43 ms |
| | system CPU | 0 ns | 0 ns … 0 ns | 0 ns | 0 ns |
| | peak memory | 8.004 MiB | 8.000 MiB … 8.008 MiB | 8.000 MiB | 8.008 MiB |
| | major page faults | 0 | 0 … 0 | 0 | 0 |
| | tps | 43.09 | 42.80 … 43.40 | 42.67 | 43.48 |
| | items/s | 4309 | 4279 … 4340 | 4267 | 4348 |
| 
| Fastest: a.
| 
| a is 1.1499 times as fast as b (1.1498 to 1.1500).
| 

$ project/try 'mkdir old; cp "$here/../kit/run/golden/run.v1.json" old/run.json; tacho report -f md "$here/compare/a/run.json" "$here/compare/b" old'
| ## a
| 
| `./prog a`  
| 12 runs, 2026-01-01T00:00:00Z, complete
| 
| | | median | interval of the median | min | max |
| | --- | ---: | ---: | ---: | ---: |
| | wall time | 20.18 ms | 20.04 ms … 20.32 ms | 20.00 ms | 20.38 ms |
| | user CPU | 20.18 ms | 20.04 ms … 20.32 ms | 20.00 ms | 20.38 ms |
| | system CPU | 0 ns | 0 ns … 0 ns | 0 ns | 0 ns |
| | peak memory | 8.004 MiB | 8.000 MiB … 8.008 MiB | 8.000 MiB | 8.008 MiB |
| | major page faults | 0 | 0 … 0 | 0 | 0 |
| | tps | 49.55 | 49.20 … 49.91 | 49.07 | 50 |
| | items/s | 4955 | 4921 … 4991 | 4907 | 5000 |
| 
| ## b
| 
| `./prog b`  
| 12 runs, 2026-01-01T00:00:00Z, complete
| 
| | | median | interval of the median | min | max |
| | --- | ---: | ---: | ---: | ---: |
| | wall time | 23.20 ms | 23.04 ms … 23.37 ms | 23.00 ms | 23.43 ms |
| | user CPU | 23.20 ms | 23.04 ms … 23.37 ms | 23.00 ms | 23.43 ms |
| | system CPU | 0 ns | 0 ns … 0 ns | 0 ns | 0 ns |
| | peak memory | 8.004 MiB | 8.000 MiB … 8.008 MiB | 8.000 MiB | 8.008 MiB |
| | major page faults | 0 | 0 … 0 | 0 | 0 |
| | tps | 43.09 | 42.80 … 43.40 | 42.67 | 43.48 |
| | items/s | 4309 | 4279 … 4340 | 4267 | 4348 |
| 
| ## golden
| 
| `sh -c 'echo 1.5 2; sleep 0.02'`  
| 12 runs, 2026-11-15T21:18:33Z, complete
| 
| | | median | interval of the median | min | max |
| | --- | ---: | ---: | ---: | ---: |
| | wall time | 40.16 ms | 23.82 ms … 43.88 ms | 22.15 ms | 55.74 ms |
| | user CPU | 2.118 ms | 2.003 ms … 2.189 ms | 1.076 ms | 2.361 ms |
| | system CPU | 0 ns | 0 ns … 0 ns | 0 ns | 1.153 ms |
| | peak memory | 1.633 MiB | 1.590 MiB … 1.637 MiB | 1.527 MiB | 1.738 MiB |
| | minor page faults | 141 | 140 … 142 | 139 | 145 |
| | major page faults | 0 | 0 … 0 | 0 | 0 |
| | waits (context switches) | 5 | 5 … 5 | 5 | 5 |
| | preemptions | 1.500 | 1 … 3 | 0 | 6 |
| | blocks read | 0 | 0 … 0 | 0 | 0 |
| | blocks written | 8 | 8 … 8 | 8 | 8 |
| | peak memory of the tree, seen in 11 of 12 runs | 3.434 MiB | 3.348 MiB … 3.449 MiB | 1.855 MiB | 3.484 MiB |
| | energy | 0.4024 J | 0.2387 J … 0.4397 J | 0.2220 J | 0.5581 J |
| | n | 2 | 2 … 2 | 2 | 2 |
| | each | 1.750 | 1.750 … 1.750 | 1.500 | 2 |
| | x/s | 74.71 | 68.37 … 126.0 | 53.82 | 135.5 |
| 
| Memory and power were polled 11 times. A poll took 1.484 ms of CPU time on average; all polls took 3.68 % of the runs' time.
| 
| Fastest: a.
| 
| a is 1.1499 times as fast as b (1.1498 to 1.1500).
| 
| a is 1.99 times as fast as golden (1.01 to 3.93).
| 

$ tacho report -f csv compare/a compare/b | cut -d, -f1,2,3,6,27
| name,run,pair,wall_ns,energy_status
| a,1,1,20000000,
| a,2,2,20379000,
| a,3,3,20351000,
| a,4,4,20323000,
| a,5,5,20295000,
| a,6,6,20222000,
| a,7,7,20194000,
| a,8,8,20166000,
| a,9,9,20138000,
| a,10,10,20110000,
| a,11,11,20037000,
| a,12,12,20009000,
| b,1,1,23000000,
| b,2,2,23434500,
| b,3,3,23400950,
| b,4,4,23367400,
| b,5,5,23333850,
| b,6,6,23255300,
| b,7,7,23221750,
| b,8,8,23188200,
| b,9,9,23154650,
| b,10,10,23121100,
| b,11,11,23042550,
| b,12,12,23009000,

$ project/try 'mkdir old; cp "$here/../kit/run/golden/run.v1.json" old/run.json; tacho report -f junit "$here/compare/a" old "$here/compare/b"'
| <?xml version="1.0" encoding="UTF-8"?>
| <testsuite name="tacho run" tests="3" failures="0">
|   <testcase classname="tacho.run" name="a" time="0.020180000">
|     <system-out>wall time: 20.18 ms
| user CPU: 20.18 ms
| system CPU: 0 ns
| peak memory: 8.004 MiB
| major page faults: 0
| tps: 49.55
| throughput: 4955
| </system-out>
|   </testcase>
|   <testcase classname="tacho.run" name="golden" time="0.040156033">
|     <system-out>wall time: 40.16 ms
| user CPU: 2.118 ms
| system CPU: 0 ns
| peak memory: 1.633 MiB
| minor page faults: 141
| major page faults: 0
| waits (context switches): 5
| preemptions: 1.500
| blocks read: 0
| blocks written: 8
| peak memory of the tree, seen in 11 of 12 runs: 3.434 MiB
| energy: 0.4024 J
| n: 2
| each: 1.750
| throughput: 74.71
| </system-out>
|   </testcase>
|   <testcase classname="tacho.run" name="b" time="0.023204975">
|     <system-out>wall time: 23.20 ms
| user CPU: 23.20 ms
| system CPU: 0 ns
| peak memory: 8.004 MiB
| major page faults: 0
| tps: 43.09
| throughput: 4309
| </system-out>
|   </testcase>
| </testsuite>

$ tacho report -f prometheus compare/a compare/b | grep -e '^#' -e median
| # HELP tacho_run_wall_seconds wall time of a run
| # TYPE tacho_run_wall_seconds gauge
| tacho_run_wall_seconds{name="a",stat="median"} 0.02018
| tacho_run_wall_seconds{name="b",stat="median"} 0.023204975
| # HELP tacho_run_user_seconds user CPU of a run
| # TYPE tacho_run_user_seconds gauge
| tacho_run_user_seconds{name="a",stat="median"} 0.020179
| tacho_run_user_seconds{name="b",stat="median"} 0.023203975
| # HELP tacho_run_system_seconds system CPU of a run
| # TYPE tacho_run_system_seconds gauge
| tacho_run_system_seconds{name="a",stat="median"} 0
| tacho_run_system_seconds{name="b",stat="median"} 0
| # HELP tacho_run_max_rss_bytes peak memory of a run
| # TYPE tacho_run_max_rss_bytes gauge
| tacho_run_max_rss_bytes{name="a",stat="median"} 8392704
| tacho_run_max_rss_bytes{name="b",stat="median"} 8392704
| # HELP tacho_run_major_faults major page faults of a run
| # TYPE tacho_run_major_faults gauge
| tacho_run_major_faults{name="a",stat="median"} 0
| tacho_run_major_faults{name="b",stat="median"} 0
| # HELP tacho_metric_tps user metric of a run
| # TYPE tacho_metric_tps gauge
| tacho_metric_tps{name="a",stat="median"} 49.554
| tacho_metric_tps{name="b",stat="median"} 43.094
| # HELP tacho_run_throughput throughput of a run
| # TYPE tacho_run_throughput gauge
| tacho_run_throughput{name="a",stat="median",unit="items"} 4955.403772536614
| tacho_run_throughput{name="b",stat="median",unit="items"} 4309.422968964122
| # HELP tacho_run_start_time_seconds when the run began, since 1970
| # TYPE tacho_run_start_time_seconds gauge

# --json copies the receipts.
$ tacho report --json compare/a | cmp - compare/a/run.json

$ tacho report -f json compare/a compare/b | head -n 2 | grep -o -e '"name":"[ab]"' -e '"id":"[^"]*"'
| "name":"a"
| "id":"20260101-000000-a"
| "name":"b"
| "id":"20260101-000000-b"

# With several runs, the comparison follows.
$ tacho report -f json compare/b compare/a | tail -n 1
| {"schema":"tacho.comparison.v1","group":"20260101-000000-aaaaaa","paired":true,"fastest":"a","runs":[{"name":"b","id":"20260101-000000-b","command":"./prog b","runs":12,"median_wall_ns":23204975.0,"result":"slower","times_fastest":{"estimate":1.1498870655906372,"low":1.1498162920287183,"high":1.149952319377005,"level":0.95,"p":0.00048828125}},{"name":"a","id":"20260101-000000-a","command":"./prog a","runs":12,"median_wall_ns":20180000.0,"result":"fastest","times_fastest":{"estimate":1.0,"low":null,"high":null,"level":null,"p":null}}]}

# HTML is written into the folder or to --output, and loads nothing from the network.
$ project/try 'cp -r "$here/compare" . && tacho report compare/a && tacho report -o both.html compare/a compare/b && ! grep -l -e "src=.http" -e "href=.http" compare/a/report.html both.html'
| compare/a/report.html

# Errors.
$ tacho report
! tacho: RUN is missing
! see 'tacho report --help'
[64]

$ tacho report nowhere
! tacho: cannot read the run 'nowhere': cannot open 'nowhere/run.json': No such file or directory
[1]

$ tacho report compare/a nowhere
! tacho: cannot read the run 'nowhere': cannot open 'nowhere/run.json': No such file or directory
[1]

$ tacho report compare
! tacho: cannot read the run 'compare': 'compare' is not a run folder: it has no run.json
[1]

$ tacho report -f pdf compare/a
! tacho: --format cannot be 'pdf'; choose html, md, json, csv, junit, prometheus, hyperfine, bmf or github-action-benchmark
! see 'tacho report --help'
[64]

$ tacho report -f md --raw compare/a
! tacho: --raw needs --format csv
! see 'tacho report --help'
[64]
$ tacho report --json -f csv compare/a
! tacho: --json cannot be combined with another --format; remove one of them
! see 'tacho report --help'
[64]

$ tacho report -f md -o nowhere/x.md compare/a compare/b
! tacho: cannot write 'nowhere/x.md': cannot open the folder of 'nowhere/x.md': No such file or directory
[1]

$ project/try 'mkdir bad; echo "{}" >bad/run.json; tacho report bad; echo "{\"schema\":\"tacho.run.v9\"}" >bad/run.json; tacho report bad; echo nothing >bad/run.json; tacho report bad'
! tacho: cannot read the run 'bad': its schema is '', not tacho.run.v1
! tacho: cannot read the run 'bad': its schema is 'tacho.run.v9', not tacho.run.v1
! tacho: cannot read the run 'bad': line 1, column 1: expected a value, found 'n'
[1]
