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
