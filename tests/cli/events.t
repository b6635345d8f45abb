# The commands for profile events, on events made by the test itself.

$ tacho events
! tacho events - validate, summarise, compare and import profile events
! 
! Usage: tacho events COMMAND [OPTIONS] [ARGUMENTS]
! 
! Commands:
!   canon     print each event in canonical form
!   compare   compare two files of events, stage by stage
!   emit      write one event from a shell script
!   follow    show events as they are written
!   import    make events from a program's log
!   summary   show where the time went, by event and stage
!   validate  check every line, and that required groups occur
! 
! See 'tacho events --help' for details.
[64]
$ tacho events --help
| tacho events - validate, summarise, compare and import profile events
| 
| Usage: tacho events COMMAND [OPTIONS] [ARGUMENTS]
| 
| A profile event is one line of JSON that says how long each stage of one step of
| a program took. Programs write events with <tacho/event.h>. 'tacho events
| import' makes events from log lines such as '[unified-prof] ... total=28000us'.
| 
| Commands:
|   canon     print each event in canonical form
|   compare   compare two files of events, stage by stage
|   emit      write one event from a shell script
|   follow    show events as they are written
|   import    make events from a program's log
|   summary   show where the time went, by event and stage
|   validate  check every line, and that required groups occur
| 
| Options:
|   -h, --help  show this help
| 
| Examples:
|   tacho events validate profile.jsonl
|       Check every line of the file.
|   tacho events summary profile.jsonl
|       Show where the time went.
|   tacho events compare before.jsonl after.jsonl
|       Show what became faster or slower.
| 
| See 'tacho events COMMAND --help' for the details of a command.
$ tacho events validate --help
| tacho events validate - check every line, and that required groups occur
| 
| Usage: tacho events validate [--require A,B] [--max-errors N] [--jobs N] [--json] FILE...
| 
| Prints FILE:LINE: MESSAGE for each invalid line, continues with the next one,
| and ends with counts. A line that a killed program or a full disk left
| incomplete is called torn. If a complete event follows the fragment on the same
| line, the event counts and the line is still reported.
| 
| Arguments:
|   FILE  the events to read; - for standard input
| 
| Options:
|   -j, --jobs N        read with N threads (1 to 64, default: one per CPU, at
|                       most 4)
|       --max-errors N  show at most N messages per file
|       --require A,B   require events with each of these names (groups), in at
|                       least one file
|       --json          print the result as JSON
|   -q, --quiet         show no progress and only essential output
|       --color WHEN    use colours: auto (on a terminal), always or never
|       --width N       fit tables into N columns
|   -h, --help          show this help
| 
| Examples:
|   tacho events validate --require unified_prof,bucket_prof profile.jsonl
|       Check that every line is valid and that both groups occur.
| 
| Exit status:
|   0   success
|   1   the command could not do its work
|   2   a line is invalid or torn, or a group is missing
|   64  wrong usage

# Wrong usage.
$ tacho events validat x
! tacho: unknown command 'validat'; did you mean 'validate'?
! see 'tacho events --help'
[64]
$ tacho events validate
! tacho: FILE is missing
! see 'tacho events validate --help'
[64]
$ tacho events validate --max-errors many x
! tacho: --max-errors needs a number, not 'many'
! see 'tacho events validate --help'
[64]
$ tacho events validate --require a,,b x
! tacho: --require contains an empty group name
! see 'tacho events validate --help'
[64]
$ tacho events validate --jobs 0 x
! tacho: --jobs needs a number from 1 to 64, not '0'
! see 'tacho events validate --help'
[64]
$ tacho events summary --jobs 99 x
! tacho: --jobs needs a number from 1 to 64, not '99'
! see 'tacho events summary --help'
[64]
$ tacho events compare x
! tacho: B is missing
! see 'tacho events compare --help'
[64]
$ tacho events emit
! tacho: EVENT is missing
! see 'tacho events emit --help'
[64]
$ tacho events emit e --stage nothing -o x
! tacho: --stage needs KEY=VALUE, not 'nothing'
! see 'tacho events emit --help'
[64]
$ tacho events emit e --concurrency 0 -o x
! tacho: concurrency must be > 0
! see 'tacho events emit --help'
[64]
$ tacho events emit e --runtime-flags '[]' -o x
! tacho: runtime_flags must be an object
! see 'tacho events emit --help'
[64]
$ tacho events import --graph-enabled maybe x
! tacho: --graph-enabled cannot be 'maybe'; choose false or true
! see 'tacho events import --help'
[64]
$ tacho events import --env-hash md5:1 x
! tacho: env_hash must start with sha256:
! see 'tacho events import --help'
[64]

