# Two interleaved runs: differences first, then metric by metric.
$ tacho compare compare/a compare/b
| what differs     A           B
| command.argv[1]  "a"         "b"
| command.line     "./prog a"  "./prog b"
| 
| A: a, 12 runs, 2026-01-01T00:00:00Z
| B: b, 12 runs, 2026-01-01T00:00:00Z (in pairs with A)
| 
| metric               A          B   change  95 % interval       less        0        more  B > A
| wall time     20.18 ms   23.20 ms  +15.0 %  +15.0 % .. +15.0 %              │           ●   1.00  slower
| CPU time      20.18 ms   23.20 ms  +15.0 %  +15.0 % .. +15.0 %              │           ●   1.00  slower
| user CPU      20.18 ms   23.20 ms  +15.0 %  +15.0 % .. +15.0 %              │           ●   1.00  slower
| peak memory  8.004 MiB  8.004 MiB    0.0 %  0.0 % .. 0.0 %                  ●               0.50  no change seen
| items/s           4955       4309  -13.0 %  -13.0 % .. -13.0 %  ●           │               0.00  less
| tps              49.55      43.09  -13.0 %  -13.0 % .. -13.0 %  ●           │               0.00  less

# Judged: wall time is 15 % slower, 5 % are allowed.
$ tacho compare -t wall=5% -t memory=5% compare/a compare/b
| what differs     A           B
| command.argv[1]  "a"         "b"
| command.line     "./prog a"  "./prog b"
| 
| A: a, 12 runs, 2026-01-01T00:00:00Z
| B: b, 12 runs, 2026-01-01T00:00:00Z (in pairs with A)
| 
| metric               A          B   change  95 % interval       less        0        more  B > A
| wall time     20.18 ms   23.20 ms  +15.0 %  +15.0 % .. +15.0 %              │   ┆       ●   1.00  FAIL
| CPU time      20.18 ms   23.20 ms  +15.0 %  +15.0 % .. +15.0 %              │           ●   1.00  slower
| user CPU      20.18 ms   23.20 ms  +15.0 %  +15.0 % .. +15.0 %              │           ●   1.00  slower
| peak memory  8.004 MiB  8.004 MiB    0.0 %  0.0 % .. 0.0 %                  ●   ┆           0.50  PASS, at most 0.0 %
| items/s           4955       4309  -13.0 %  -13.0 % .. -13.0 %  ●           │               0.00  less
| tps              49.55      43.09  -13.0 %  -13.0 % .. -13.0 %  ●           │               0.00  less
| 
| FAIL
[2]

# A metric of the user's own needs a direction.
$ tacho compare -t tps=5% compare/a compare/b
! tacho: cannot compare: it is not known whether more of 'tps' is better; set its 'direction' in tacho.yaml, or --higher-is-better or --lower-is-better
[1]
$ tacho compare -t tps=5% --higher-is-better tps compare/a compare/b
| what differs     A           B
| command.argv[1]  "a"         "b"
| command.line     "./prog a"  "./prog b"
| 
| A: a, 12 runs, 2026-01-01T00:00:00Z
| B: b, 12 runs, 2026-01-01T00:00:00Z (in pairs with A)
| 
| metric               A          B   change  95 % interval       less        0        more  B > A
| wall time     20.18 ms   23.20 ms  +15.0 %  +15.0 % .. +15.0 %              │           ●   1.00  slower
| CPU time      20.18 ms   23.20 ms  +15.0 %  +15.0 % .. +15.0 %              │           ●   1.00  slower
| user CPU      20.18 ms   23.20 ms  +15.0 %  +15.0 % .. +15.0 %              │           ●   1.00  slower
| peak memory  8.004 MiB  8.004 MiB    0.0 %  0.0 % .. 0.0 %                  ●               0.50  no change seen
| items/s           4955       4309  -13.0 %  -13.0 % .. -13.0 %  ●           │               0.00  less
| tps              49.55      43.09  -13.0 %  -13.0 % .. -13.0 %  ●       ┆   │               0.00  FAIL
| 
| FAIL
[2]

