# Help.
$ tacho run --help
| tacho run - run a command repeatedly, record everything, write a run folder
| 
| Usage: tacho run [OPTIONS] [--] COMMAND [ARGUMENT...]
|        tacho run [OPTIONS] -c LINE [-c LINE...]
| 
| Runs the command repeatedly, without a shell, and measures each run: wall time,
| CPU time, peak memory, page faults, context switches, block I/O. Stops when the
| median wall time is precise enough (--precision), after --max-time or after
| --max-runs; with --runs, after that number of runs. The precision is checked
| after 10, 20, 40, ... runs, and the intervals allow for these interim analyses.
| 
| Runs several commands in turns (interleaved): each round runs every command
| once, in an order drawn at random. Compares them in pairs of runs: which one is
| the fastest, and how many times as fast as each of the others.
| 
| Writes a folder OUT/NAME/TIME-ID for each command. Its run.json contains every
| sample. OUT/NAME/latest is a link to the newest folder. Each sample is on disk
| when its run is complete.
| 
| The hooks --setup, --prepare, --conclude and --cleanup are not measured. With
| several commands, give a hook once for all of them or once per command. By
| default the command reads an empty standard input, and its output is discarded.
| 
| Arguments:
|   COMMAND  the program to run, and its arguments
| 
| Options:
|   -c, --command LINE          run LINE, split into words as by a shell; repeat
|                               to compare several commands
|   -n, --runs N                run each command N times
|   -p, --precision P           stop when the half-width of the median's interval
|                               is at most P of the median (default 1%)
|       --max-time TIME         stop after TIME per command; several commands
|                               share the sum (default 5s)
|       --min-runs N            make at least N runs, even if they take longer
|                               than --max-time (default 10 if these take less
|                               than a minute, else 6; 1 with --max-time)
|       --max-runs N            stop after N runs (default 1000)
|       --seed N                draw the random order of several commands from
|                               seed N, 1 or more (default: a new seed, recorded
|                               in run.json)
|       --layouts N             make the runs in N blocks and link the program
|                               with another layout before each; judge one value
|                               per layout (block size: 3 runs, or --runs divided
|                               by N)
|       --relink LINE           with --layouts: link the program by sh -c, with
|                               the layout number in $TACHO_LAYOUT_SEED and
|                               {seed}; give it once for all commands or once per
|                               command
|       --name NAME             name the run; repeat for the second command, and
|                               so on (default: the program's name)
|   -o, --out-dir DIR           write run folders to DIR (default tacho-out)
|       --pass-status           exit with the status of a run that failed
|   -S, --shell                 run each command line by sh -c
|   -w, --warmup N              run each command N times before measuring (default
|                               0)
|       --setup LINE            run LINE once before all runs, by sh -c
|       --prepare LINE          run LINE before each run, by sh -c
|       --conclude LINE         run LINE after each run, by sh -c
|       --cleanup LINE          run LINE once after all runs, by sh -c
|       --server LINE           start a server by sh -c, measure it during the
|                               runs, stop it afterwards; needs --ready
|       --ready REGEX|PORT      wait until the server prints a line that matches
|                               REGEX, or listens on PORT
|       --ready-timeout TIME    give up when the server is not ready after TIME
|                               (default 60s)
|       --timeout TIME          kill a run that takes longer: SIGTERM to its
|                               process group, SIGKILL one second later
|       --cwd DIR               run the commands in DIR
|       --env K=V               set an environment variable for the commands
|       --keep-env NAME         record the value of NAME unmasked, even if its
|                               name looks like a secret
|       --input FILE            use FILE as standard input of each run (default:
|                               empty)
|       --command-output WHERE  send output to null (default), inherit, or a file
|                               that all runs share
|   -i, --allow-nonzero         continue when a run fails; leave it out of the
|                               statistics
|       --cpu LIST              run the commands only on these CPUs, such as 2 or
|                               0-3,6
|       --no-aslr               switch off address space randomisation
|       --no-record             do not set TACHO_RUN_DIR and the like, so that a
|                               program linked with libtacho records nothing and
|                               pays nothing for it
|       --flame                 add a flamegraph to the report, from one extra run
|                               of each command; with --count, also record the
|                               stacks of counted calls
|       --count LIST            count exactly, in extra runs that are not timed:
|                               instructions, syscalls, allocations,
|                               allocated-bytes, faults
|       --count-runs N          make N counted runs for each count; a count is
|                               exact if all are equal (default 2)
|       --trace                 write trace.json: one span per run, memory, power,
|                               and what the program recorded
|   -m, --metric NAME=REGEX     measure a number that the command prints: the last
|                               match of each run, or every match with
|                               all:NAME=REGEX; or one that it records: span:NAME,
|                               stage:EVENT.STAGE or latency:NAME, with :total,
|                               :count, :mean, :p50, :p99 or :max
|       --work-per-run N[UNIT]  show the throughput; each run does N units of
|                               work, such as 200samples
|       --label K=V             store a note in run.json
|       --config FILE           store a JSON document and its hash in run.json,
|                               such as the program's configuration
|       --interval TIME         poll memory and power every TIME (default 10ms)
|       --columns WHICH         write memory.csv with the two columns that are
|                               measured (short), or with all of
|                               ruvector-profiler, the others 0 (reference)
|                               (default short)
|       --power-source SOURCE   read power from auto (default), none, rapl, perf,
|                               hwmon, battery, nvml, rocm, fixed:WATTS or
|                               replay:FILE
|       --measure-idle TIME     measure the idle power of the machine for TIME
|                               before the runs (at least 100ms)
|       --seal                  write seal.jsonl, by which 'tacho witness verify'
|                               finds files that were changed later
|       --fail-on-warn          exit with 3 when there are warnings
|       --json                  print the result as JSON
|   -q, --quiet                 show no progress and only essential output
|       --color WHEN            use colours: auto (on a terminal), always or never
|       --width N               fit tables into N columns
|   -h, --help                  show this help
| 
| Examples:
|   tacho run -- ./prog --size 1000
|       Run a program until its median wall time is precise to 1 %.
|   tacho run -n 50 -w 3 -c './old x' -c './new x'
|       Compare two programs, with 3 warm-up runs and 50 measured runs of each.
|   tacho run --metric tps='([0-9.]+) tokens/s' -- ./generate
|       Also measure a number that the program prints.
|   tacho run --prepare 'sync; echo 3 > /proc/sys/vm/drop_caches' -- ./prog
|       Measure with cold caches.
| 
| Exit status:
|   0    success
|   1    an error occurred or a run failed; with --allow-nonzero, all runs of a
|        command failed; with --pass-status, the status of the failed run instead
|   3    there are warnings (only with --fail-on-warn)
|   64   wrong usage
|   130  stopped by Ctrl-C (143: SIGTERM, 129: SIGHUP)

# Errors about commands: no command, too many names, duplicate names, -c together with operands.
$ tacho run
! tacho: there is no command; use tacho run -- COMMAND, or -c 'COMMAND'
! see 'tacho run --help'
[64]

$ tacho run -n 3
! tacho: there is no command; use tacho run -- COMMAND, or -c 'COMMAND'
! see 'tacho run --help'
[64]

$ tacho run -c true -- true
! tacho: give commands by -c or after the options, not both
! see 'tacho run --help'
[64]

$ tacho run --name one --name two -- true
! tacho: there are more names than commands; remove a --name
! see 'tacho run --help'
[64]

$ tacho run --name same --name same -c true -c false
! tacho: two commands cannot both be named 'same'; change a --name
! see 'tacho run --help'
[64]

$ tacho run --name a/b -- true
! tacho: option '--name' needs letters, digits, '.', '_' and '-', and no '.' at the beginning, not 'a/b'
! see 'tacho run --help'
[64]

$ tacho run -c 'true | cat'
! tacho: cannot split 'true | cat': '|' needs a shell (quote it if it is part of a word); use --shell to run it by sh -c
! see 'tacho run --help'
[64]

$ tacho run -c "echo 'open"
! tacho: cannot split 'echo 'open': a ' is not closed
! see 'tacho run --help'
[64]

$ tacho run -c ''
! tacho: cannot split '': there is no command
! see 'tacho run --help'
[64]

$ tacho run --shell -- true
! tacho: --shell runs a line of -c, not words; use --shell -c true
! see 'tacho run --help'
[64]

# Invalid numbers, durations and shares.
$ tacho run --runs 0 -- true
! tacho: option '--runs' needs a number from 1 to 1000000, not '0'
! see 'tacho run --help'
[64]

$ tacho run --runs many -- true
! tacho: option '--runs' needs a number from 1 to 1000000, not 'many'
! see 'tacho run --help'
[64]

$ tacho run --warmup -1 -- true
! tacho: option '--warmup' needs a number up to 1000000, not '-1'
! see 'tacho run --help'
[64]

$ tacho run --precision 0 -- true
! tacho: option '--precision' needs a share such as 1% or 0.01, not '0'
! see 'tacho run --help'
[64]

$ tacho run --precision 200% -- true
! tacho: option '--precision' needs a share such as 1% or 0.01, not '200%'
! see 'tacho run --help'
[64]

$ tacho run --max-time soon -- true
! tacho: option '--max-time' needs a duration such as 250ms or 5s, not 'soon'
! see 'tacho run --help'
[64]

$ tacho run --timeout 0s -- true
! tacho: option '--timeout' needs a duration such as 250ms or 5s, not '0s'
! see 'tacho run --help'
[64]

$ tacho run --interval 1 -- true
! tacho: option '--interval' needs a duration such as 250ms or 5s, not '1'
! see 'tacho run --help'
[64]

$ tacho run --cpu 0-x -- true
! tacho: option '--cpu' needs CPUs such as 2 or 0-3,6, not '0-x'
! see 'tacho run --help'
[64]

$ tacho run --cpu 999999 -- true
! tacho: option '--cpu' needs CPUs such as 2 or 0-3,6, not '999999'
! see 'tacho run --help'
[64]

$ tacho run --work-per-run items -- true
! tacho: option '--work-per-run' needs an amount such as 200 or 200samples, not 'items'
! see 'tacho run --help'
[64]

# Options that cannot be combined, or that need each other.
$ tacho run -n 5 --precision 1% -- true
! tacho: --runs cannot be combined with --precision, --min-runs or --max-runs
! see 'tacho run --help'
[64]

$ tacho run -n 5 --max-runs 10 -- true
! tacho: --runs cannot be combined with --precision, --min-runs or --max-runs
! see 'tacho run --help'
[64]

$ tacho run --server 'sleep 1' -- true
! tacho: --server and --ready need each other; give both
! see 'tacho run --help'
[64]

$ tacho run --ready up -- true
! tacho: --server and --ready need each other; give both
! see 'tacho run --help'
[64]

$ tacho run --metric 'n=([0-9]+)' --command-output inherit -- true
! tacho: --metric cannot be combined with --command-output inherit; write to a file, or remove one of them
! see 'tacho run --help'
[64]

# Layouts.
$ tacho run --layouts 4 -- true
! tacho: --layouts and --relink need each other; give both
! see 'tacho run --help'
[64]

$ tacho run --layouts 4 --relink true -n 10 -- true
! tacho: --runs 10 is not a multiple of --layouts 4
! see 'tacho run --help'
[64]

$ tacho run --layouts 4 --relink true --precision 1% -- true
! tacho: --layouts cannot be combined with --precision, --min-runs or --max-runs; use --runs
! see 'tacho run --help'
[64]

# Invalid metrics, labels, variables and power sources.
$ tacho run --metric n -- true
! tacho: 'n' is not NAME=REGEX: there is no '='
! see 'tacho run --help'
[64]

$ tacho run --metric 'n=[0-9' -- true
! tacho: 'n=[0-9' is not NAME=REGEX: Unmatched [, [^, [:, [., or [=
! see 'tacho run --help'
[64]

$ tacho run --metric span: -- true
! tacho: 'span:' is not the name of a recorded metric: there is no name after the first ':'
! see 'tacho run --help'
[64]

$ tacho run --metric stage:decode -- true
! tacho: 'stage:decode' is not the name of a recorded metric: a stage needs the form EVENT.STAGE
! see 'tacho run --help'
[64]

$ tacho run --metric span:a --metric span:a:total -- true
! tacho: metric 'span:a:total' is given twice; remove one of them
! see 'tacho run --help'
[64]

$ tacho run --metric 'n=([0-9]+)' --metric 'n=(x)' -- true
! tacho: metric 'n' is given twice; remove one of them
! see 'tacho run --help'
[64]

$ tacho run --label k -- true
! tacho: option '--label' needs NAME=VALUE, not 'k'
! see 'tacho run --help'
[64]

$ tacho run --env K -- true
! tacho: option '--env' needs NAME=VALUE, not 'K'
! see 'tacho run --help'
[64]

$ tacho run --power-source coal -- true
! tacho: there is no power source 'coal'; use auto, none, rapl, perf, hwmon, nvml, rocm, battery, fixed:WATTS or replay:FILE
! see 'tacho run --help'
[64]

$ tacho run --measure-idle 1ms -- true
! tacho: option '--measure-idle' needs a time of 100ms or more, not '1ms'
! see 'tacho run --help'
[64]
$ tacho run --measure-idle 1s --power-source fixed:5 -- true
! tacho: --measure-idle needs a power source that is read; --power-source fixed:5 is not, so remove one of them
! see 'tacho run --help'
[64]
$ tacho run --count-runs 3 -- true
! tacho: --count-runs needs --count, which says what to count
! see 'tacho run --help'
[64]
$ tacho run --metric span:x:p95 -- true
! tacho: 'span:x:p95': 'p95' is not a statistic; use total, count, mean, p50, p99 or max, also after a name that ends like this
! see 'tacho run --help'
[64]
$ tacho run --metric 'wall=([0-9]+)' -- true
! tacho: metric 'wall' has the name of a quantity that tacho measures itself; choose another name
! see 'tacho run --help'
[64]
$ tacho run --power-source fixed:much -- true
! tacho: 'much' is not a number of watts, as in fixed:100
! see 'tacho run --help'
[64]

$ tacho run --config nowhere.json -- true
! tacho: cannot open 'nowhere.json': No such file or directory
[1]

$ project/try 'tacho run --config try -- true'
! tacho: cannot read 'DIR/try': line 1: expected a value, found '#'
[1]

$ tacho run --input nowhere -- true
! tacho: cannot open 'nowhere': No such file or directory
[1]

$ tacho run --cwd nowhere -- true
! tacho: cannot open 'nowhere': No such file or directory
[1]

$ tacho run --rnus 5 -- true
! tacho: unknown option '--rnus'; did you mean '--runs'?
! see 'tacho run --help'
[64]

# Programs that do not exist, fail or are killed. The run folder is still written.
$ project/try 'tacho run -q -n 3 -- ./nowhere'
! tacho: cannot run './nowhere': No such file or directory
[1]

$ project/try 'tacho run -q -n 3 -- nowhere'
! tacho: cannot run 'nowhere': No such file or directory (is it installed and on PATH?)
[1]

$ project/try 'tacho run -q -n 3 -- sh -c "exit 7" >/dev/null; s=$?; grep -o "\"state\":\"[a-z]*\"" tacho-out/sh/latest/run.json; exit $s'
| "state":"failed"
! tacho: run 1 of 'sh -c 'exit 7'' failed with status 7; use --allow-nonzero to continue after failures
[1]

$ project/try 'tacho run -q -n 3 --pass-status -- sh -c "exit 7" >/dev/null'
! tacho: run 1 of 'sh -c 'exit 7'' failed with status 7; use --allow-nonzero to continue after failures
[7]

$ project/try 'tacho run -q -n 3 -- sh -c "kill -9 \$\$" >/dev/null'
! tacho: run 1 of 'sh -c 'kill -9 $$'' was killed by signal 9 (Killed)
[1]

$ project/try 'tacho run -q -n 3 --name good --name bad -c true -c false >/dev/null'
! tacho: run 1 of 'false' failed with status 1; use --allow-nonzero to continue after failures
[1]

$ project/try 'tacho run -q -n 3 --setup "exit 3" -- true'
! tacho: --setup failed: 'exit 3' exited with status 3
[1]

$ project/try 'tacho run -q -n 3 --prepare "exit 3" -- true'
! tacho: --prepare failed: 'exit 3' exited with status 3
[1]

# Several commands: each has its own folder with the numbers that it printed.
$ project/try 'tacho run -q -n 3 --name one --name two --name three -c "echo n 1" -c "echo n 2" -c "echo n 3" -m "n=n ([0-9]+)" >/dev/null; for r in one two three; do grep -o -e "\"line\":\"[^\"]*\"" -e "\"metrics\":{\"n\":[0-9]*" tacho-out/$r/latest/run.json; done'
| "line":"echo n 1"
| "metrics":{"n":1
| "metrics":{"n":1
| "metrics":{"n":1
| "line":"echo n 2"
| "metrics":{"n":2
| "metrics":{"n":2
| "metrics":{"n":2
| "line":"echo n 3"
| "metrics":{"n":3
| "metrics":{"n":3
| "metrics":{"n":3

# A hook is given once for all commands or once per command. Other options are given once.
$ tacho run --prepare a --prepare b -- true
! tacho: --prepare is given 2 times for 1 command; give it once for all commands, or once for each
! see 'tacho run --help'
[64]

$ tacho run --conclude a --conclude b -c true -c true -c true
! tacho: --conclude is given 2 times for 3 commands; give it once for all commands, or once for each
! see 'tacho run --help'
[64]

$ tacho run --timeout 1s --timeout 2s -c true -c true
! tacho: --timeout applies to all commands and is given more than once; remove one of them
! see 'tacho run --help'
[64]

$ tacho run --input /dev/null --cwd / --input /dev/zero -c true -c true
! tacho: --input applies to all commands and is given more than once; remove one of them
! see 'tacho run --help'
[64]

$ tacho sweep --setup a --setup b --grid x=1,2 -- true
! tacho: --setup is given 2 times for 1 command; give it once for all commands, or once for each
! see 'tacho sweep --help'
[64]

# Every format says how reliable the energy is. Only fixed:WATTS gives an energy on any machine.
$ project/try 'tacho run -q -n 2 --power-source fixed:20 -- sleep 0.01 | sed -n "/energy/{s/  */ /g;s/[0-9.]\+ \(J\|ms\|%\)/N \1/g;p}"; cut -d, -f2 tacho-out/sleep/latest/power.csv | sort -u; tacho report -f csv tacho-out/sleep/latest | cut -d, -f24-26; tacho report -f prometheus tacho-out/sleep/latest | grep -c "status=\"estimated\",source=\"fixed\",domain=\"given\""; grep -o "^energy: 20 W given x time" tacho-out/sleep/latest/report.md; tacho compare tacho-out/sleep/latest tacho-out/sleep/latest | grep -o "energy, 20 W given x time"; grep -o "Power during the runs, in watts (fixed:given:estimated)" tacho-out/sleep/latest/report.html | sort -u'
|  energy, estimated N J - N J … N J (range) N J N J
|  energy: 20 W given x time
| fixed:given:estimated
| source
| server_cpu_ns,server_rss_bytes,server_energy_j
| ,,
| ,,
| 3
| energy: 20 W given x time
| energy, 20 W given x time
| Power during the runs, in watts (fixed:given:estimated)

# A run during which a reading failed has no energy. The replay ends in the second run.
$ project/try '{ echo timestamp_us,source,watts,joules; seq 1 1000000 29000000 | sed "s/$/,x,20,0/"; } >p.csv; tacho run -q -n 3 --interval 10s --power-source replay:p.csv -- sh -c : | grep energy; echo timestamp_us,source,watts,joules >p.csv; printf "1,x,20,0\n1000001,x,20,0\n2000001,x,20,0\n" >>p.csv; tacho run -q -n 2 --interval 10s --power-source replay:p.csv -- sh -c : | grep energy; jq "[.samples[].energy_j] == [20, null]" tacho-out/sh/latest/run.json; echo x >p.csv; tacho run -n 1 --power-source replay:p.csv -- true'
|   energy, estimated       20 J   -  20 J … 20 J (range)                 20 J       20 J
|   energy: estimated by replay (recorded)
|   energy, estimated       20 J   -  20 J … 20 J (range)                 20 J       20 J
|   energy: estimated by replay (recorded); missing in 1 of 2 runs, because a reading failed
| true
! tacho: 'p.csv', line 1: the first line must be the header of power.csv, 'timestamp_us,source,watts,joules'
[1]

# The idle power is measured before the runs, once per sweep, and shown separately. Counters of trace.json say how
# reliable they are.
$ project/try '{ echo timestamp_us,source,watts,joules; seq 100000 100000 99999999 | sed "s/$/,a:b:estimated,20,0/"; } >p.csv; tacho run -q -n 2 --power-source replay:p.csv --measure-idle 100ms --trace -- sleep 0.05 | sed -n "/energy:/{s/[0-9.]\+ \(J\|ms\|%\)/N \1/g;p}"; grep -o "\"power[^\"]*\"" tacho-out/sleep/latest/trace.json | sort -u; tacho sweep -q -n 2 --power-source replay:p.csv --measure-idle 100ms --grid n=1,2 -- sleep 0.0{n} | sed -n "/energy:/{s/[0-9.]\+ \(J\|ms\|%\)/N \1/g;p}"; jq ".cells[].power | [.status, .source, .idle.watts] == [\"estimated\", \"replay\", 20]" tacho-out/sleep/sweep.json'
|   energy: estimated by replay (recorded); idle power 20 W, estimated for N ms before while the CPUs were N % busy, which is N J of a run
| "power (replay:recorded:estimated)"
|   energy: estimated by replay (recorded); idle power 20 W, estimated for N ms before while the CPUs were N % busy
| true
| true

# The folder of a run is never hidden.
$ tacho run --name .x -- true
! tacho: option '--name' needs letters, digits, '.', '_' and '-', and no '.' at the beginning, not '.x'
! see 'tacho run --help'
[64]
$ project/try 'printf "#!/bin/sh\n" | tee .x >y; chmod +x .x y; tacho run -q -n 1 -- ./.x >/dev/null; tacho run -q -n 1 --shell -c "./y 1" >/dev/null; tacho run -q -n 1 --shell -c " ./../$(basename $PWD)/y 2 | cat" >/dev/null; ls -A tacho-out'
| x
| y_1
| y_2___cat
