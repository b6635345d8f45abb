# Without a width of its own, as in a pipe, nothing is cut.
$ sample table
! sh: 1: sample: not found
[127]

$ sample table --width 80
! sh: 1: sample: not found
[127]

$ sample table --width 60
! sh: 1: sample: not found
[127]

$ sample table --width 40
! sh: 1: sample: not found
[127]

$ sample table --width 20
! sh: 1: sample: not found
[127]

$ COLUMNS=60 sample table
! sh: 1: sample: not found
[127]

# What is not a width is passed over.
$ COLUMNS=wide sample table | head -2
! sh: 1: sample: not found

$ LC_ALL=C sample table --width 60
! sh: 1: sample: not found
[127]

$ LC_ALL= LC_CTYPE=de_DE.UTF-8 LANG=C sample table --width 60 | tail -2
! sh: 1: sample: not found

$ sample table --width 40 --color always
! sh: 1: sample: not found
[127]

$ NO_COLOR=1 sample table --color always | head -1
! sh: 1: sample: not found

# No progress where stderr is no terminal.
$ sample progress
! sh: 1: sample: not found
[127]
