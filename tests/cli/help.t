# Without a command, tacho prints a short help on stderr and exits with 64.
$ tacho
! tacho - make benchmark runs observable, reproducible and gateable
! 
! Usage: tacho COMMAND [OPTIONS] [ARGUMENTS]
!        tacho --help | --version
! 
! Commands:
!   baseline     save, list, show, promote and remove baselines of the gate
!   calibrate    measure which changes this machine can see, and with how many
!                runs
!   compare      compare runs side by side, with intervals and verdicts
!   completion   print a completion script for a shell
!   doctor       show what this machine can measure and what disturbs it
!   events       validate, summarise, compare and import profile events
!   fingerprint  hash a JSON document, a run or the environment
!   flame        capture, fold, draw, compare and convert flamegraphs
!   gate         judge the benches of tacho.yaml against baselines or another
!                commit, for CI
!   help         show the help of tacho or of one of its commands
!   history      keep results over time, and find since when they changed
!   import       turn results of other benchmark tools into run folders
!   plan         compute how many runs a comparison needs, and how long they take
!   report       write HTML, Markdown, JSON, CSV or other reports of run folders
!   run          run a command repeatedly, record everything, write a run folder
!   stats        print latency statistics of a column of numbers
!   sweep        run a command over a grid of parameters
!   trace        inspect, convert, merge, slice and check recordings and traces
!   watch        show memory, CPU and power of a process tree, live
!   witness      seal results, and show whether they were changed since
! 
! See 'tacho --help' for details.
[64]

$ tacho --help
| tacho - make benchmark runs observable, reproducible and gateable
| 
| Usage: tacho COMMAND [OPTIONS] [ARGUMENTS]
|        tacho --help | --version
| 
| tacho records how long a benchmark takes, how much memory and energy it uses,
| and in which configuration and on which machine it runs. It then says whether
| the result is better or worse than before.
| 
| Commands:
|   baseline     save, list, show, promote and remove baselines of the gate
|   calibrate    measure which changes this machine can see, and with how many
|                runs
|   compare      compare runs side by side, with intervals and verdicts
|   completion   print a completion script for a shell
|   doctor       show what this machine can measure and what disturbs it
|   events       validate, summarise, compare and import profile events
|   fingerprint  hash a JSON document, a run or the environment
|   flame        capture, fold, draw, compare and convert flamegraphs
|   gate         judge the benches of tacho.yaml against baselines or another
|                commit, for CI
|   help         show the help of tacho or of one of its commands
|   history      keep results over time, and find since when they changed
|   import       turn results of other benchmark tools into run folders
|   plan         compute how many runs a comparison needs, and how long they take
|   report       write HTML, Markdown, JSON, CSV or other reports of run folders
|   run          run a command repeatedly, record everything, write a run folder
|   stats        print latency statistics of a column of numbers
|   sweep        run a command over a grid of parameters
|   trace        inspect, convert, merge, slice and check recordings and traces
|   watch        show memory, CPU and power of a process tree, live
|   witness      seal results, and show whether they were changed since
| 
| Options:
|   -V, --version  show the version
|   -h, --help     show this help
| 
| Examples:
|   tacho run -- ./bench --quick
|       Run a program until its median is precise; write a folder and a report.
|   tacho run -c './old' -c './new'
|       Compare two programs, with interleaved runs.
|   tacho flame -- ./bench
|       Draw a flamegraph.
|   tacho gate init
|       Write settings and a CI workflow that fails when something got slower or
|       larger.
|   tacho doctor
|       Show what this machine can measure, what disturbs it, and how to fix that.
| 
| Exit status:
|   0    success
|   1    the command could not do its work
|   2    a check failed
|   3    only warnings, with --fail-on-warn
|   4    NOT JUDGED: there was nothing to compare with
|   64   wrong usage
|   130  stopped by Ctrl-C (143: SIGTERM, 129: SIGHUP)
| 
| See 'tacho COMMAND --help' for the details of a command.

$ tacho -h | head -1
| tacho - make benchmark runs observable, reproducible and gateable

$ tacho help | head -1
| tacho - make benchmark runs observable, reproducible and gateable

$ tacho --version
| tacho 0.1.0

$ tacho -V
| tacho 0.1.0

$ tacho doctor --help
| tacho doctor - show what this machine can measure and what disturbs it
| 
| Usage: tacho doctor [--json] [--quiet] [--fail-on-warn]
| 
| Checks performance events, power sources, clocks, memory accounting and tools,
| and then everything that makes benchmark results vary. At the end it lists which
| features of tacho are available, degraded or absent here. Each finding is ok, a
| warning, missing, or not applicable to this machine. For a warning or something
| missing, doctor prints the command that fixes it. It changes nothing itself; you
| run the commands.
| 
| Options:
|       --fail-on-warn  exit with 3 if there is a warning or something is missing
|       --json          print the result as JSON
|   -q, --quiet         show no progress and only essential output
|       --color WHEN    use colours: auto (on a terminal), always or never
|       --width N       fit tables into N columns
|   -h, --help          show this help
| 
| Examples:
|   tacho doctor --quiet
|       Show only warnings and what is missing.
|   tacho doctor --json | jq -r '.probes[].fix // empty'
|       Print only the commands that fix something.
| 
| Exit status:
|   0   success
|   1   the command could not do its work
|   3   there is a warning or something is missing, and --fail-on-warn was given
|   64  wrong usage

