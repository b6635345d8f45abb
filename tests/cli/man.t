$ tacho help --man | sed '1s/"20[0-9-]*"/"DATE"/'
| .TH TACHO 1 "DATE" "tacho 0.1.0" "tacho manual"
| .SH NAME
| tacho \- make benchmark runs observable, reproducible and gateable
| .SH SYNOPSIS
| .B tacho COMMAND [OPTIONS] [ARGUMENTS]
| .br
| .B tacho \-\-help | \-\-version
| .SH DESCRIPTION
| tacho records how long a benchmark takes, how much memory and energy it uses, and in which configuration and on which machine it runs. It then says whether the result is better or worse than before.
| .SH COMMANDS
| .TP
| .B tacho baseline
| save, list, show, promote and remove baselines of the gate
| .TP
| .B tacho calibrate
| measure which changes this machine can see, and with how many runs
| .TP
| .B tacho compare
| compare runs side by side, with intervals and verdicts
| .TP
| .B tacho completion
| print a completion script for a shell
| .TP
| .B tacho doctor
| show what this machine can measure and what disturbs it
| .TP
| .B tacho events
| validate, summarise, compare and import profile events
| .TP
| .B tacho fingerprint
| hash a JSON document, a run or the environment
| .TP
| .B tacho flame
| capture, fold, draw, compare and convert flamegraphs
| .TP
| .B tacho gate
| judge the benches of tacho.yaml against baselines or another commit, for CI
| .TP
| .B tacho help
| show the help of tacho or of one of its commands
| .TP
| .B tacho history
| keep results over time, and find since when they changed
| .TP
| .B tacho import
| turn results of other benchmark tools into run folders
| .TP
| .B tacho plan
| compute how many runs a comparison needs, and how long they take
| .TP
| .B tacho report
| write HTML, Markdown, JSON, CSV or other reports of run folders
| .TP
| .B tacho run
| run a command repeatedly, record everything, write a run folder
| .TP
| .B tacho stats
| print latency statistics of a column of numbers
| .TP
| .B tacho sweep
| run a command over a grid of parameters
| .TP
| .B tacho trace
| inspect, convert, merge, slice and check recordings and traces
| .TP
| .B tacho watch
| show memory, CPU and power of a process tree, live
| .TP
| .B tacho witness
| seal results, and show whether they were changed since
| .SH OPTIONS
| .TP
| .B \-V, \-\-version
| show the version
| .TP
| .B \-h, \-\-help
| show this help
| .SH EXIT STATUS
| .TP
| .B 0
| success
| .TP
| .B 1
| the command could not do its work
| .TP
| .B 2
| a check failed
| .TP
| .B 3
| only warnings, with \-\-fail\-on\-warn
| .TP
| .B 4
| NOT JUDGED: there was nothing to compare with
| .TP
| .B 64
| wrong usage
| .TP
| .B 130
| stopped by Ctrl\-C (143: SIGTERM, 129: SIGHUP)
| .SH ENVIRONMENT
| .TP
| .B TACHO_RUN_DIR, TACHO_PROFILE_JSONL, TACHO_TRACE_OUT
| Where programs linked with libtacho record; 'tacho run' sets them for its command.
| .TP
| .B FERRUM_*
| Read in place of the TACHO_* variable of the same name where that is not set.
| .TP
| .B NO_COLOR
| If set and not empty, turns off colours unless \-\-color=always is given.
| .TP
| .B TERM
| If unset or dumb, turns off colours.
| .TP
| .B COLUMNS
| Width of tables in columns, instead of the terminal's.
| .TP
| .B LC_ALL, LC_CTYPE, LANG
| Decide whether the output may use UTF\-8; otherwise it is ASCII.
| .SH FILES
| .TP
| .B tacho\-out/
| Run folders and reports, unless \-\-out\-dir names another place.
| .TP
| .B tacho.yaml, .tacho/
| Settings, baselines and calibrations of 'tacho gate'.
| .TP
| .B PREFIX/share/doc/tacho/
| Documents, JSON schemas and examples.
| .SH EXAMPLES
| Run a program until its median is precise; write a folder and a report.
| .PP
| .RS 4
| .EX
| tacho run \-\- ./bench \-\-quick
| .EE
| .RE
| .PP
| Compare two programs, with interleaved runs.
| .PP
| .RS 4
| .EX
| tacho run \-c './old' \-c './new'
| .EE
| .RE
| .PP
| Draw a flamegraph.
| .PP
| .RS 4
| .EX
| tacho flame \-\- ./bench
| .EE
| .RE
| .PP
| Write settings and a CI workflow that fails when something got slower or larger.
| .PP
| .RS 4
| .EX
| tacho gate init
| .EE
| .RE
| .PP
| Show what this machine can measure, what disturbs it, and how to fix that.
| .PP
| .RS 4
| .EX
| tacho doctor
| .EE
| .RE
| .SH SEE ALSO
| .BR tacho\-baseline (1),
| .BR tacho\-calibrate (1),
| .BR tacho\-compare (1),
| .BR tacho\-completion (1),
| .BR tacho\-doctor (1),
| .BR tacho\-events (1),
| .BR tacho\-fingerprint (1),
| .BR tacho\-flame (1),
| .BR tacho\-gate (1),
| .BR tacho\-help (1),
| .BR tacho\-history (1),
| .BR tacho\-import (1),
| .BR tacho\-plan (1),
| .BR tacho\-report (1),
| .BR tacho\-run (1),
| .BR tacho\-stats (1),
| .BR tacho\-sweep (1),
| .BR tacho\-trace (1),
| .BR tacho\-watch (1),
| .BR tacho\-witness (1)

