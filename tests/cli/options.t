$ sample events import a --format csv --output=x -sfjsonl -o y b
! sh: 1: sample: not found
[127]

$ sample events import -so x a
! sh: 1: sample: not found
[127]

$ sample events import --json --quiet -- --output
! sh: 1: sample: not found
[127]

$ sample events import - --strict
! sh: 1: sample: not found
[127]

$ sample events import "" ""
! sh: 1: sample: not found
[127]

$ sample events import --output= a
! sh: 1: sample: not found
[127]

# The last one counts.
$ sample table --width 200 --width 40 | head -3
! sh: 1: sample: not found

# A program's own options are its own.
$ sample run -n 3 prog -n 4 --help -- x
! sh: 1: sample: not found
[127]

$ sample run --runs=3 -- -prog --json
! sh: 1: sample: not found
[127]

$ sample run -n3
! sh: 1: sample: not found
[127]

$ sample run prog --help
! sh: 1: sample: not found
[127]