# Files that cannot be read.
$ tacho events validate /nowhere/profile.jsonl
! tacho: cannot open '/nowhere/profile.jsonl': No such file or directory
[1]
$ tacho events summary /nowhere/profile.jsonl
! tacho: cannot open '/nowhere/profile.jsonl': No such file or directory
[1]
$ tacho events canon /
! tacho: cannot read '/': Is a directory
[1]
$ tacho events compare /nowhere/a /nowhere/b
! tacho: cannot open '/nowhere/a': No such file or directory
[1]
$ tacho events import /nowhere/server.log
! tacho: cannot open '/nowhere/server.log': No such file or directory
[1]
$ tacho events follow /nowhere/profile.jsonl
! tacho: cannot open '/nowhere/profile.jsonl': No such file or directory
[1]
$ tacho events emit e
! tacho: no file to write the event to; set TACHO_PROFILE_JSONL, or use --output
[1]
$ tacho events emit ' ' -o /dev/null
! tacho: cannot write the event: event must be non-empty
[1]
$ tacho events emit e -o /dev/null/profile.jsonl
! tacho: cannot create folder '/dev/null', there is a file: File exists
[1]

# Valid, bad and torn lines.
$ tacho events emit e --stage a=1 -o /dev/stdout | tacho events validate -
| -: 1 events, 0 bad lines
$ printf 'x\n{}\n[]\n{"event":"e","com' | tacho events validate -
| -:1: invalid JSON: column 1: expected a value, found 'x'
| -:2: missing required field: event
| -:3: profile event must be a JSON object
| -:4: invalid JSON: torn line, column 14: string is not closed
| -: 0 events, 4 bad lines, 1 torn (0 events salvaged)
[2]
$ printf 'x\n{}\n[]\n{"event":"e","com' | tacho events validate --max-errors 1 -
| -:1: invalid JSON: column 1: expected a value, found 'x'
| -: 0 events, 4 bad lines, 1 torn (0 events salvaged); 3 messages not shown
[2]
$ printf 'x\n' | tacho events validate --quiet -
| -:1: invalid JSON: column 1: expected a value, found 'x'
[2]
$ (printf '{"event":"to'; tacho events emit e -o /dev/stdout) | tacho events validate --require e,f -
| -:1: invalid JSON: torn line, 12 bytes of an incomplete event; the complete event after them was salvaged
| -: 1 events, 0 bad lines, 1 torn (1 events salvaged)
| missing profile event groups: f
[2]
$ (printf '{"event":"to'; tacho events emit e -o /dev/stdout) | tacho events canon -
| {"event":"e","commit_sha":null,"env_hash":"sha256:unknown","model":"unknown","concurrency":1,"shape":{},"stage_us":{},"graph_enabled":false,"runtime_flags":{},"source":"native"}
! tacho: warning: -:1: torn line, 12 bytes of an incomplete event were left out
[2]
$ printf 'x\n' | tacho events validate --json --require e -
| {"schema":"tacho.events.validate.v1","files":[{"file":"-","errors":[{"line":1,"message":"invalid JSON: column 1: expected a value, found 'x'"}],"readable":true,"bytes":2,"lines":1,"blank":0,"events":0,"bad":1,"torn":0,"salvaged":0,"errors_not_listed":0}],"missing_groups":["e"],"valid":false}
[2]

# Canonical form.
$ tacho events emit e --shape b=1e2 --shape a='"x"' --stage s='{"z":1,"a":2,"z":3}' -o /dev/stdout
| {"event":"e","commit_sha":null,"env_hash":"sha256:unknown","model":"unknown","concurrency":1,"shape":{"a":"x","b":100.0},"stage_us":{"s":{"z":3,"a":2}},"graph_enabled":false,"runtime_flags":{},"source":"native"}
$ tacho events emit e --model m --commit-sha c --env-hash sha256:1 --concurrency 8 --graph-enabled true --runtime-flags '{"b":1, "a":[]}' -o /dev/stdout | tacho events canon -
| {"event":"e","commit_sha":"c","env_hash":"sha256:1","model":"m","concurrency":8,"shape":{},"stage_us":{},"graph_enabled":true,"runtime_flags":{"b":1,"a":[]},"source":"native"}

