# What it takes, and what it says of itself.
$ tacho run --help
| tacho run - run a command repeatedly, record everything, write a run folder
| 
| Usage: tacho run [OPTIONS] [--] COMMAND [ARGUMENT...]
|        tacho run [OPTIONS] -c LINE [-c LINE...]
| 
| Runs the command again and again, without a shell, and measures each run: wall
| time from before its start, CPU time, peak memory, page faults, context
| switches, block I/O. Stops when the median wall time is known to within
| --precision, or at --max-time or --max-runs; or after --runs. Looks are at 10,
| 20, 40, ... runs, and the intervals account for them.
| 
| Several commands are run in turns, in an order that is drawn for each round, and
| compared in pairs: which is the fastest, and how many times as fast as each of
| the others.
| 
| Each command leaves a folder OUT/NAME/TIME-ID with run.json, in which every
| sample is; OUT/NAME/latest points to the newest. Samples are on disk as they are
| taken.
| 
| setup, prepare, conclude and cleanup are run by sh -c and are not measured; with
| several commands each is for all of them, or is given once per command. The
| command has an empty standard input, and what it prints is thrown away, unless
| told otherwise.
| 
| Arguments:
|   COMMAND  what to run, and its arguments
| 
| Options:
|   -c, --command LINE       a command, split into words as a shell does; give
|                            several to compare them
|   -n, --runs N             run each command N times
|   -p, --precision P        stop when the median is known to within P (default
|                            1%)
|       --max-time TIME      measure for at most TIME per command; several
|                            commands share the sum (default 5s)
|       --min-runs N         until precise, but at least N runs, even if they take
|                            longer than --max-time (default 10 if they take less
|                            than a minute, else 6; 1 with --max-time)
|       --max-runs N         until precise, but at most N runs (default 1000)
|       --seed N             draw the order of several commands from N, from 1 on
|                            (default: a new one each time, which run.json
|                            records)
|       --idle TIME          measure the idle power of the machine for TIME
|                            before, such as 5s
|       --layouts N          link the program again for every block of runs, with
|                            N layouts in all; a layout is the unit of what is
|                            judged (default: 3 runs of each, else --runs divided
|                            by N)
|       --relink LINE        with --layouts: link the program with the layout of
|                            $TACHO_LAYOUT_SEED or {seed}, by sh -c; once for all
|                            commands, or once for each
|       --name NAME          the run's name; again for the second command, and so
|                            on
|   -o, --out DIR            where run folders go (default tacho-out)
|       --pass-status        end with the status of a run that failed
|   -S, --shell              run each command by sh -c
|   -w, --warmup N           N runs of each before, not counted
|       --setup LINE         run LINE once before all, by sh -c
|       --prepare LINE       run LINE before each run
|       --conclude LINE      run LINE after each run
|       --cleanup LINE       run LINE once after all
|       --server LINE        a server to run against: started by sh -c, watched,
|                            ended afterwards
|       --ready REGEX|PORT   when the server is ready: what it prints then, or the
|                            port it listens on
|       --timeout TIME       end a run after TIME: TERM to its process group, KILL
|                            a second later
|       --cwd DIR            run in DIR
|       --env K=V            set an environment variable
|       --keep-env NAME      record the value of NAME, though its name looks like
|                            a secret
|       --input FILE         standard input of each run (default: empty)
|       --output WHERE       what it prints: null (default), inherit, or a file
|                            for all runs
|   -i, --allow-nonzero      go on when a run fails; it is left out of the
|                            statistics
|       --cpu LIST           run on these CPUs only, such as 2 or 0-3,6
|       --no-aslr            the same addresses in every run
|       --flame              one extra run under the profiler, not counted: a
|                            flamegraph in the report
|       --count LIST         count in extra runs, not timed: instructions,
|                            syscalls, allocations, allocated-bytes, faults
|       --count-runs N       counted runs for each count; equal in all of them is
|                            exact (default 2)
|       --trace              write trace.json: a span a run, memory and power,
|                            what the program recorded
|   -m, --metric NAME=REGEX  a number it prints, the last of each run;
|                            all:NAME=REGEX takes every one; or what it records:
|                            span:NAME, stage:EVENT.STAGE or latency:NAME, with
|                            :total, :count, :mean, :p50, :p99 or :max
|       --work N[UNIT]       what a run does, such as 200samples: gives the
|                            throughput
|       --label K=V          a note in run.json
|       --config FILE        a JSON file that says what is run; its hash and
|                            content go into run.json
|       --interval TIME      look at memory and power every TIME (default 10ms)
|       --power SOURCE       auto (default), none, rapl, perf, hwmon, battery,
|                            nvml, rocm, or fixed:WATTS
|       --seal               write seal.jsonl, with which 'tacho witness verify'
|                            finds any file changed since
|       --fail-on-warn       end with 3 when there are warnings
|       --json               print the result as JSON
|   -q, --quiet              show no progress and only essential output
|       --color WHEN         use colours: auto (on a terminal), always or never
|       --width N            fit tables into N columns
|   -h, --help               show this help
| 
| Examples:
|   tacho run -- ./prog --size 1000
|       Run it until its median is known to within 1 %.
|   tacho run -n 50 -w 3 -c './old x' -c './new x'
|       Compare two programs, in turns, 50 runs each after 3 to warm up.
|   tacho run --metric tps='([0-9.]+) tokens/s' -- ./generate
|       Also collect a number that the program prints.
|   tacho run --prepare 'sync; echo 3 > /proc/sys/vm/drop_caches' -- ./prog
|       With cold caches.
| 
| Exit status:
|   0    success
|   1    could not do the work, a run failed, or with --allow-nonzero all runs of
|        a command did; with --pass-status that run's own status
|   3    there are warnings, with --fail-on-warn
|   64   wrong usage
|   130  stopped by Ctrl-C (143: SIGTERM, 129: SIGHUP)

