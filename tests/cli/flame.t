# Stacks in, stacks out.
$ printf 'b;c 2\na;b 5\nb;c 3\n' | tacho flame fold
| a;b 5
| b;c 5
$ printf 'p 1/2 [000] 1.5: 10 cycles: \n\t401 f+0x1 (/bin/p)\n\t402 main (/bin/p)\n\n' | tacho flame fold --tid
| # tacho: unit=cycles samples=1 quantum=10
| p-1/2;main;f 10

# Warnings and errors name what is left out.
$ printf 'p 1 1.5: 1 cycles: \n\t4 f (x)\n\np 1 1.6: 1 faults: \n\t4 g (x)\n\n' | tacho flame fold
| p;f 1
! tacho: warning: 'stdin': only event 'cycles' is counted, left out: 'faults' (1 sample); choose one with --event-filter
$ printf 'p 1 1.5: 1 cycles: \n\t4 f (x)\n\n' | tacho flame fold --event-filter nosuch
! tacho: no sample of event 'nosuch' in 'stdin'; it has 'cycles' (1 sample)
[1]
$ printf 'a;b 5\nnot a stack\nc 1.5\n' | tacho flame fold
| a;b 5
| c 1
! tacho: warning: 'stdin': 1 line not understood, the first is line 2
! tacho: warning: 'stdin': counts with a fraction are truncated to whole numbers
$ printf 'not a stack\n' | tacho flame fold
! tacho: no stacks in 'stdin': tacho does not understand any of its lines; choose the format with --from
[1]
$ printf 'PERFILE2\001\002\n' | tacho flame draw
! tacho: cannot read 'stdin': this is perf.data, not text; use: perf script -i FILE | tacho flame draw -
[1]
$ project/try "printf 'PERFILE2\\001\\002\\n' >'a b.data'; tacho flame draw 'a b.data'"
! tacho: cannot read 'a b.data': this is perf.data, not text; use: perf script -i 'a b.data' | tacho flame draw -
[1]
$ printf 'a;c 18446744073709551615\na;d 1\n' | tacho flame convert --to tree
! tacho: cannot read 'stdin': line 2: the counts add up to more than 2^64 - 1
[1]
$ printf 'p 1 1.5: 18446744073709551615 cycles: \n\t4 f (x)\n\np 1 1.6: 1 cycles: \n\t4 g (x)\n' | tacho flame draw
! tacho: cannot read 'stdin': line 5: the counts add up to more than 2^64 - 1
[1]
$ printf '\n   a`b\n   18446744073709551615\n\n   a`c\n   1\n' | tacho flame fold --from dtrace
! tacho: cannot read 'stdin': line 6: the counts add up to more than 2^64 - 1
[1]
$ tacho flame fold -q /dev/null

# The layout.
$ printf 'main;f 3\nmain;g 1\n' | tacho flame draw --format frames
| level	x	w	title
| 0	0	4	all (4 samples, 100%)
| 1	0	4	main (4 samples, 100.00%)
| 2	3	1	g (1 samples, 25.00%)
| 2	0	3	f (3 samples, 75.00%)
$ printf 'main;f 3\nmain;g 1\n' | tacho flame draw --format frames --reverse --count-name ticks
| level	x	w	title
| 0	0	4	all (4 ticks, 100%)
| 1	3	1	g (1 ticks, 25.00%)
| 2	3	1	main (1 ticks, 25.00%)
| 1	0	3	f (3 ticks, 75.00%)
| 2	0	3	main (3 ticks, 75.00%)

# Two profiles.
$ d=$(mktemp -d); printf 'a;b 5\n' > $d/a; printf 'a;b 2\na;c 1\n' | tacho flame diff $d/a -; rm -r $d
| a;b 5 2
| a;c 0 1
$ d=$(mktemp -d); printf 'a;b 5\n' > $d/a; printf 'a;b 2\na;c 1\n' | tacho flame diff --normalize $d/a -; rm -r $d
| # tacho: quantum_before=0.6 normalized=yes
| a;b 3 2
| a;c 0 1
$ d=$(mktemp -d); printf 'a 1\nb 1\nc 1\n' > $d/a; printf 'a 1\nb 1\n' | tacho flame diff --normalize $d/a -; rm -r $d
| # tacho: quantum_before=0.6666666666666666 normalized=yes
| a 0.667 1
| b 0.667 1
| c 0.667 0
$ d=$(mktemp -d); printf 'old;f 5\n' > $d/a; printf 'new;f 5\n' | tacho flame diff $d/a -; rm -r $d
| old -> new;f 5 5
! tacho: the two profiles name the program differently; compared as 'old -> new'
$ d=$(mktemp -d); printf 'p-1/2;f 5\n' > $d/a; printf 'p-3/4;f 5\n' | tacho flame diff $d/a -; rm -r $d
| p;f 5 5
$ printf 'a 1 2\n' | tacho flame diff - /dev/null
! tacho: 'stdin' has two counts per line; it is a differential already
[1]
$ tacho flame diff - -
! tacho: only one of the two profiles can come from stdin
! see 'tacho flame diff --help'
[64]
$ tacho flame diff only-one
! tacho: B is missing
! see 'tacho flame diff --help'
[64]