$ tacho help doctor | head -1
| tacho doctor - show what this machine can measure and what disturbs it

$ tacho help completion
| tacho completion - print a completion script for a shell
| 
| Usage: tacho completion SHELL
| 
| The script completes commands, options, their values and file names. It asks the
| tacho of PATH for them, so it need not be printed again for another version.
| 
| Arguments:
|   SHELL  bash, zsh or fish
| 
| Options:
|   -q, --quiet       show no progress and only essential output
|       --color WHEN  use colours: auto (on a terminal), always or never
|       --width N     fit tables into N columns
|   -h, --help        show this help
| 
| Examples:
|   source <(tacho completion bash)
|       Turn on completion in the current bash.
|   tacho completion zsh > ~/.zfunc/_tacho
|       Turn on completion in new zsh sessions; ~/.zfunc must be in fpath before
|       compinit runs.
|   tacho completion fish > ~/.config/fish/completions/tacho.fish
|       Turn on completion in new fish sessions.
| 
| Exit status:
|   0   success
|   1   the command could not do its work
|   64  wrong usage

$ tacho help help
| tacho help - show the help of tacho or of one of its commands
| 
| Usage: tacho help [--man] [COMMAND [COMMAND]]
| 
| Arguments:
|   COMMAND  a command, or a command and its sub-command (default: tacho itself)
| 
| Options:
|       --man         print the source of the manual page
|   -q, --quiet       show no progress and only essential output
|       --color WHEN  use colours: auto (on a terminal), always or never
|       --width N     fit tables into N columns
|   -h, --help        show this help
| 
| Examples:
|   tacho help doctor
|       Show the help of tacho doctor.
|   tacho help --man doctor | man -l -
|       Show it as a manual page.
| 
| Exit status:
|   0   success
|   1   the command could not do its work
|   64  wrong usage

# A narrow terminal, and one that is wider than prose should be.
$ tacho doctor --help --width 50
| tacho doctor - show what this machine can measure and what disturbs it
| 
| Usage: tacho doctor [--json] [--quiet] [--fail-on-warn]
| 
| Checks performance events, power sources, clocks,
| memory accounting and tools, and then everything
| that makes benchmark results vary. At the end it
| lists which features of tacho are available,
| degraded or absent here. Each finding is ok, a
| warning, missing, or not applicable to this
| machine. For a warning or something missing,
| doctor prints the command that fixes it. It
| changes nothing itself; you run the commands.
| 
| Options:
|       --fail-on-warn  exit with 3 if there is a
|                       warning or something is
|                       missing
|       --json          print the result as JSON
|   -q, --quiet         show no progress and only
|                       essential output
|       --color WHEN    use colours: auto (on a
|                       terminal), always or never
|       --width N       fit tables into N columns
|   -h, --help          show this help
| 
| Examples:
|   tacho doctor --quiet
|       Show only warnings and what is missing.
|   tacho doctor --json | jq -r '.probes[].fix // empty'
|       Print only the commands that fix something.
| 
| Exit status:
|   0   success
|   1   the command could not do its work
|   3   there is a warning or something is missing,
|       and --fail-on-warn was given
|   64  wrong usage

$ tacho doctor --help --width 200
| tacho doctor - show what this machine can measure and what disturbs it
| 
| Usage: tacho doctor [--json] [--quiet] [--fail-on-warn]
| 
| Checks performance events, power sources, clocks, memory accounting and tools, and then everything
| that makes benchmark results vary. At the end it lists which features of tacho are available,
| degraded or absent here. Each finding is ok, a warning, missing, or not applicable to this machine.
| For a warning or something missing, doctor prints the command that fixes it. It changes nothing
| itself; you run the commands.
| 
| Options:
|       --fail-on-warn  exit with 3 if there is a warning or something is missing
|       --json          print the result as JSON
|   -q, --quiet         show no progress and only essential output
|       --color WHEN    use colours: auto (on a terminal), always or never
|       --width N       fit tables into N columns
|   -h, --help          show this help
| 
| Examples:
|   tacho doctor --quiet
|       Show only warnings and what is missing.
|   tacho doctor --json | jq -r '.probes[].fix // empty'
|       Print only the commands that fix something.
| 
| Exit status:
|   0   success
|   1   the command could not do its work
|   3   there is a warning or something is missing, and --fail-on-warn was given
|   64  wrong usage

# Colours on request.
$ tacho completion --help --color always | tr '\033' '^' | head -8
| ^[1mtacho completion^[0m - print a completion script for a shell
| 
| ^[1mUsage:^[0m tacho completion SHELL
| 
| The script completes commands, options, their values and file names. It asks the
| tacho of PATH for them, so it need not be printed again for another version.
| 
| ^[1mArguments:^[0m

# Sub-commands.
$ sample events
! tacho events - profile events
! 
! Usage: tacho events COMMAND
! 
! Commands:
!   import    read foreign events
!   validate  check events
! 
! See 'tacho events --help' for details.
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
| See 'tacho events COMMAND --help' for the details of a command.

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
|   -q, --quiet          show no progress and only essential output
|       --color WHEN     use colours: auto (on a terminal), always or never
|       --width N        fit tables into N columns
|   -h, --help           show this help
| 
| Exit status:
|   0   success
|   1   the command could not do its work
|   64  wrong usage

$ sample help events import | head -1
| tacho events import - read foreign events
