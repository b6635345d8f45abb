# What it takes, and what it says of itself.
$ tacho sweep --help
| tacho sweep - run a command over a grid of parameters, a run folder a cell
| 
| Usage: tacho sweep --grid NAME=VALUE,... [OPTIONS] [--] COMMAND [ARGUMENT...]
|        tacho sweep --grid NAME=VALUE,... [OPTIONS] -c LINE
|        tacho sweep [--file FILE] [OPTIONS]
| 
| Runs the command for every combination of the parameters. {NAME} in its words,
| in --env, --prepare, --conclude, --server, --ready, --input and --output becomes
| the value. Runs are made in blocks: each is every cell once, in an order
| shuffled by --seed, so that what drifts falls on all cells alike. With
| --baseline a block is made of rounds of up to 8 cells, in each of which the
| baseline is run once, and ratios are of runs of the same round.
| 
| Everything is in OUT/NAME: results.csv and sweep.json with a row a cell,
| report.html, figs/*.svg, and in cells/ the run folder of each cell, as tacho run
| makes it. The same command line again goes on where it was killed or
| interrupted; cells that are done are not run again. A cell that fails is
| recorded as failed, and the sweep goes on.
| 
| The cell of the least cost, or that no other beats in all that --pareto names,
| is marked as best; while several are not told apart, each is maybe best. Along
| one numeric parameter the cost is fitted to a + b f(n) with f of 1, log n, n, n
| log n, n^2, n^3.
| 
| Without a command, or with --file, the section 'sweep' of a YAML file says what
| is to be done: every option by its name, and the command as 'command'. What is
| on the command line counts more.
| 
| Arguments:
|   COMMAND  what to run, with {NAME} where a parameter goes
| 
| Options:
|   -c, --command LINE               the command as a line, split into words as a
|                                    shell does
|   -g, --grid NAME=VALUE,...        a parameter and its values; give several for
|                                    all combinations
|       --range NAME=FROM:TO[:STEP]  a parameter from FROM to TO, adding STEP
|                                    (default 1), or log10 to multiply by 10
|   -b, --baseline LINE              a command run among the cells that they are
|                                    compared with; may take parameters too
|   -n, --repeat N                   N runs of each cell, one a block (default 10)
|       --name NAME                  the sweep's name (default: that of the
|                                    program)
|   -o, --out DIR                    where its folder goes (default tacho-out)
|       --seed N                     of the order (default 1)
|       --fresh                      start over, whatever is there
|       --retry-failed               run cells again that failed before
|       --pareto MEASURE,...         choose the best by these, max:MEASURE where
|                                    more is better (default: the cost)
|       --best-per NAME,...          choose the best for each value of these
|                                    parameters, which make up the workload
|       --cost MEASURE               what figures and fits are of, by a name of
|                                    run.json or tacho compare (default wall)
|       --along NAME                 the parameter that the cost is fitted to;
|                                    needed where several are numeric
|       --expect GROWTH              1, 'log n', n, 'n log n', n^2 or n^3; '<= n'
|                                    for at most: end with 2 otherwise
|       --raw                        results.csv: write names as they are, also
|                                    those that a spreadsheet takes for a formula
|   -f, --file FILE                  take the section 'sweep' of FILE (default,
|                                    without a command: tacho.yaml)
|   -S, --shell                      run each command by sh -c
|   -w, --warmup N                   N runs of each before, not counted
|       --setup LINE                 run LINE once before all, by sh -c
|       --prepare LINE               run LINE before each run
|       --conclude LINE              run LINE after each run
|       --cleanup LINE               run LINE once after all
|       --server LINE                a server to run against: started by sh -c,
|                                    watched, ended afterwards
|       --ready REGEX|PORT           when the server is ready: what it prints
|                                    then, or the port it listens on
|       --timeout TIME               end a run after TIME: TERM to its process
|                                    group, KILL a second later
|       --cwd DIR                    run in DIR
|       --env K=V                    set an environment variable
|       --keep-env NAME              record the value of NAME, though its name
|                                    looks like a secret
|       --input FILE                 standard input of each run (default: empty)
|       --output WHERE               what it prints: null (default), inherit, or a
|                                    file for all runs
|   -i, --allow-nonzero              go on when a run fails; it is left out of the
|                                    statistics
|       --cpu LIST                   run on these CPUs only, such as 2 or 0-3,6
|       --no-aslr                    the same addresses in every run
|       --flame                      one extra run under the profiler, not
|                                    counted: a flamegraph in the report
|       --count LIST                 count in extra runs, not timed: instructions,
|                                    syscalls, allocations, allocated-bytes,
|                                    faults
|       --count-runs N               counted runs for each count; equal in all of
|                                    them is exact (default 2)
|       --trace                      write trace.json: a span a run, memory and
|                                    power, what the program recorded
|   -m, --metric NAME=REGEX          a number it prints, the last of each run;
|                                    all:NAME=REGEX takes every one; or what it
|                                    records: span:NAME, stage:EVENT.STAGE or
|                                    latency:NAME, with :total, :count, :mean,
|                                    :p50, :p99 or :max
|       --work N[UNIT]               what a run does, such as 200samples: gives
|                                    the throughput
|       --label K=V                  a note in run.json
|       --config FILE                a JSON file that says what is run; its hash
|                                    and content go into run.json
|       --interval TIME              look at memory and power every TIME (default
|                                    10ms)
|       --power SOURCE               auto (default), none, rapl, perf, hwmon,
|                                    battery, nvml, rocm, or fixed:WATTS
|       --seal                       write seal.jsonl, with which 'tacho witness
|                                    verify' finds any file changed since
|       --fail-on-warn               end with 3 when there are warnings
|       --json                       print the result as JSON
|   -q, --quiet                      show no progress and only essential output
|       --color WHEN                 use colours: auto (on a terminal), always or
|                                    never
|       --width N                    fit tables into N columns
|   -h, --help                       show this help
| 
| Examples:
|   tacho sweep --grid lambda=0.3,0.5,0.7 --grid tau=0,2 -b './attn --softmax' -- ./attn --lambda {lambda} --tau {tau}
|       Six cells, each compared with the baseline.
|   tacho sweep --range n=1000:1000000:log10 --expect 'n log n' -- ./sort {n}
|       How the time grows, and whether it does as it should.
|   tacho sweep -g threads=1,2,4 -g lib=old,new -b './prog --lib old -j {threads}' -- ./prog --lib {lib} -j {threads}
|       Each number of threads has a baseline of its own.
| 
| Exit status:
|   0    success
|   1    the command could not do its work
|   2    the cost does not grow as --expect says
|   3    cells have warnings, with --fail-on-warn
|   4    NOT JUDGED: --expect was given, and there are too few values to check it
|   64   wrong usage
|   130  stopped by Ctrl-C (143: SIGTERM, 129: SIGHUP)

# Parameters: each mistake by name.
$ tacho sweep
! tacho: there is no command: tacho sweep --grid n=1,2 -- COMMAND {n}
! see 'tacho sweep --help'
[64]

$ tacho sweep -- ./prog {n}
! tacho: there is no parameter: --grid NAME=VALUE,... or --range
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
! tacho: parameter 'n' is there twice
! see 'tacho sweep --help'
[64]

$ tacho sweep --range n=1:2:log -- ./prog {n}
! tacho: '1:2:log' is no range: START:END, START:END:STEP or START:END:log10
! see 'tacho sweep --help'
[64]

$ tacho sweep --range n=0:10:log10 -- ./prog {n}
! tacho: the range '0:10:log10' needs a start above 0 and a base above 1
! see 'tacho sweep --help'
[64]

$ tacho sweep --range n=1:100000 -- ./prog {n}
! tacho: a grid can have 10000 cells; 'n' makes it larger
! see 'tacho sweep --help'
[64]

$ tacho sweep --grid state=a,b -- ./prog {state}
! tacho: a parameter cannot be called 'state': that is a column of the results
! see 'tacho sweep --help'
[64]

$ tacho sweep --grid n=1,2 --grid m=1,2 -- ./prog {n}
! tacho: parameter 'm' is not used: write {m} where its value goes in the command
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
! tacho: option '--name' needs letters, digits, '.', '_' and '-', not 'a/b'
! see 'tacho sweep --help'
[64]

$ tacho sweep --grid n=1 --expect n! -- ./prog {n}
! tacho: 'n!' is no growth: 1, log n, n, n log n, n^2 or n^3, perhaps with <= before it
! see 'tacho sweep --help'
[64]

$ tacho sweep --grid n=1 --baseline 'a | b' -- ./prog {n}
! tacho: cannot split 'a | b': '|' needs a shell (quote it if it is meant as it is); --shell runs it by sh -c
! see 'tacho sweep --help'
[64]

$ tacho sweep --grid n=1 --metric x -- ./prog {n}
! tacho: 'x' is not NAME=REGEX: there is no '='
! see 'tacho sweep --help'
[64]

$ tacho sweep --file nowhere.yaml
! tacho: cannot open 'nowhere.yaml': No such file or directory
[1]

# Options of tacho run that a sweep has in another form.
$ tacho sweep --grid n=1,2 --runs 5 -- ./prog {n}
! tacho: 'tacho sweep' does not take --runs: every cell is run as often, once in each block: --repeat N
! see 'tacho sweep --help'
[64]

$ tacho sweep --grid n=1,2 -p 1% -- ./prog {n}
! tacho: 'tacho sweep' does not take -p: every cell is run as often, once in each block: --repeat N
! see 'tacho sweep --help'
[64]

$ tacho sweep --grid n=1,2 --max-time 5s -- ./prog {n}
! tacho: 'tacho sweep' does not take --max-time: every cell is run as often, once in each block: --repeat N; Ctrl-C ends it, and the same line goes on later
! see 'tacho sweep --help'
[64]

$ tacho sweep --grid n=1,2 --pass-status -- ./prog {n}
! tacho: 'tacho sweep' does not take --pass-status: it goes on when a cell fails; each status is in that cell's run.json
! see 'tacho sweep --help'
[64]

$ tacho sweep --grid n=1,2 --shell -- ./prog {n}
! tacho: --shell is for a command given by -c: -c './prog {n}'
! see 'tacho sweep --help'
[64]