# Commands: none, too many names, two of the same name, both ways at once.
$ tacho run
! tacho: there is no command: tacho run -- COMMAND, or -c 'COMMAND'
! see 'tacho run --help'
[64]

$ tacho run -n 3
! tacho: there is no command: tacho run -- COMMAND, or -c 'COMMAND'
! see 'tacho run --help'
[64]

$ tacho run -c true -- true
! tacho: give commands by -c or after the options, not both
! see 'tacho run --help'
[64]

$ tacho run --name one --name two -- true
! tacho: there are more names than commands
! see 'tacho run --help'
[64]

$ tacho run --name same --name same -c true -c false
! tacho: two commands cannot both be called 'same'
! see 'tacho run --help'
[64]

$ tacho run --name a/b -- true
! tacho: option '--name' needs letters, digits, '.', '_' and '-', not 'a/b'
! see 'tacho run --help'
[64]

$ tacho run -c 'true | cat'
! tacho: cannot split 'true | cat': '|' needs a shell (quote it if it is meant as it is); --shell runs it by sh -c
! see 'tacho run --help'
[64]

$ tacho run -c "echo 'open"
! tacho: cannot split 'echo 'open': a ' has no partner
! see 'tacho run --help'
[64]

$ tacho run -c ''
! tacho: cannot split '': there is no command
! see 'tacho run --help'
[64]

$ tacho run --shell -- true
! tacho: --shell is for commands given by -c: -c 'true'
! see 'tacho run --help'
[64]

# Numbers, times, shares.
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

$ tacho run --work items -- true
! tacho: option '--work' needs an amount such as 200 or 200samples, not 'items'
! see 'tacho run --help'
[64]

# Options that exclude or need each other.
$ tacho run -n 5 --precision 1% -- true
! tacho: --runs cannot be combined with --precision, --min-runs or --max-runs
! see 'tacho run --help'
[64]

$ tacho run -n 5 --max-runs 10 -- true
! tacho: --runs cannot be combined with --precision, --min-runs or --max-runs
! see 'tacho run --help'
[64]

$ tacho run --server 'sleep 1' -- true
! tacho: --server and --ready need each other
! see 'tacho run --help'
[64]

$ tacho run --ready up -- true
! tacho: --server and --ready need each other
! see 'tacho run --help'
[64]

$ tacho run --metric 'n=([0-9]+)' --output inherit -- true
! tacho: --metric reads what --output inherit would give away
! see 'tacho run --help'
[64]

# Layouts.
$ tacho run --layouts 4 -- true
! tacho: --layouts and --relink need each other
! see 'tacho run --help'
[64]

$ tacho run --layouts 4 --relink true -n 10 -- true
! tacho: --runs 10 is not a multiple of --layouts 4
! see 'tacho run --help'
[64]

$ tacho run --layouts 4 --relink true --precision 1% -- true
! tacho: --layouts needs a number of runs: --runs, in place of --precision, --min-runs and --max-runs
! see 'tacho run --help'
[64]

# Metrics, labels, variables, sources.
$ tacho run --metric n -- true
! tacho: 'n' is not NAME=REGEX: there is no '='
! see 'tacho run --help'
[64]

