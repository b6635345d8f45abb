# Without a command: short help on stderr, wrong usage.
$ tacho
! tacho - make benchmark runs observable, reproducible and gateable
! 
! Usage: tacho COMMAND [OPTIONS] [ARGUMENTS]
!        tacho --help | --version
! 
! Commands:
!   baseline     save, list, show, promote, remove what the gate compares with
!   calibrate    which changes this machine can see, and with how many runs
!   compare      runs side by side, with intervals and verdicts
!   completion   print a completion script for a shell
!   doctor       what this machine can measure, what disturbs it, how to fix that
!   events       validate, summarise, compare and import profile events
!   fingerprint  hash a configuration, a run, the environment
!   flame        capture, fold, draw, compare and convert flamegraphs
!   gate         run what tacho.yaml lists, judge it against baselines or another
!                commit, for CI
!   help         explain tacho or one of its commands
!   plan         how many runs a comparison needs, and how long they take
!   report       HTML, Markdown, JSON, CSV, JUnit or Prometheus from run folders
!   run          run a command repeatedly, record everything, write a run folder
!   stats        latency statistics of a column of numbers
!   sweep        run a command over a grid of parameters, a run folder a cell
!   trace        look into recordings and traces, convert, cut and check them
!   watch        memory, CPU and power of a process tree, live
!   witness      prove that results were not changed since, and that they come out
!                again
! 
! 'tacho --help' tells more.
[64]

$ tacho --help
| tacho - make benchmark runs observable, reproducible and gateable
| 
| Usage: tacho COMMAND [OPTIONS] [ARGUMENTS]
|        tacho --help | --version
| 
| A benchmark run under tacho leaves evidence: how long it took, what it held in
| memory, what energy it drew, under exactly which configuration and machine, and
| whether that is better or worse than before.
| 
| Commands:
|   baseline     save, list, show, promote, remove what the gate compares with
|   calibrate    which changes this machine can see, and with how many runs
|   compare      runs side by side, with intervals and verdicts
|   completion   print a completion script for a shell
|   doctor       what this machine can measure, what disturbs it, how to fix that
|   events       validate, summarise, compare and import profile events
|   fingerprint  hash a configuration, a run, the environment
|   flame        capture, fold, draw, compare and convert flamegraphs
|   gate         run what tacho.yaml lists, judge it against baselines or another
|                commit, for CI
|   help         explain tacho or one of its commands
|   plan         how many runs a comparison needs, and how long they take
|   report       HTML, Markdown, JSON, CSV, JUnit or Prometheus from run folders
|   run          run a command repeatedly, record everything, write a run folder
|   stats        latency statistics of a column of numbers
|   sweep        run a command over a grid of parameters, a run folder a cell
|   trace        look into recordings and traces, convert, cut and check them
|   watch        memory, CPU and power of a process tree, live
|   witness      prove that results were not changed since, and that they come out
|                again
| 
| Options:
|   -V, --version  show the version
|   -h, --help     show this help
| 
| Examples:
|   tacho run -- ./bench --quick
|       Run it until the median is precise; a folder and a report.
|   tacho run -c './old' -c './new'
|       Two programs in turns, compared with intervals.
|   tacho flame -- ./bench
|       A flamegraph of it, a fraction of a second after it ends.
|   tacho gate init
|       Settings and a CI workflow that fail on what got slower or larger.
|   tacho doctor
|       What this machine can measure, what disturbs it, and how to mend that.
| 
| Exit status:
|   0   fine
|   1   could not do the work
|   2   a check failed
|   3   only warnings, with --fail-on-warn
|   64  wrong usage
| 
| 'tacho COMMAND --help' tells more about one of them.

$ tacho -h | head -1
| tacho - make benchmark runs observable, reproducible and gateable

$ tacho help | head -1
| tacho - make benchmark runs observable, reproducible and gateable

$ tacho --version
| tacho 0.1.0

$ tacho -V
| tacho 0.1.0

$ tacho doctor --help
| tacho doctor - what this machine can measure, what disturbs it, how to fix that
| 
| Usage: tacho doctor [--json] [--quiet] [--fail-on-warn]
| 
| Looks at performance events, power sources, clocks, memory accounting and tools,
| then at what makes a benchmark's results vary. Each finding is ok, a warning,
| missing, or not applicable to this machine; a warning and what is missing come
| with the command that fixes them. Nothing is changed: the commands are for you
| to run.
| 
| Options:
|       --fail-on-warn  exit with 3 when there is a warning or something is
|                       missing
|       --json          print the result as JSON
|   -q, --quiet         no progress, and only what matters
|       --color WHEN    colours: auto (on a terminal), always, never
|       --width N       fit tables into N columns
|   -h, --help          show this help
| 
| Examples:
|   tacho doctor --quiet
|       Only what is not as it should be.
|   tacho doctor --json | jq -r '.probes[].fix // empty'
|       Only what would fix it.
| 
| Exit status:
|   0   fine
|   1   could not do the work
|   3   a warning, or something missing, with --fail-on-warn
|   64  wrong usage

$ tacho help doctor | head -1
| tacho doctor - what this machine can measure, what disturbs it, how to fix that

