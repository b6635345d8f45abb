$ sample events import a --format csv --output=x -sfjsonl -o y b
| option format=csv
| option output=x
| option strict
| option format=jsonl
| option output=y
| argument 'a'
| argument 'b'
| json 0 quiet 0

$ sample events import -so x a
| option strict
| option output=x
| argument 'a'
| json 0 quiet 0

$ sample events import --json --quiet -- --output
| argument '--output'
| json 1 quiet 1

$ sample events import - --strict
| option strict
| argument '-'
| json 0 quiet 0

$ sample events import "" ""
| argument ''
| argument ''
| json 0 quiet 0

$ sample events import --output= a
| option output=
| argument 'a'
| json 0 quiet 0

# The last value of a repeated option counts.
$ sample table --width 200 --width 40 | head -3
| name             time    share
| main          1.250 s  100.0 %  ████████
| a function…  625.0 ms   50.0 %  ████

# Options after a program to run belong to that program.
$ sample run -n 3 prog -n 4 --help -- x
| option runs=3
| argument 'prog'
| argument '-n'
| argument '4'
| argument '--help'
| argument '--'
| argument 'x'
| json 0 quiet 0

$ sample run --runs=3 -- -prog --json
| option runs=3
| argument '-prog'
| argument '--json'
| json 0 quiet 0

$ sample run -n3
! tacho: COMMAND is missing
! see 'tacho run --help'
[64]

$ sample run prog --help
| argument 'prog'
| argument '--help'
| json 0 quiet 0

# Options that were renamed name the new one, in the commands that have it.
$ tacho run --out x -- true
! tacho: option '--out' is now called '--out-dir'
! see 'tacho run --help'
[64]

$ tacho flame --output null -- true
! tacho: option '--output' is now called '--command-output'
! see 'tacho flame --help'
[64]

$ tacho plan --power 90% plan/pilot
! tacho: option '--power' is now called '--probability'
! see 'tacho plan --help'
[64]

$ tacho watch --power rapl -- true
! tacho: option '--power' is now called '--power-source'
! see 'tacho watch --help'
[64]

# A number of runs is not something to count.
$ tacho run --count 20 -- true
! tacho: --count names what is counted, such as instructions; use --runs 20 for the number of runs
! see 'tacho run --help'
[64]
