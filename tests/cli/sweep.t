# The help.
$ tacho sweep --help
| tacho sweep - run a command over a grid of parameters
| 
| Usage: tacho sweep --grid NAME=VALUE,... [OPTIONS] [--] COMMAND [ARGUMENT...]
|        tacho sweep --grid NAME=VALUE,... [OPTIONS] -c LINE
|        tacho sweep [--file FILE] [OPTIONS]
| 
| Runs the command for every combination of the parameters' values, called a cell.
| {NAME} in its words, in --env, --prepare, --conclude, --server, --ready, --input
| and --command-output is replaced by the value. A block runs every cell once, in
| an order shuffled by --seed, so that a drift of the machine affects all cells
| alike. With --baseline a block consists of rounds of up to 8 cells; each round
| runs the baseline once, and cells are compared with the baseline of the same
| round.
| 
| The folder OUT/NAME contains results.csv and sweep.json with one row per cell,
| report.html, figs/*.svg and, in cells/, the run folder of each cell as tacho run
| writes it. If a sweep was killed or interrupted, run the same command line again
| to continue; completed cells are not run again. A larger --repeat, more values
| of a parameter or a longer --timeout extend the sweep; only what is missing
| runs. A cell that fails is recorded as failed, and the sweep continues.
| 
| The cell with the lowest cost is marked as best; with --pareto, each cell that
| no other cell beats. Cells that cannot be distinguished from the best are marked
| as maybe best. The cost is fitted along one numeric parameter to a + b f(n),
| with f one of 1, log n, n, n log n, n^2, n^3.
| 
| Without a command, or with --file, options are read from the section 'sweep' of
| a YAML file: every option by its name, and the command as 'command'. The command
| line overrides the file.
| 
| Arguments:
|   COMMAND  a program and its arguments, with {NAME} in place of a parameter
| 
| Options:
|   -c, --command LINE               run LINE, split into words as by a shell
|   -g, --grid NAME=VALUE,...        run the command with each VALUE of parameter
|                                    NAME; repeat for all combinations
|       --range NAME=FROM:TO[:STEP]  run the command with NAME from FROM to TO,
|                                    adding STEP, or multiplying by 10 for a STEP
|                                    of log10 (default 1)
|   -b, --baseline LINE              compare the cells with this command, which
|                                    may contain parameters
|   -n, --repeat N                   run each cell N times, once per block
|                                    (default 10)
|       --name NAME                  name the sweep (default: the program's name)
|   -o, --out-dir DIR                write the sweep's folder into DIR (default
|                                    tacho-out)
|       --seed N                     draw the random order from seed N (default 1)
|       --fresh                      start over instead of continuing an earlier
|                                    sweep
|       --retry-failed               run failed cells again
|       --pareto MEASURE,...         choose the best cells by these measures;
|                                    max:MEASURE if more is better (default: the
|                                    cost)
|       --best-per NAME,...          choose the best cells for each value of these
|                                    parameters
|       --cost MEASURE               draw and fit this measure, named as in
|                                    run.json or tacho compare (default wall)
|       --along NAME                 fit the cost to this parameter; needed if
|                                    several are numeric
|       --expect GROWTH              exit with 2 unless the cost grows like 1,
|                                    'log n', n, 'n log n', n^2 or n^3; '<= n' for
|                                    at most n
|       --raw                        do not escape names in results.csv that a
|                                    spreadsheet would take for a formula
|   -f, --file FILE                  read the section 'sweep' of FILE (default
|                                    without a command: tacho.yaml)
|   -S, --shell                      run each command line by sh -c
|   -w, --warmup N                   run each command N times before measuring
|                                    (default 0)
|       --setup LINE                 run LINE once before all runs, by sh -c
|       --prepare LINE               run LINE before each run, by sh -c
|       --conclude LINE              run LINE after each run, by sh -c
|       --cleanup LINE               run LINE once after all runs, by sh -c
|       --server LINE                start a server by sh -c, measure it during
|                                    the runs, stop it afterwards; needs --ready
|       --ready REGEX|PORT           wait until the server prints a line that
|                                    matches REGEX, or listens on PORT
|       --ready-timeout TIME         give up when the server is not ready after
|                                    TIME (default 60s)
|       --timeout TIME               kill a run that takes longer: SIGTERM to its
|                                    process group, SIGKILL one second later
|       --cwd DIR                    run the commands in DIR
|       --env K=V                    set an environment variable for the commands
|       --keep-env NAME              record the value of NAME unmasked, even if
|                                    its name looks like a secret
|       --input FILE                 use FILE as standard input of each run
|                                    (default: empty)
|       --command-output WHERE       send output to null (default), inherit, or a
|                                    file that all runs share
|   -i, --allow-nonzero              continue when a run fails; leave it out of
|                                    the statistics
|       --cpu LIST                   run the commands only on these CPUs, such as
|                                    2 or 0-3,6
|       --no-aslr                    switch off address space randomisation
|       --no-record                  do not set TACHO_RUN_DIR and the like, so
|                                    that a program linked with libtacho records
|                                    nothing and pays nothing for it
|       --flame                      add a flamegraph to the report, from one
|                                    extra run of each command; with --count, also
|                                    record the stacks of counted calls
|       --count LIST                 count exactly, in extra runs that are not
|                                    timed: instructions, syscalls, allocations,
|                                    allocated-bytes, faults
|       --count-runs N               make N counted runs for each count; a count
|                                    is exact if all are equal (default 2)
|       --trace                      write trace.json: one span per run, memory,
|                                    power, and what the program recorded
|   -m, --metric NAME=REGEX          measure a number that the command prints: the
|                                    last match of each run, or every match with
|                                    all:NAME=REGEX; or one that it records:
|                                    span:NAME, stage:EVENT.STAGE or latency:NAME,
|                                    with :total, :count, :mean, :p50, :p99 or
|                                    :max
|       --work-per-run N[UNIT]       show the throughput; each run does N units of
|                                    work, such as 200samples
|       --label K=V                  store a note in run.json
|       --config FILE                store a JSON document and its hash in
|                                    run.json, such as the program's configuration
|       --interval TIME              poll memory and power every TIME (default
|                                    10ms)
|       --columns WHICH              write memory.csv with the two columns that
|                                    are measured (short), or with all of
|                                    ruvector-profiler, the others 0 (reference)
|                                    (default short)
|       --power-source SOURCE        read power from auto (default), none, rapl,
|                                    perf, hwmon, battery, nvml, rocm, fixed:WATTS
|                                    or replay:FILE
|       --measure-idle TIME          measure the idle power of the machine for
|                                    TIME before the runs (at least 100ms)
|       --seal                       write seal.jsonl, by which 'tacho witness
|                                    verify' finds files that were changed later
|       --fail-on-warn               exit with 3 when there are warnings
|       --json                       print the result as JSON
|   -q, --quiet                      show no progress and only essential output
|       --color WHEN                 use colours: auto (on a terminal), always or
|                                    never
|       --width N                    fit tables into N columns
|   -h, --help                       show this help
| 
| Examples:
|   tacho sweep --grid lambda=0.3,0.5,0.7 --grid tau=0,2 -b './attn --softmax' -- ./attn --lambda {lambda} --tau {tau}
|       Compare each of six cells with the baseline.
|   tacho sweep --range n=1000:1000000:log10 --expect 'n log n' -- ./sort {n}
|       Check how the time grows with n.
|   tacho sweep -g threads=1,2,4 -g lib=old,new -b './prog --lib old -j {threads}' -- ./prog --lib {lib} -j {threads}
|       Use one baseline for each number of threads.
| 
| Exit status:
|   0    success
|   1    the command could not do its work
|   2    the cost does not grow as --expect says
|   3    cells have warnings, with --fail-on-warn
|   4    NOT JUDGED: there are too few values to check --expect
|   64   wrong usage
|   130  stopped by Ctrl-C (143: SIGTERM, 129: SIGHUP)

# Errors in parameters.
$ tacho sweep
! tacho: there is no command; add it: tacho sweep --grid n=1,2 -- COMMAND {n}
! see 'tacho sweep --help'
[64]

$ tacho sweep -- ./prog {n}
! tacho: there is no parameter; add --grid NAME=VALUE,... or --range
! see 'tacho sweep --help'
[64]

$ tacho sweep --grid n
! tacho: 'n' is not NAME=VALUE,VALUE...
! see 'tacho sweep --help'
[64]

$ tacho sweep --grid n=1,2,1 -- ./prog {n}
! tacho: parameter 'n' has the value '1' twice
! see 'tacho sweep --help'
[64]

$ tacho sweep --grid n=1 --range n=1:2 -- ./prog {n}
! tacho: parameter 'n' is given twice
! see 'tacho sweep --help'
[64]

$ tacho sweep --range n=1:2:log -- ./prog {n}
! tacho: '1:2:log' is not a range; use START:END, START:END:STEP or START:END:log10
! see 'tacho sweep --help'
[64]

$ tacho sweep --range n=0:10:log10 -- ./prog {n}
! tacho: the range '0:10:log10' needs a start above 0 and a base above 1
! see 'tacho sweep --help'
[64]

$ tacho sweep --range n=1:100000 -- ./prog {n}
! tacho: a grid has at most 10000 cells; 'n' has too many values
! see 'tacho sweep --help'
[64]

$ tacho sweep --grid state=a,b -- ./prog {state}
! tacho: a parameter cannot be called 'state', because results.csv has a column of this name
! see 'tacho sweep --help'
[64]

$ tacho sweep --grid n=1,2 --grid m=1,2 -- ./prog {n}
! tacho: parameter 'm' is not used; write {m} in the command where its value belongs
[1]

# The other options.
$ tacho sweep --grid n=1 --repeat 0 -- ./prog {n}
! tacho: option '--repeat' needs a number from 1 to 1000000, not '0'
! see 'tacho sweep --help'
[64]

$ tacho sweep --grid n=1 --seed x -- ./prog {n}
! tacho: option '--seed' needs a number, not 'x'
! see 'tacho sweep --help'
[64]

$ tacho sweep --grid n=1 --name a/b -- ./prog {n}
! tacho: option '--name' needs letters, digits, '.', '_' and '-', and no '.' at the beginning, not 'a/b'
! see 'tacho sweep --help'
[64]

$ tacho sweep --grid n=1 --expect n! -- ./prog {n}
! tacho: 'n!' is not a growth; use 1, log n, n, n log n, n^2 or n^3, optionally after <=
! see 'tacho sweep --help'
[64]

$ tacho sweep --grid n=1 --baseline 'a | b' -- ./prog {n}
! tacho: cannot split 'a | b': '|' needs a shell (quote it if it is part of a word); use --shell to run it by sh -c
! see 'tacho sweep --help'
[64]

$ tacho sweep --grid n=1 --metric x -- ./prog {n}
! tacho: 'x' is not NAME=REGEX: there is no '='
! see 'tacho sweep --help'
[64]

$ tacho sweep --file nowhere.yaml
! tacho: cannot open 'nowhere.yaml': No such file or directory
[1]

# Options of tacho run that a sweep replaces by others.
$ tacho sweep --grid n=1,2 --runs 5 -- ./prog {n}
! tacho: 'tacho sweep' does not take --runs: all cells have the same number of runs; use --repeat N
! see 'tacho sweep --help'
[64]

$ tacho sweep --grid n=1,2 -p 1% -- ./prog {n}
! tacho: 'tacho sweep' does not take -p: all cells have the same number of runs; use --repeat N
! see 'tacho sweep --help'
[64]

$ tacho sweep --grid n=1,2 --max-time 5s -- ./prog {n}
! tacho: 'tacho sweep' does not take --max-time: all cells have the same number of runs; use --repeat N, or interrupt it and continue later
! see 'tacho sweep --help'
[64]

$ tacho sweep --grid n=1,2 --pass-status -- ./prog {n}
! tacho: 'tacho sweep' does not take --pass-status: the sweep continues when a cell fails; each status is in that cell's run.json
! see 'tacho sweep --help'
[64]

$ tacho sweep --grid n=1,2 --shell -- ./prog {n}
! tacho: --shell is for a command given by -c: -c './prog {n}'
! see 'tacho sweep --help'
[64]

# The folder of a sweep is not that of a run.
$ project/try 'tacho sweep -q --repeat 1 -g n=1,2 -- true {n} >/dev/null; tacho report tacho-out/true; tacho run -q -n 1 -- true >/dev/null; tacho report tacho-out/true'
| tacho-out/true/latest/report.html
! tacho: cannot read the run 'tacho-out/true': it is the folder of a sweep, whose report is report.html; 'tacho-out/true/cells' contains one run folder per cell