$ tacho run --metric 'n=[0-9' -- true
! tacho: 'n=[0-9' is not NAME=REGEX: Unmatched [, [^, [:, [., or [=
! see 'tacho run --help'
[64]

$ tacho run --metric span: -- true
! tacho: 'span:' is not a metric that is recorded: there is no name after the first ':'
! see 'tacho run --help'
[64]

$ tacho run --metric stage:decode -- true
! tacho: 'stage:decode' is not a metric that is recorded: a stage is EVENT.STAGE
! see 'tacho run --help'
[64]

$ tacho run --metric span:a --metric span:a:total -- true
! tacho: metric 'span:a:total' is there twice
! see 'tacho run --help'
[64]

$ tacho run --metric 'n=([0-9]+)' --metric 'n=(x)' -- true
! tacho: metric 'n' is there twice
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

$ tacho run --power coal -- true
! tacho: no power source 'coal': there are rapl, perf, hwmon, nvml, rocm, battery, fixed:WATTS and replay:FILE
[1]

$ tacho run --idle 1ms -- true
! tacho: option '--idle' needs a time of 100ms or more, not '1ms'
! see 'tacho run --help'
[64]
$ tacho run --power fixed:much -- true
! tacho: 'much' is not a number of watts, as in fixed:100
[1]

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

# Programs that are not there, fail, are killed; the folder is written all the same.
$ project/try 'tacho run -q -n 3 -- ./nowhere'
! tacho: cannot run './nowhere': No such file or directory
[1]

$ project/try 'tacho run -q -n 3 -- nowhere'
! tacho: cannot run 'nowhere': No such file or directory (is it installed and on PATH?)
[1]

$ project/try 'tacho run -q -n 3 -- sh -c "exit 7" >/dev/null; s=$?; grep -o "\"state\":\"[a-z]*\"" tacho-out/sh/latest/run.json; exit $s'
| "state":"failed"
! tacho: run 1 of 'sh -c 'exit 7'' failed with status 7; --allow-nonzero goes on all the same
[1]

$ project/try 'tacho run -q -n 3 --pass-status -- sh -c "exit 7" >/dev/null'
! tacho: run 1 of 'sh -c 'exit 7'' failed with status 7; --allow-nonzero goes on all the same
[7]

$ project/try 'tacho run -q -n 3 -- sh -c "kill -9 \$\$" >/dev/null'
! tacho: run 1 of 'sh -c 'kill -9 $$'' was killed by signal 9 (Killed)
[1]

$ project/try 'tacho run -q -n 3 --name good --name bad -c true -c false >/dev/null'
! tacho: run 1 of 'false' failed with status 1; --allow-nonzero goes on all the same
[1]

$ project/try 'tacho run -q -n 3 --setup "exit 3" -- true'
! tacho: --setup failed: 'exit 3' ended with status 3
[1]

$ project/try 'tacho run -q -n 3 --prepare "exit 3" -- true'
! tacho: --prepare failed: 'exit 3' ended with status 3
[1]

# Several commands, each with its own folder and the numbers that it printed.
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

# Hooks are for all commands, or one for each. Other options are for all.
$ tacho run --prepare a --prepare b -- true
! tacho: --prepare is given 2 times for 1 command; give it once for all commands, or once for each
! see 'tacho run --help'
[64]

$ tacho run --conclude a --conclude b -c true -c true -c true
! tacho: --conclude is given 2 times for 3 commands; give it once for all commands, or once for each
! see 'tacho run --help'
[64]

$ tacho run --timeout 1s --timeout 2s -c true -c true
! tacho: --timeout is one for all commands; it is given more than once
! see 'tacho run --help'
[64]

$ tacho run --input /dev/null --cwd / --input /dev/zero -c true -c true
! tacho: --input is one for all commands; it is given more than once
! see 'tacho run --help'
[64]

$ tacho sweep --setup a --setup b --grid x=1,2 -- true
! tacho: --setup is given 2 times for 1 command; give it once for all commands, or once for each
! see 'tacho sweep --help'
[64]

# Energy says what it is worth, in every format. No figure is guessed: only fixed:WATTS gives one here.
$ project/try 'tacho run -q -n 2 --power fixed:20 --idle 100ms -- sleep 0.01 | sed -n "/energy/{s/  */ /g;s/[0-9.]\+ \(J\|ms\|%\)/N \1/g;p}"; cut -d, -f2 tacho-out/sleep/latest/power.csv | sort -u; tacho report -f csv tacho-out/sleep/latest | cut -d, -f24-26; tacho report -f prometheus tacho-out/sleep/latest | grep -c "status=\"estimated\",source=\"fixed\",domain=\"given\""; grep -o "^energy: estimated by fixed" tacho-out/sleep/latest/report.md; tacho compare tacho-out/sleep/latest tacho-out/sleep/latest | grep -o "energy, estimated by fixed"; grep -o "Power while it ran, in watts (fixed:given:estimated)" tacho-out/sleep/latest/report.html | sort -u'
|  energy, estimated N J - N J … N J (range) N J N J
|  energy: estimated by fixed (given); idle power 20 W, estimated for N ms before while the CPUs were N % busy, which is N J of a run
| fixed:given:estimated
| source
| energy_status,energy_source,energy_domain
| estimated,fixed,given
| estimated,fixed,given
| 3
| energy: estimated by fixed
| energy, estimated by fixed
| Power while it ran, in watts (fixed:given:estimated)
