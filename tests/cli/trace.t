# Traces: summaries, checks, and what is said when it cannot be done.
$ tacho trace summary trace/full.json
| Chrome JSON (object), 1.191 KiB, 20.00 us: 5 spans, 1 that never ended, 2 counters, 1 instants, 2 flows, 2 async
| 1 spans partly overlap others on their track; 'tacho trace validate' shows where
| 
| server "x" / main   bbcccccccccbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
| server "x" / tid 9                     dddddddddaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
|                     0                                                                       20.00 us
|                     a ov  b outer  c inner  d consume
| 
| name     count     total      self      mean       p50       p95       p99       max
| outer        1  10.00 us  7.750 us  10.00 us  10.00 us  10.00 us  10.00 us  10.00 us
| ov           1  10.00 us  10.00 us  10.00 us  10.00 us  10.00 us  10.00 us  10.00 us
| req          1  8.000 us  8.000 us  8.000 us  8.000 us  8.000 us  8.000 us  8.000 us
| consume      1  5.000 us  2.000 us  5.000 us  5.000 us  5.000 us  5.000 us  5.000 us
| inner        1  2.250 us  2.250 us  2.250 us  2.250 us  2.250 us  2.250 us  2.250 us
| 
| track               spans    busy  longest stretches     longest gaps
| server "x" / main       2  50.0 %  10.00 us at 0 ns      10.00 us at 10.00 us
| server "x" / tid 9      2  60.0 %  12.00 us at 5.000 us  -
$ tacho trace summary --by track --top 1 trace/full.json
| Chrome JSON (object), 1.191 KiB, 20.00 us: 4 spans, 1 that never ended, 2 counters, 1 instants, 2 flows, 2 async
| 1 spans partly overlap others on their track; 'tacho trace validate' shows where
| 
| server "x" / main   bbcccccccccbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
| server "x" / tid 9                     dddddddddaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
|                     0                                                                       20.00 us
|                     a ov  b outer  c inner  d consume
| 
| track               count     total      self      mean       p50       p95       p99       max
| server "x" / tid 9      2  12.00 us  12.00 us  7.500 us  5.000 us  10.00 us  10.00 us  10.00 us
| ... and 1 more; --top 2 shows all
| 
| track               spans    busy  longest stretches     longest gaps
| server "x" / main       2  50.0 %  10.00 us at 0 ns      10.00 us at 10.00 us
| server "x" / tid 9      2  60.0 %  12.00 us at 5.000 us  -
$ tacho trace summary --json trace/full.json
| {"schema":"tacho.trace.summary.v1","file":"trace/full.json","format":"Chrome JSON (object)","bytes":1220,"events":13,"spans":5,"unfinished":1,"ends_without_begin":0,"overlaps":1,"counters":2,"instants":1,"flows":2,"async":2,"ignored":0,"bad":0,"dropped":0,"mismatched":0,"truncated":false,"sorted_by_reader":false,"first_ns":10000,"last_ns":30000,"by":"name","rows":[{"name":"outer","count":1,"mismatched":0,"total_ns":10000,"self_ns":7750,"mean_ns":10000.0,"min_ns":10000,"p50_ns":10000,"p95_ns":10000,"p99_ns":10000,"max_ns":10000,"max_ts_ns":10000},{"name":"ov","count":1,"mismatched":0,"total_ns":10000,"self_ns":10000,"mean_ns":10000.0,"min_ns":10000,"p50_ns":10000,"p95_ns":10000,"p99_ns":10000,"max_ns":10000,"max_ts_ns":17000},{"name":"req","count":1,"mismatched":0,"total_ns":8000,"self_ns":8000,"mean_ns":8000.0,"min_ns":8000,"p50_ns":8000,"p95_ns":8000,"p99_ns":8000,"max_ns":8000,"max_ts_ns":11000},{"name":"consume","count":1,"mismatched":0,"total_ns":5000,"self_ns":2000,"mean_ns":5000.0,"min_ns":5000,"p50_ns":5000,"p95_ns":5000,"p99_ns":5000,"max_ns":5000,"max_ts_ns":15000},{"name":"inner","count":1,"mismatched":0,"total_ns":2250,"self_ns":2250,"mean_ns":2250.0,"min_ns":2250,"p50_ns":2250,"p95_ns":2250,"p99_ns":2250,"max_ns":2250,"max_ts_ns":10500}],"rows_left_out":0,"tracks":[{"track":"server \"x\" / main","pid":7,"tid":8,"spans":2,"first_ns":10000,"last_ns":30000,"busy_ns":10000,"longest_busy_periods":[{"ts_ns":10000,"dur_ns":10000}],"longest_gaps":[{"ts_ns":20000,"dur_ns":10000}]},{"track":"server \"x\" / tid 9","pid":7,"tid":9,"spans":2,"first_ns":15000,"last_ns":27000,"busy_ns":12000,"longest_busy_periods":[{"ts_ns":15000,"dur_ns":12000}],"longest_gaps":[]}]}
$ tacho trace summary --by track trace/threads.json
| Chrome JSON (array), 553 B, 8.000 us: 4 spans
| 
| sp / sp (1)  aaaaaaaaaaaaaaaaaaaaaadddddddddddaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
| sp / sp (2)            bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
| sp / io                                      ccccccccccccccccccccccc
|              0                                                                              8.000 us
|              a outer  b other  c wait  d inner
| 
| track        count     total      self      mean       p50       p95       p99       max
| sp / sp (1)      2  8.000 us  8.000 us  4.500 us  1.000 us  8.000 us  8.000 us  8.000 us
| sp / sp (2)      1  4.000 us  4.000 us  4.000 us  4.000 us  4.000 us  4.000 us  4.000 us
| sp / io          1  2.000 us  2.000 us  2.000 us  2.000 us  2.000 us  2.000 us  2.000 us
| 
| track        spans     busy  longest stretches     longest gaps
| sp / sp (1)      2  100.0 %  8.000 us at 0 ns      -
| sp / sp (2)      1   50.0 %  4.000 us at 1.000 us  -
| sp / io          1   25.0 %  2.000 us at 3.000 us  -
$ project/try 'cp -r "$here/trace" .; tacho trace summary trace/disordered.json | head -1'
| Chrome JSON (array), 553 B, 5.000 us: 4 spans; sorted first, because its events are not in order of time
$ tacho trace summary trace/cut.json
| Chrome JSON (array), 118 B, 22.00 us: 2 spans
| 1 spans partly overlap others on their track; 'tacho trace validate' shows where
| 
| pid 1 / tid 1  bbbbbbbbaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
|                0                                                                            22.00 us
|                a inner  b outer
| 
| name   count     total      self      mean       p50       p95       p99       max
| inner      1  20.00 us  20.00 us  20.00 us  20.00 us  20.00 us  20.00 us  20.00 us
| outer      1  12.00 us  2.000 us  12.00 us  12.00 us  12.00 us  12.00 us  12.00 us
| 
| track          spans     busy  longest stretches  longest gaps
| pid 1 / tid 1      2  100.0 %  22.00 us at 0 ns   -
! tacho: warning: 'trace/cut.json' is damaged at byte 118 and was read up to there: expected a value, found the end of the text
$ tacho trace summary --fail-on-warn --quiet trace/cut.json >/dev/null
! tacho: warning: 'trace/cut.json' is damaged at byte 118 and was read up to there: expected a value, found the end of the text
[3]
$ tacho trace info trace/full.json
| format        Chrome JSON (object)
| size          1.191 KiB
| length        20.00 us
| processes     1
| tracks        2
| spans         3 whole, 2 begins, 1 ends
| other events  1 instants, 2 counters, 2 flows, 2 async
$ tacho trace info --json trace/full.json
| {"schema":"tacho.trace.file.v1","file":"trace/full.json","format":"Chrome JSON (object)","bytes":1220,"first_ns":10000,"duration_ns":20000,"processes":1,"tracks":2,"texts":18,"events":13,"complete_spans":3,"begins":2,"ends":1,"instants":1,"counters":2,"flows":2,"async":2,"ignored":0,"bad":0,"dropped":0,"mismatched":0,"truncated":false}
$ tacho trace validate trace/full.json
| lost  1  overlap     spans that partly overlap another one are dropped; at byte 1091: 'ov' at 17.000 us (--fix repairs it)
| note  1  unfinished  spans without an end are shown as unfinished; at byte 1158: 'open' at 30.000 us
| trace/full.json: 12 events, a viewer would lose something
[2]
$ tacho trace validate --json trace/cut.json
| {"schema":"tacho.trace.validate.v1","file":"trace/cut.json","format":"Chrome JSON (array)","events":2,"lossy":true,"findings":[{"kind":"unsound","description":"invalid from here on; --fix keeps the part before","lost":true,"fixable":false,"count":1,"offsets":[118],"example":"line 2: expected a value, found the end of the text"},{"kind":"overlap","description":"spans that partly overlap another one are dropped","lost":true,"fixable":true,"count":1,"offsets":[60],"example":"'inner' at 2.000 us"}]}
[2]
$ tacho trace compare trace/full.json trace/cut.json
| A: trace/full.json, 5 spans
| B: trace/cut.json, 2 spans
| 
| name     count A   total A  count B   total B  duration B/A, 95 %  verdict
| inner          1  2.250 us        1  20.00 us  8.889               too few
| ov             1  10.00 us        0         -                      gone
| req            1  8.000 us        0         -                      gone
| consume        1  5.000 us        0         -                      gone
| outer          1  10.00 us        1  12.00 us  1.200               too few
! tacho: warning: 'trace/cut.json' is damaged at byte 118 and was read up to there: expected a value, found the end of the text
$ tacho trace compare --json trace/full.json trace/cut.json
| {"schema":"tacho.trace.compare.v1","a":"trace/full.json","b":"trace/cut.json","confidence":0.95,"rows":[{"name":"inner","a":{"count":1,"total_ns":2250},"b":{"count":1,"total_ns":20000},"ratio":8.88888888888888,"ratio_low":null,"ratio_high":null,"verdict":"too few"},{"name":"ov","a":{"count":1,"total_ns":10000},"b":{"count":0,"total_ns":0},"ratio":null,"ratio_low":null,"ratio_high":null,"verdict":"gone"},{"name":"req","a":{"count":1,"total_ns":8000},"b":{"count":0,"total_ns":0},"ratio":null,"ratio_low":null,"ratio_high":null,"verdict":"gone"},{"name":"consume","a":{"count":1,"total_ns":5000},"b":{"count":0,"total_ns":0},"ratio":null,"ratio_low":null,"ratio_high":null,"verdict":"gone"},{"name":"outer","a":{"count":1,"total_ns":10000},"b":{"count":1,"total_ns":12000},"ratio":1.1999999999999982,"ratio_low":null,"ratio_high":null,"verdict":"too few"}],"rows_left_out":0}
! tacho: warning: 'trace/cut.json' is damaged at byte 118 and was read up to there: expected a value, found the end of the text
$ tacho trace convert trace/full.json -o /dev/stdout
! tacho: cannot convert 'trace/full.json' to '/dev/stdout': its name must end in .json, .json.gz, .pftrace, .tacho, .csv or .folded
[1]
$ tacho trace summary missing.json
! tacho: cannot summarise 'missing.json': cannot open 'missing.json': No such file or directory
[1]
$ tacho trace summary trace.t
! tacho: cannot summarise 'trace.t': it is not a recording, Chrome JSON, Perfetto trace, CSV of spans, folded stacks or text of babeltrace2
[1]
$ tacho trace summary --top 0 trace/full.json
! tacho: --top needs a number of rows, not '0'
! see 'tacho trace summary --help'
[64]
$ tacho trace slice trace/full.json --from 5 -o x.json
! tacho: --from needs a time such as 1.5s or 250ms, not '5'
! see 'tacho trace slice --help'
[64]
$ tacho trace slice trace/full.json --from 2ms --to 1ms -o x.json
! tacho: --from must be before --to
! see 'tacho trace slice --help'
[64]
$ tacho trace convert trace/full.json
! tacho: -o OUT is missing; name the file to write
! see 'tacho trace convert --help'
[64]
$ tacho trace convert trace/full.json -o x.txt
! tacho: cannot convert 'trace/full.json' to 'x.txt': its name must end in .json, .json.gz, .pftrace, .tacho, .csv or .folded
[1]
$ tacho trace merge trace/full.json trace/cut.json -o x.json
! tacho: cannot merge into 'x.json': 'trace/cut.json' does not name its clock; align by an event that all traces have (--align), or use --same-clock
[1]
$ tacho trace merge --same-clock trace/full.json /dev/null -o x.json
! tacho: cannot merge into 'x.json': '/dev/null': it is empty
[1]
$ tacho trace compare trace/full.json /dev/null
! tacho: cannot compare 'trace/full.json' and '/dev/null': '/dev/null': it is empty
[1]
$ tacho trace merge trace/full.json -o x.json
! tacho: name at least two traces to merge
! see 'tacho trace merge --help'
[64]
$ tacho trace validate --fix trace/full.json
! tacho: --fix needs -o OUT, the file to write
! see 'tacho trace validate --help'
[64]
$ tacho trace convert -o odd.xyz trace/full.json
! tacho: cannot convert 'trace/full.json' to 'odd.xyz': its name must end in .json, .json.gz, .pftrace, .tacho, .csv or .folded
[1]
$ project/try 'cp -r "$here/trace" .; tacho trace merge --quiet --align outer trace/full.json trace/cut.json -o both.tacho; tacho trace recover both.tacho -o x.json'
! tacho: warning: 'trace/cut.json' was aligned by a single event: its times are right only if that event happened everywhere at once, and clocks drift apart from there
! tacho: warning: 'trace/cut.json' is damaged; only the part before the damage was merged
! tacho: cannot recover 'both.tacho': it was converted from a trace of several processes; use 'tacho trace convert'
[1]
$ project/try 'cp -r "$here/trace" .; tacho trace merge --quiet --same-clock --fail-on-warn trace/full.json trace/cut.json -o both.json'
! tacho: warning: 'trace/cut.json' is damaged; only the part before the damage was merged
[3]
