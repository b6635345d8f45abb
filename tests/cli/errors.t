# An unknown word: the error suggests a known one and names the help.
$ tacho docter
! tacho: unknown command 'docter'; did you mean 'doctor'?
! see 'tacho --help'
[64]

$ tacho version
! tacho: unknown command 'version'; did you mean '--version'?
! see 'tacho --help'
[64]

$ tacho --verison
! tacho: unknown option '--verison'; did you mean '--version'?
! see 'tacho --help'
[64]

$ tacho xyzzy
! tacho: unknown command 'xyzzy'
! see 'tacho --help'
[64]

$ tacho doctor --jsom
! tacho: unknown option '--jsom'; did you mean '--json'?
! see 'tacho doctor --help'
[64]

$ tacho doctor --js
! tacho: unknown option '--js'; did you mean '--json'?
! see 'tacho doctor --help'
[64]

$ tacho doctor --jsonx=1
! tacho: unknown option '--jsonx'; did you mean '--json'?
! see 'tacho doctor --help'
[64]

$ tacho doctor --zzz
! tacho: unknown option '--zzz'
! see 'tacho doctor --help'
[64]

$ tacho doctor -x
! tacho: unknown option '-x'
! see 'tacho doctor --help'
[64]

$ tacho doctor -qx
! tacho: unknown option '-x'
! see 'tacho doctor --help'
[64]

$ sample events validat
! tacho: unknown command 'validat'; did you mean 'validate'?
! see 'tacho events --help'
[64]

$ sample events -x
! tacho: unknown option '-x'
! see 'tacho events --help'
[64]

# Options with a missing, an unexpected or a wrong value.
$ tacho doctor --color
! tacho: option '--color' needs a value: --color WHEN
! see 'tacho doctor --help'
[64]

$ tacho doctor --color=blue
! tacho: --color cannot be 'blue'; choose auto, always or never
! see 'tacho doctor --help'
[64]

$ tacho doctor --color=alway
! tacho: --color cannot be 'alway'; choose auto, always or never
! see 'tacho doctor --help'
[64]

$ tacho doctor --json=yes
! tacho: option '--json' takes no value
! see 'tacho doctor --help'
[64]

$ tacho doctor --width 5
! tacho: option '--width' needs a number from 20 to 10000, not '5'
! see 'tacho doctor --help'
[64]

$ tacho doctor --width wide
! tacho: option '--width' needs a number from 20 to 10000, not 'wide'
! see 'tacho doctor --help'
[64]

# Arguments.
$ tacho doctor now
! tacho: unexpected argument 'now'
! see 'tacho doctor --help'
[64]

$ tacho completion
! tacho: SHELL is missing
! see 'tacho completion --help'
[64]

$ tacho completion tcsh
! tacho: SHELL cannot be 'tcsh'; choose bash, zsh or fish
! see 'tacho completion --help'
[64]

$ tacho completion fisch
! tacho: SHELL cannot be 'fisch'; choose bash, zsh or fish
! see 'tacho completion --help'
[64]

$ tacho completion bash zsh
! tacho: unexpected argument 'zsh'
! see 'tacho completion --help'
[64]

$ tacho help doctr
! tacho: unknown command 'doctr'; did you mean 'doctor'?
! see 'tacho --help'
[64]

$ tacho help doctor json
! tacho: 'tacho doctor' has no command 'json'
! see 'tacho doctor --help'
[64]

$ sample events import
! tacho: FILE is missing
! see 'tacho events import --help'
[64]

$ sample events import a b c
! tacho: unexpected argument 'c'
! see 'tacho events import --help'
[64]

# Control characters do not reach the terminal.
$ tacho "$(printf 'a\033[31mb\tc')"
! tacho: unknown command 'a?[31mb?c'
! see 'tacho --help'
[64]

# An error message does not repeat itself.
$ tacho stats compare
! tacho: cannot read 'compare': Is a directory
[1]

$ tacho gate --config compare
! tacho: cannot read 'compare': Is a directory
[1]

$ tacho report --json --format csv compare/a
! tacho: --json cannot be combined with another --format; remove one of them
! see 'tacho report --help'
[64]

$ tacho report compare
! tacho: cannot read the run 'compare': 'compare' is not a run folder: it has no run.json
[1]

# Errors that suggest the right call: a line for a shell, several lines, a run folder, YAML.
$ tacho run -c 'a | b'
! tacho: cannot split 'a | b': '|' needs a shell (quote it if it is part of a word); use --shell to run it by sh -c
! see 'tacho run --help'
[64]

$ tacho sweep -c 'a | b' --grid x=1
! tacho: cannot split 'a | b': '|' needs a shell (quote it if it is part of a word); use --shell to run it by sh -c
! see 'tacho sweep --help'
[64]

$ tacho run "'open"
! tacho: cannot run ''open': No such file or directory (is it installed and on PATH?)
[1]

$ tacho run 'gzip x' 'zstd x'
! tacho: cannot run 'gzip x': No such file or directory (is it installed and on PATH?)
! tacho: use -c for a command line in one word: tacho run -c 'gzip x' -c 'zstd x'
[1]

$ project/try 'for f in results/command benchmarks/context perfgate.run.v1/x other/y; do echo "{\"${f%/*}\": {\"${f#*/}\": 1}}" > base.json; tacho report base.json; done; tacho compare base.json base.json'
! tacho: cannot read the run 'base.json': it is a file of hyperfine, not a run folder; turn it into run folders with 'tacho import'
! tacho: cannot read the run 'base.json': it is a file of Google Benchmark, not a run folder; turn it into run folders with 'tacho import'
! tacho: cannot read the run 'base.json': it is a file of perfgate, not a run folder; turn it into run folders with 'tacho import'
! tacho: cannot read the run 'base.json': it is a file, not a run folder; name a folder that 'tacho run' wrote, such as OUT/NAME/latest
! tacho: cannot compare 'base.json': the format is not known; 'tacho import --list' shows how formats are recognised
[1]

$ project/try 'printf "[a]\nb = 1\n" > perfgate.toml; tacho gate -c perfgate.toml'
! tacho: cannot read 'perfgate.toml': it is TOML; a gate is set up in YAML, and 'tacho gate init' writes a tacho.yaml to start from
[1]

# Sub-commands of other tools lead to the tacho command with the same purpose.
$ tacho check
! tacho: there is no command 'check': 'tacho gate' runs the benches of tacho.yaml and judges them
! see 'tacho --help'
[64]

$ tacho paired --baseline a
! tacho: there is no command 'paired': 'tacho run -c OLD -c NEW' interleaves two commands and compares them in pairs
! see 'tacho --help'
[64]

$ tacho trend
! tacho: there is no command 'trend': 'tacho baseline show BENCH' lists the medians of every saved occasion
! see 'tacho --help'
[64]

$ tacho run --export-json out.json true
! tacho: 'tacho run' does not take --export-json: the run folder keeps everything; 'tacho report -f json RUN' prints run.json, and --json prints it at once
! see 'tacho run --help'
[64]

$ tacho run -r 10 true
! tacho: 'tacho run' does not take -r: use --runs N (-n N)
! see 'tacho run --help'
[64]