# Other formats.
$ printf 'main;f 3\nmain;g 1\n' | tacho flame convert
|   total     self  frame
| 100.00%    0.00%  all
| 100.00%    0.00%  main
|  75.00%   75.00%  ├─f
|  25.00%   25.00%  └─g
$ printf 'main;f 3\n' | tacho flame convert --to speedscope
| {"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"tacho","name":"stdin","activeProfileIndex":0,"shared":{"frames":[{"name":"main"},{"name":"f"}]},"profiles":[{"type":"sampled","name":"stdin","unit":"none","startValue":0,"endValue":3,"samples":[[0,1]],"weights":[3]}]}
$ printf 'p-1/2;f 3\n' | tacho flame convert --to folded --threads merge
| p;f 3
$ printf 'p;f 3\n' | tacho flame convert --to folded --threads split
! tacho: cannot split 'stdin' by thread: its stacks do not start with comm-PID/TID; fold it with --tid
[1]
$ printf 'main;f 3\n' | tacho flame convert -o out.gif
! tacho: cannot derive the format from the name 'out.gif'; add --to
! see 'tacho flame convert --help'
[64]
$ d=$(mktemp -d); cd $d; printf 'main;f 3\n' | tacho flame convert --json -o out.svg; rm -r $d
| {"schema":"tacho.flame.v1","path":"out.svg","format":"svg","input":"stdin","samples":3,"unit":"samples","weight":3,"stacks":1,"names":2}
$ d=$(mktemp -d); cd $d; printf 'main;f 3\n' | tacho flame convert -o out.svg; rm -r $d
! out.svg: 3 samples in 1 stack

$ d=$(mktemp -d); cd $d; printf 'p;f 3\n' | tacho flame draw -q --label x; printf 'p;g 3\n' | tacho flame draw --label x; grep -c '>f (' flamegraph-x.old.svg; rm -r $d
| 1
! flamegraph-x.svg: 3 samples in 1 stack; the earlier file was renamed to flamegraph-x.old.svg
# A picture shows kernel code in another colour.
$ printf 'p 1 1.5: 1 cycles: \n\t4 f ([kernel.kallsyms])\n\n' | tacho flame draw | grep -c '>kernel</text>'
| 1

# perf weighs a sample by its period, whose unit is named.
$ d=$(mktemp -d); cd $d; printf 'p 1 1.5: 1000000 cpu-clock:u: \n\t4 f (x)\n\np 1 1.6: 2000000 cpu-clock:u: \n\t4 f (x)\n' > in; tacho flame draw in -o out.svg; tacho flame draw in --json -o out.svg; grep -o '>f ([^<]*' out.svg; rm -r $d
| {"schema":"tacho.flame.v1","path":"out.svg","format":"svg","input":"in","samples":2,"unit":"nanoseconds","weight":3000000,"stacks":1,"names":2}
| >f (3,000,000 nanoseconds, 100.00%)
! out.svg: 2 samples (3,000,000 nanoseconds) in 1 stack
$ printf 'p 1 1.5: 10 cycles:u: \n\t4 f (x)\n' | tacho flame draw --format frames
| level	x	w	title
| 0	0	10	all (10 cycles, 100%)
| 1	0	10	p (10 cycles, 100.00%)
| 2	0	10	f (10 cycles, 100.00%)

# Wrong usage.
$ tacho flame
! tacho flame - capture, fold, draw, compare and convert flamegraphs
! 
! Usage: tacho flame [OPTIONS] [--] COMMAND [ARGUMENTS]
!        tacho flame [OPTIONS] --pid PID | --all
!        tacho flame convert | diff | draw | fold [OPTIONS] [ARGUMENTS]
! 
! Commands:
!   convert  convert a profile to another format
!   diff     compare two profiles
!   draw     draw stacks as an interactive SVG
!   fold     collapse a profiler's text to folded stacks
! 
! See 'tacho flame --help' for details.
[64]
$ tacho flame drew
! tacho: unknown command 'drew'; did you mean 'draw'?
! see 'tacho flame --help'
[64]
$ tacho flame './a | ./b'
! tacho: there is no program './a | ./b'; for a shell command use: tacho flame sh -c './a | ./b'
! see 'tacho flame --help'
[64]
$ tacho flame -c './a | ./b'
! tacho: 'tacho flame' does not take -c: it profiles one program with its arguments; for a shell command use: tacho flame sh -c LINE
! see 'tacho flame --help'
[64]
$ tacho flame --shell './a | ./b'
! tacho: 'tacho flame' does not take --shell: for a shell command use: tacho flame sh -c LINE
! see 'tacho flame --help'
[64]
$ tacho flame draw --min-width 101 /dev/null
! tacho: '101' is not a share of 0 to 100 percent
! see 'tacho flame draw --help'
[64]
$ tacho flame draw --width 10 /dev/null
! tacho: '10' is not a width of 320 to 100000 pixels
! see 'tacho flame draw --help'
[64]
$ tacho flame draw --palette red /dev/null
! tacho: --palette cannot be 'red'; choose hash, library or language
! see 'tacho flame draw --help'
[64]
$ tacho flame draw --out-dir x /dev/null
! tacho: --out-dir needs --label; use --output for a file name
! see 'tacho flame draw --help'
[64]
$ tacho flame draw --label x -o y /dev/null
! tacho: --label cannot be combined with --output; use --out-dir for the folder
! see 'tacho flame draw --help'
[64]
$ tacho flame draw --json /dev/null
! tacho: --json describes the written file; add --output FILE
! see 'tacho flame draw --help'
[64]
$ tacho flame fold -o out.svg /dev/null
! tacho: 'out.svg' has the extension of svg, but this command writes folded; 'tacho flame convert' writes any format
! see 'tacho flame fold --help'
[64]
$ tacho flame diff -o out.trace.json /dev/null /dev/null
! tacho: a differential cannot be written as chrome
! see 'tacho flame diff --help'
[64]
$ tacho flame fold missing.txt
! tacho: cannot open 'missing.txt': No such file or directory
[1]
$ tacho flame fold .
! tacho: cannot read '.': Is a directory
[1]

# A differential compares time where it is known, names the functions that changed, and refuses other units.
$ d=$(mktemp -d); printf '# tacho: unit=samples measure=cpu period_ns=1000000\np;words;letter 184\np;words 30\np;lines 330\n' > $d/a; printf '# tacho: unit=samples measure=cpu period_ns=1000000\np;words;letter 487\np;words 31\np;lines 321\n' > $d/b; tacho flame diff --format changes $d/a $d/b; rm -r $d
| compared: CPU time as recorded: 544.0 ms before, 839.0 ms now
| largest changes of self time, over all stacks:
|   before       now     change         99.9 % interval  total change  function
| 184.0 ms  487.0 ms  +303.0 ms  +218.9 ms .. +390.7 ms     +303.0 ms  letter, called by words
| 330.0 ms  321.0 ms  -9.000 ms  -93.70 ms .. +75.60 ms     -9.000 ms  lines, within noise
| 30.00 ms  31.00 ms  +1.000 ms  -26.83 ms .. +28.94 ms     +304.0 ms  words, self within noise
| The intervals (99.9 %) contain the noise of sampling, not differences between runs.
$ d=$(mktemp -d); printf 'p;f 5\n' > $d/a; printf 'p;f 5\n' > $d/b; tacho flame diff -q --format changes $d/a $d/b; rm -r $d
| compared: samples as recorded: 5 before, 5 now
| no function has more or fewer samples than before
$ d=$(mktemp -d); cd $d; printf 'p;f 50\n' > a; printf 'p;f 5\n' > b; tacho flame diff a b -o d.svg; tacho flame diff --format changes --normalize a b; rm -r $d
| compared: samples as recorded: 50 before, 5 now
| largest changes of self samples, over all stacks:
| before  now  change  99.9 % interval  total change  function
|     50    5     -45       -75 .. -21           -45  f
| The intervals (99.9 %) contain the noise of sampling, not differences between runs.
| compared: samples, before scaled to the total of now: 5 before, 5 now
| no function has more or fewer samples than before
! d.svg: 5 samples in 1 stack
$ d=$(mktemp -d); cd $d; printf '# tacho: unit=nanoseconds\np;f 5\n' > a; printf 'p;f 5\n' > b; tacho flame diff a b; tacho flame diff --count-name nanoseconds a b; rm -r $d
| # tacho: unit=nanoseconds
| p;f 5 5
! tacho: cannot compare 'a' with 'b': the first profile has nanoseconds, the second counts of an unknown unit; capture both in the same way, or name the unit of both with --count-name
$ printf 'a 1\n' | tacho flame convert -o out.changes; test -e out.changes
! tacho: 'stdin' has one count per line; changes need two profiles: use tacho flame diff
[1]