$ tacho help completion
| tacho completion - print a completion script for a shell
| 
| Usage: tacho completion SHELL
| 
| The script completes commands, options, their values and file names. It is made
| from the same tables as this help, so it knows exactly the commands of this
| tacho.
| 
| Arguments:
|   SHELL  bash, zsh or fish
| 
| Options:
|   -q, --quiet       no progress, and only what matters
|       --color WHEN  colours: auto (on a terminal), always, never
|       --width N     fit tables into N columns
|   -h, --help        show this help
| 
| Examples:
|   source <(tacho completion bash)
|       Completion in this bash, until it ends.
|   tacho completion zsh > ~/.zfunc/_tacho
|       For every zsh to come; ~/.zfunc must be in fpath before compinit runs.
|   tacho completion fish > ~/.config/fish/completions/tacho.fish
|       For every fish to come.
| 
| Exit status:
|   0   fine
|   1   could not do the work
|   64  wrong usage

$ tacho help help
| tacho help - explain tacho or one of its commands
| 
| Usage: tacho help [--man] [COMMAND [COMMAND]]
| 
| Arguments:
|   COMMAND  a command, and a command of that one; none: tacho itself
| 
| Options:
|       --man         print the man page's source instead
|   -q, --quiet       no progress, and only what matters
|       --color WHEN  colours: auto (on a terminal), always, never
|       --width N     fit tables into N columns
|   -h, --help        show this help
| 
| Examples:
|   tacho help doctor
|       How tacho doctor is called.
|   tacho help --man doctor | man -l -
|       The same as a man page.
| 
| Exit status:
|   0   fine
|   1   could not do the work
|   64  wrong usage

# Narrow, and wider than prose should be.
$ tacho doctor --help --width 50
| tacho doctor - what this machine can measure, what disturbs it, how to fix that
| 
| Usage: tacho doctor [--json] [--quiet] [--fail-on-warn]
| 
| Looks at performance events, power sources,
| clocks, memory accounting and tools, then at what
| makes a benchmark's results vary. Each finding is
| ok, a warning, missing, or not applicable to this
| machine; a warning and what is missing come with
| the command that fixes them. Nothing is changed:
| the commands are for you to run.
| 
| Options:
|       --fail-on-warn  exit with 3 when there is a
|                       warning or something is
|                       missing
|       --json          print the result as JSON
|   -q, --quiet         no progress, and only what
|                       matters
|       --color WHEN    colours: auto (on a
|                       terminal), always, never
|       --width N       fit tables into N columns
|   -h, --help          show this help
| 
| Examples:
|   tacho doctor --quiet
|       Only what is not as it should be.
|   tacho doctor --json | jq -r '.probes[].fix // empty'
|       Only what would fix it.
| 
| Exit status:
|   0   fine
|   1   could not do the work
|   3   a warning, or something missing, with
|       --fail-on-warn
|   64  wrong usage

$ tacho doctor --help --width 200
| tacho doctor - what this machine can measure, what disturbs it, how to fix that
| 
| Usage: tacho doctor [--json] [--quiet] [--fail-on-warn]
| 
| Looks at performance events, power sources, clocks, memory accounting and tools, then at what makes
| a benchmark's results vary. Each finding is ok, a warning, missing, or not applicable to this
| machine; a warning and what is missing come with the command that fixes them. Nothing is changed:
| the commands are for you to run.
| 
| Options:
|       --fail-on-warn  exit with 3 when there is a warning or something is missing
|       --json          print the result as JSON
|   -q, --quiet         no progress, and only what matters
|       --color WHEN    colours: auto (on a terminal), always, never
|       --width N       fit tables into N columns
|   -h, --help          show this help
| 
| Examples:
|   tacho doctor --quiet
|       Only what is not as it should be.
|   tacho doctor --json | jq -r '.probes[].fix // empty'
|       Only what would fix it.
| 
| Exit status:
|   0   fine
|   1   could not do the work
|   3   a warning, or something missing, with --fail-on-warn
|   64  wrong usage

# Colours on request.
$ tacho completion --help --color always | tr '\033' '^' | head -8
| ^[1mtacho completion^[0m - print a completion script for a shell
| 
| ^[1mUsage:^[0m tacho completion SHELL
| 
| The script completes commands, options, their values and file names. It is made
| from the same tables as this help, so it knows exactly the commands of this
| tacho.
| 

# Commands below a command.
$ sample events
! tacho events - profile events
! 
! Usage: tacho events COMMAND
! 
! Commands:
!   import    read foreign events
!   validate  check events
! 
! 'tacho events --help' tells more.
[64]

$ sample events --help
| tacho events - profile events
| 
| Usage: tacho events COMMAND
| 
| Commands:
|   import    read foreign events
|   validate  check events
| 
| Options:
|   -h, --help  show this help
| 
| 'tacho events COMMAND --help' tells more about one of them.

$ sample events import --help
| tacho events import - read foreign events
| 
| Usage: tacho events import [OPTIONS] FILE [DIR]
| 
| One paragraph.
| 
| Another one.
| 
| Arguments:
|   FILE  what to read
|   DIR   where to put it
| 
| Options:
|   -f, --format FORMAT  csv or jsonl
|   -o, --output FILE    where to
|   -s, --strict         it's [all]: or nothing
|       --json           print the result as JSON
|   -q, --quiet          no progress, and only what matters
|       --color WHEN     colours: auto (on a terminal), always, never
|       --width N        fit tables into N columns
|   -h, --help           show this help
| 
| Exit status:
|   0   fine
|   1   could not do the work
|   64  wrong usage

$ sample help events import | head -1
| tacho events import - read foreign events