# Summaries.
$ for i in 1 2 3; do tacho events emit step --stage total=$((i * 1000)) --stage 'in={"x_us":500,"x_calls":7}' --stage idle=0 --shape batch=$i -o /dev/stdout; done | tacho events summary -
| step: 3 events, 6.000 ms in total (stage 'total')
|   stage    count     total      mean       p50       p95       p99       max    share
|   total        3  6.000 ms  2.000 ms  2.000 ms  3.000 ms  3.000 ms  3.000 ms  100.0 %
|   in.x_us      3  1.500 ms  500.0 us  500.0 us  500.0 us  500.0 us  500.0 us   25.0 %
|   1 stages are always 0 and not shown; --json lists them
|   count of    count  total  mean  p50  p95  p99  max
|   in.x_calls      3     21     7    7    7    7    7
$ for i in 1 2; do tacho events emit step --stage a=$i --shape batch=$i -o /dev/stdout; done | tacho events summary --by batch -
| step batch=2: 1 events, 2.000 us in total (sum of the stages)
|   stage  count     total      mean       p50       p95       p99       max    share
|   a          1  2.000 us  2.000 us  2.000 us  2.000 us  2.000 us  2.000 us  100.0 %
| 
| step batch=1: 1 events, 1.000 us in total (sum of the stages)
|   stage  count     total      mean       p50       p95       p99       max    share
|   a          1  1.000 us  1.000 us  1.000 us  1.000 us  1.000 us  1.000 us  100.0 %
$ tacho events emit step --stage a=1 -o /dev/stdout | tacho events summary --event other -
| no such event
$ tacho events emit step --stage a=1 -o /dev/stdout | tacho events summary --json -
| {"schema":"tacho.events.summary.v1","events":1,"bad":0,"torn":0,"salvaged":0,"left_out":0,"by":null,"groups":[{"event":"step","by":null,"events":1,"total_us":1.0,"total_source":"sum","non_numeric":0,"stages":[{"name":"a","count":1,"total_us":1.0,"mean_us":1.0,"p50_us":1.0,"p95_us":1.0,"p99_us":1.0,"max_us":1.0,"share":1.0,"exact":true}],"counts":[]}]}