# Seen from the other side it is faster.
$ tacho compare -t 5% compare/b compare/a --format csv | cut -d, -f1-6,13-
| bench,metric,a_runs,a_median,b_runs,b_median,tolerance,max,verdict,statistic,largest_change
| ,wall,12,23204975,12,20180000,0.05,,PASS,median,-0.130295850795769
| ,cpu,12,23203975,12,20179000,0.05,,PASS,median,-0.13030149799803703
| ,user,12,23203975,12,20179000,,,faster,median,
| ,memory,12,8392704,12,8392704,0.05,,PASS,median,0
| ,throughput,12,4309.422968964122,12,4955.403772536614,0.05,,PASS,median,0.14981629202871782
| ,tps,12,43.094,12,49.554,,,more,median,

# Faster is not equivalent; a metric needs no direction for that.
$ tacho compare -t 20% -t wall=5% -t tps=20% --equivalent compare/b compare/a
| what differs     A           B
| command.argv[1]  "b"         "a"
| command.line     "./prog b"  "./prog a"
| 
| A: b, 12 runs, 2026-01-01T00:00:00Z
| B: a, 12 runs, 2026-01-01T00:00:00Z (in pairs with A)
| 
| metric               A          B   change  95 % interval       less        0        more  B > A
| wall time     23.20 ms   20.18 ms  -13.0 %  -13.0 % .. -13.0 %  ●       ┆   │   ┆           0.00  FAIL
| CPU time      23.20 ms   20.18 ms  -13.0 %  -13.0 % .. -13.0 %  ●           │           ┆   0.00  PASS
| user CPU      23.20 ms   20.18 ms  -13.0 %  -13.0 % .. -13.0 %  ●           │               0.00  faster
| peak memory  8.004 MiB  8.004 MiB    0.0 %  0.0 % .. 0.0 %      ┆           ●           ┆   0.50  PASS
| items/s           4309       4955  +15.0 %  +15.0 % .. +15.0 %  ┆           │           ●   1.00  PASS
| tps              43.09      49.55  +15.0 %  +15.0 % .. +15.0 %  ┆           │           ●   1.00  PASS
| 
| FAIL
[2]

# A comment for a pull request.
$ tacho compare -t wall=5% -t memory=5% compare/a compare/b -f md
| ### ❌ tacho: FAIL
| 
| b, 12 runs, 2026-01-01T00:00:00Z (in pairs with A) against a, 12 runs, 2026-01-01T00:00:00Z. A wrong FAIL appears in at most 1 of 20 reports.
| 
| | | before | now | change | allowed | |
| | --- | ---: | ---: | ---: | ---: | --- |
| | wall time | 20.18 ms | 23.20 ms | +15.0 % [+15.0 % … +15.0 %] | 5 % | ❌ FAIL |
| 
| <details><summary>5 more within their budgets or without one</summary>
| 
| | | before | now | change | allowed | |
| | --- | ---: | ---: | ---: | ---: | --- |
| | peak memory | 8.004 MiB | 8.004 MiB | 0.0 % [0.0 % … 0.0 %] | 5 % | ✅ PASS, at most 0.0 % |
| | CPU time | 20.18 ms | 23.20 ms | +15.0 % [+15.0 % … +15.0 %] |  |  slower |
| | user CPU | 20.18 ms | 23.20 ms | +15.0 % [+15.0 % … +15.0 %] |  |  slower |
| | items/s | 4955 | 4309 | -13.0 % [-13.0 % … -13.0 %] |  |  less |
| | tps | 49.55 | 43.09 | -13.0 % [-13.0 % … -13.0 %] |  |  less |
| 
| </details>
| 
| <details><summary>2 differences in command, environment and configuration</summary>
| 
| - `command.argv[1]`: `"a"` → `"b"`
| - `command.line`: `"./prog a"` → `"./prog b"`
| 
| </details>
| 
[2]