$ tacho help --man doctor | sed '1s/"20[0-9-]*"/"DATE"/'
| .TH TACHO\-DOCTOR 1 "DATE" "tacho 0.1.0" "tacho manual"
| .SH NAME
| tacho\-doctor \- show what this machine can measure and what disturbs it
| .SH SYNOPSIS
| .B tacho doctor [\-\-json] [\-\-quiet] [\-\-fail\-on\-warn]
| .SH DESCRIPTION
| Checks performance events, power sources, clocks, memory accounting and tools, and then everything that makes benchmark results vary. At the end it lists which features of tacho are available, degraded or absent here. Each finding is ok, a warning, missing, or not applicable to this machine. For a warning or something missing, doctor prints the command that fixes it. It changes nothing itself; you run the commands.
| .SH OPTIONS
| .TP
| .B \-\-fail\-on\-warn
| exit with 3 if there is a warning or something is missing
| .TP
| .B \-\-json
| print the result as JSON
| .TP
| .B \-q, \-\-quiet
| show no progress and only essential output
| .TP
| .B \-\-color WHEN
| use colours: auto (on a terminal), always or never
| .TP
| .B \-\-width N
| fit tables into N columns
| .TP
| .B \-h, \-\-help
| show this help
| .SH EXIT STATUS
| .TP
| .B 0
| success
| .TP
| .B 1
| the command could not do its work
| .TP
| .B 3
| there is a warning or something is missing, and \-\-fail\-on\-warn was given
| .TP
| .B 64
| wrong usage
| .SH ENVIRONMENT
| .TP
| .B PATH
| Where doctor searches for tools.
| .TP
| .B NO_COLOR
| If set and not empty, turns off colours unless \-\-color=always is given.
| .TP
| .B TERM
| If unset or dumb, turns off colours.
| .TP
| .B COLUMNS
| Width of tables in columns, instead of the terminal's.
| .TP
| .B LC_ALL, LC_CTYPE, LANG
| Decide whether the output may use UTF\-8; otherwise it is ASCII.
| .SH FILES
| .TP
| .B /proc, /sys
| Describe the machine.
| .SH EXAMPLES
| Show only warnings and what is missing.
| .PP
| .RS 4
| .EX
| tacho doctor \-\-quiet
| .EE
| .RE
| .PP
| Print only the commands that fix something.
| .PP
| .RS 4
| .EX
| tacho doctor \-\-json | jq \-r '.probes[].fix // empty'
| .EE
| .RE
| .SH SEE ALSO
| .BR tacho (1)

# Sub-commands of a sub-command are sections of its page.
$ sample help --man events | sed '1s/"20[0-9-]*"/"DATE"/'
| .TH TACHO\-EVENTS 1 "DATE" "tacho 0.1.0" "tacho manual"
| .SH NAME
| tacho\-events \- profile events
| .SH SYNOPSIS
| .B tacho events COMMAND
| .SH DESCRIPTION
| profile events
| .SH COMMANDS
| .SS tacho events import
| .B tacho events import [OPTIONS] FILE [DIR]
| .PP
| One paragraph.
| .PP
| Another one.
| .TP
| .B FILE
| what to read
| .TP
| .B DIR
| where to put it
| .TP
| .B \-f, \-\-format FORMAT
| csv or jsonl
| .TP
| .B \-o, \-\-output FILE
| where to
| .TP
| .B \-s, \-\-strict
| it's [all]: or nothing
| .TP
| .B \-\-json
| print the result as JSON
| .TP
| .B \-q, \-\-quiet
| show no progress and only essential output
| .TP
| .B \-\-color WHEN
| use colours: auto (on a terminal), always or never
| .TP
| .B \-\-width N
| fit tables into N columns
| .TP
| .B \-h, \-\-help
| show this help
| .PP
| Exit status:
| .TP
| .B 0
| success
| .TP
| .B 1
| the command could not do its work
| .TP
| .B 64
| wrong usage
| .SS tacho events validate
| .B tacho events validate FILE...
| .PP
| check events
| .TP
| .B FILE
| events
| .TP
| .B \-q, \-\-quiet
| show no progress and only essential output
| .TP
| .B \-\-color WHEN
| use colours: auto (on a terminal), always or never
| .TP
| .B \-\-width N
| fit tables into N columns
| .TP
| .B \-h, \-\-help
| show this help
| .PP
| Exit status:
| .TP
| .B 0
| success
| .TP
| .B 1
| the command could not do its work
| .TP
| .B 64
| wrong usage
| .SH OPTIONS
| .TP
| .B \-h, \-\-help
| show this help
| .SH ENVIRONMENT
| .TP
| .B NO_COLOR
| If set and not empty, turns off colours unless \-\-color=always is given.
| .TP
| .B TERM
| If unset or dumb, turns off colours.
| .TP
| .B COLUMNS
| Width of tables in columns, instead of the terminal's.
| .TP
| .B LC_ALL, LC_CTYPE, LANG
| Decide whether the output may use UTF\-8; otherwise it is ASCII.
| .SH SEE ALSO
| .BR tacho (1)