# Comparisons.
$ tacho events compare events/before.jsonl events/after.jsonl
| A  events/before.jsonl: 26 events
| B  events/after.jsonl: 26 events
| 
| Settings that differ
|   setting                A            B
|   commit_sha             "1f00"       "2e00"
|   env_hash               "sha256:aa"  "sha256:bb"
|   runtime_flags.kv.type  "fp16"       "fp8"
|   A has 2 different runtime_flags; only the first are compared
|   B has 2 different runtime_flags; only the first are compared
| 
| step: 24 events in A, 24 in B
|   stage              n A  n B  median A  median B  B / A  95 % interval   B > A        p  B is
|   total               24   24  12.06 ms  12.36 ms  1.025  0.939 to 1.118   0.63        1  cannot tell
|   model               24   24  11.15 ms  8.920 ms  0.800  0.731 to 0.876   0.00   0.0094  faster
|   sample              24   24  211.5 us  211.5 us  1.000  0.924 to 1.082   0.50        1  cannot tell
|   attn.kernel_us      24   24  51.00 us  76.00 us  1.490  1.386 to 1.603   1.00  0.00065  slower
|   attn.kernel_calls   24   24        12        16  1.333  1.240 to 1.433   1.00   0.0019  more
|   mostly_zero         24   24      0 ns      0 ns      -  has zeros        0.56        1  cannot tell
|   1 stages are 0 in both and not shown; --json lists them
| 
| load: 1 events in A, 1 in B
|   stage  n A  n B  median A  median B  B / A  95 % interval  B > A  p  B is
|   read     1    1  4.000 ms  5.000 ms  1.250  too few         1.00  1  cannot tell
| 
| Only in A:
|   step: only_a
|   tune (1 events)
| 
| Only in B:
|   step: only_b
|   warm (1 events)
| 
| p is adjusted for 6 comparisons; above 0.05 the difference may be chance.
| Intervals allow for sessions that differ by 2.6 % and for values that depend on the previous one.
$ tacho events compare --event step --by batch --width 80 events/before.jsonl events/after.jsonl
| A  events/before.jsonl: 24 events
| B  events/after.jsonl: 24 events
| 
| Settings that differ
|   setting                A            B
|   commit_sha             "1f00"       "2e00"
|   env_hash               "sha256:aa"  "sha256:bb"
|   runtime_flags.kv.type  "fp16"       "fp8"
| 
| step batch=1: 12 events in A, 12 in B
|   stage       n A  n B  median A  median B  B / A  95 % interval   B > A       p  B is
|   total        12   12  12.11 ms  12.41 ms  1.025  0.926 to 1.134   0.62       1  cannot tell
|   model        12   12  11.20 ms  8.960 ms  0.800  0.719 to 0.890   0.00   0.026  faster
|   sample       12   12  212.0 us  212.0 us  1.000  0.921 to 1.086   0.50       1  cannot tell
|   attn.kern…   12   12  51.00 us  76.00 us  1.490  1.383 to 1.605   1.00  0.0012  slower
|   attn.kern…   12   12        12        16  1.333  1.240 to 1.433   1.00   0.003  more
|   mostly_ze…   12   12      0 ns      0 ns      -  has zeros        0.56       1  cannot tell
|   1 stages are 0 in both and not shown; --json lists them
| 
| step batch=8: 12 events in A, 12 in B
|   stage       n A  n B  median A  median B  B / A  95 % interval   B > A       p  B is
|   total        12   12  12.02 ms  12.32 ms  1.025  0.925 to 1.136   0.62       1  cannot tell
|   model        12   12  11.10 ms  8.880 ms  0.800  0.719 to 0.890   0.00   0.026  faster
|   sample       12   12  211.0 us  211.0 us  1.000  0.921 to 1.086   0.50       1  cannot tell
|   attn.kern…   12   12  51.00 us  76.00 us  1.490  1.383 to 1.605   1.00  0.0012  slower
|   attn.kern…   12   12        12        16  1.333  1.240 to 1.433   1.00   0.003  more
|   mostly_ze…   12   12      0 ns      0 ns      -  has zeros        0.56       1  cannot tell
|   1 stages are 0 in both and not shown; --json lists them
| 
| Only in A:
|   step batch=1: only_a
|   step batch=8: only_a
| 
| Only in B:
|   step batch=1: only_b
|   step batch=8: only_b
| 
| p is adjusted for 10 comparisons; above 0.05 the difference may be chance.
| Intervals allow for sessions that differ by 2.6 % and for values that depend on the previous one.
$ tacho events compare --event load events/before.jsonl events/before.jsonl
| A  events/before.jsonl: 1 events
| B  events/before.jsonl: 1 events
| 
| Both files have the same settings.
| 
| load: 1 events in A, 1 in B
|   stage  n A  n B  median A  median B  B / A  95 % interval  B > A  p  B is
|   read     1    1  4.000 ms  4.000 ms  1.000  too few         0.50  1  cannot tell
| 
| p is adjusted for 1 comparison; above 0.05 the difference may be chance.
| Intervals allow for sessions that differ by 2.6 % and for values that depend on the previous one.
$ (cat events/after.jsonl; echo '{"event":') | tacho events compare --event load events/before.jsonl -
| A  events/before.jsonl: 1 events
| B  -: 1 events
| 
| Settings that differ
|   setting     A            B
|   commit_sha  "1f00"       "2e00"
|   env_hash    "sha256:aa"  "sha256:bb"
| 
| load: 1 events in A, 1 in B
|   stage  n A  n B  median A  median B  B / A  95 % interval  B > A  p  B is
|   read     1    1  4.000 ms  5.000 ms  1.250  too few         1.00  1  cannot tell
| 
| p is adjusted for 1 comparison; above 0.05 the difference may be chance.
| Intervals allow for sessions that differ by 2.6 % and for values that depend on the previous one.
! tacho: warning: -:27: invalid JSON: torn line, column 10: expected a value, found the end of the text
! tacho: warning: -: 1 lines are not events and were left out; see 'tacho events validate'
[2]

# Import from a log.
$ printf '[iter-prof] iter#3 total=7ms sched=9us batch_size=1\nhello\n' | tacho events import -
| {"event":"iter_prof","commit_sha":null,"env_hash":"sha256:unknown","model":"unknown","concurrency":1,"shape":{"batch_size":1,"iter":3},"stage_us":{"sched":9,"total":7000},"graph_enabled":false,"runtime_flags":{},"source":"server_log","source_line":"[iter-prof] iter#3 total=7ms sched=9us batch_size=1"}
! 1 events from 2 lines; 1 lines have no readable timing (--show-skipped lists them)
$ printf '[iter-prof] iter#3\nhello\n' | tacho events import --show-skipped -
! tacho: warning: -:1: no timing: [iter-prof] iter#3
! tacho: warning: -:2: no [tag]: hello
! 0 events from 2 lines; 2 lines have no readable timing

# Following a pipe.
$ tacho events emit step --stage total=1500 --stage 'n={"x":1}' --shape batch=4 --shape who=me -o /dev/stdout | tacho events follow -
| step: total=1.500 ms | batch=4 who=me