# Without colours and UTF-8, on a narrow terminal.
$ LC_ALL=C COLUMNS=80 tacho compare -t wall=5% compare/a compare/b
| what differs     A           B
| command.argv[1]  "a"         "b"
| command.line     "./prog a"  "./prog b"
| 
| A: a, 12 runs, 2026-01-01T00:00:00Z
| B: b, 12 runs, 2026-01-01T00:00:00Z (in pairs with A)
| 
| metric               A          B   change  95 % interval
| wall time     20.18 ms   23.20 ms  +15.0 %  +15.0 % .. +15.0 %  FAIL
| CPU time      20.18 ms   23.20 ms  +15.0 %  +15.0 % .. +15.0 %  slower
| user CPU      20.18 ms   23.20 ms  +15.0 %  +15.0 % .. +15.0 %  slower
| peak memory  8.004 MiB  8.004 MiB    0.0 %  0.0 % .. 0.0 %      no change seen
| items/s           4955       4309  -13.0 %  -13.0 % .. -13.0 %  less
| tps              49.55      43.09  -13.0 %  -13.0 % .. -13.0 %  less
| 
| FAIL
[2]

# Wrong usage.
$ tacho compare compare/a
! tacho: B is missing
! see 'tacho compare --help'
[64]
$ tacho compare -t '5 percent' compare/a compare/b
! tacho: --tolerance needs a share such as 5% or memory=2%, not '5 percent'
! see 'tacho compare --help'
[64]
$ tacho compare --alpha 2 compare/a compare/b
! tacho: --alpha needs a probability such as 5% or 0.01, not '2'
! see 'tacho compare --help'
[64]
$ tacho compare --equivalent compare/a compare/b
! tacho: --equivalent needs --tolerance, which says how far B may differ from A
! see 'tacho compare --help'
[64]
$ tacho compare --quantile 100 compare/a compare/b
! tacho: --quantile needs a percentage above 0 and below 100, such as 99, not '100'
! see 'tacho compare --help'
[64]
$ tacho compare --quantile 99 compare/a compare/b
! tacho: cannot compare: no metric of both runs has several values per run to compute p99 of; collect one with 'tacho run --metric all:NAME=REGEX', or record latencies
[1]
$ tacho compare compare/a compare/none
! tacho: cannot read the run 'compare/none': cannot open 'compare/none/run.json': No such file or directory
[1]
$ tacho baseline show
! tacho: BENCH is missing
! see 'tacho baseline show --help'
[64]
$ tacho compare --json --format csv compare/a compare/b
! tacho: --json means --format json; it cannot be combined with another format
! see 'tacho compare --help'
[64]
# Names cannot lead to another folder.
$ tacho baseline remove --dir nowhere ../x
! tacho: '../x' is not a valid name of a bench; use letters, digits, '.', '_' and '-', and no '.' at the beginning
[1]
$ tacho baseline remove --dir nowhere --machine-class ../../y x
! tacho: '../../y' is not a valid name of a machine class; use letters, digits, '.', '_' and '-', and no '.' at the beginning
[1]
$ tacho baseline save --from compare/a --bench ../x
! tacho: cannot save 'compare/a' as a baseline: '../x' is not a valid name of a bench; use letters, digits, '.', '_' and '-', and no '.' at the beginning
[1]

# B is smaller in most pairs, but its median is larger. All formats explain that.
$ project/try 'printf "%s\n" 10 20 30 40 50 60 70 >a; printf "%s\n" 9 19 29 45 49 59 69 >b; printf "%s\n" "echo >>\$1.n; n=\$(wc -l <\$1.n); sed -n \"s/^/v /;\${n}p\" \$1" >pick; tacho run -q -n 7 --name a --name b -m "v=v ([0-9]+)" -c "sh pick a" -c "sh pick b" >/dev/null; set -- tacho-out/a tacho-out/b; { tacho compare --html x.html "$@"; tacho compare -t v=50% --lower-is-better v "$@"; tacho compare -f md "$@"; cat x.html; } | grep -o "v: the change compares.*"'
| v: the change compares runs in pairs, so it can have another sign than the difference of the medians
| v: the change compares runs in pairs, so it can have another sign than the difference of the medians
| v: the change compares runs in pairs, so it can have another sign than the difference of the medians.
| v: the change compares runs in pairs, so it can have another sign than the difference of the medians.</p>
