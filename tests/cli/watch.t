# Wrong usage.
$ tacho watch
! tacho: nothing to watch: give -p PID or -- COMMAND
! see 'tacho watch --help'
[64]
$ tacho watch -p 0
! tacho: '0' is not a process id
! see 'tacho watch --help'
[64]
$ tacho watch -p 1 -- true
! tacho: -p cannot be combined with a command; remove one
! see 'tacho watch --help'
[64]
$ tacho watch -i 1us -- true
! tacho: '1us' is not an interval of 1ms or more
! see 'tacho watch --help'
[64]
$ tacho watch --idle-watts -5 -- true
! tacho: '-5' is not a number of watts
! see 'tacho watch --help'
[64]
$ tacho watch --measure-idle 1s -p 1
! tacho: --measure-idle needs a command, because process 1 already runs; use --idle-watts instead
! see 'tacho watch --help'
[64]
$ tacho watch --measure-idle 1s --idle-watts 5 -- true
! tacho: --measure-idle and --idle-watts exclude each other
! see 'tacho watch --help'
[64]
$ tacho watch --duration soon -- true
! tacho: 'soon' is not a duration such as 10s
! see 'tacho watch --help'
[64]
$ tacho watch -p 2147483647
! tacho: cannot watch process 2147483647: there is no process 2147483647
[1]
$ tacho watch -- no-such-program
! tacho: cannot start 'no-such-program': cannot run 'no-such-program': No such file or directory (is it installed and on PATH?)
[1]
$ tacho watch --power-source steam -- sleep 60
! tacho: there is no power source 'steam'; use rapl, perf, hwmon, nvml, rocm, battery, fixed:WATTS or replay:FILE
! see 'tacho watch --help'
[64]

# The exit status of the command.
$ tacho watch --json -- sh -c 'exit 3' > /dev/null
! tacho: 'sh' exited with status 3
[1]
$ tacho watch --json --pass-status -- sh -c 'exit 3' > /dev/null
! tacho: 'sh' exited with status 3
[3]
$ tacho watch --json -- sh -c 'kill -9 $$' > /dev/null
! tacho: 'sh' was killed by signal 9 (Killed)
[1]

# A command that exits before it can be polled: CPU time and faults come from wait4. Its memory is
# an upper bound, or the peak if a poll came in time.
$ tacho watch -- true | awk '$1 == "memory" { print $1, ($2 > 0), ($4 == "at" || $4 == "peak") } $1 == "cpu" || $1 == "faults" { print $1, ($2 > 0) }'
| cpu 1
| memory 1 1
| faults 1

# A fixed source, and the CSV files.
$ d=$(mktemp -d) && tacho watch --json --power-source fixed:100 --csv $d/out -- sleep 0.25 > $d/json && ls $d/out && head -qn 1 $d/out/memory.csv $d/out/power.csv && cut -d, -f2,3 $d/out/power.csv | tail -1 && grep -c '"source":"fixed"' $d/json; rm -r $d
| memory-detail.csv
| memory.csv
| power.csv
| timestamp_us,peak_rss_bytes
| timestamp_us,source,watts,joules
| fixed:given:estimated,100
| 1

# Columns that only a program can fill are written on request.
$ project/try 'tacho watch --columns reference --csv out -- sleep 0.1 >/dev/null; head -n 1 out/memory.csv; tacho run -q -n 1 -- true >/dev/null; head -n 1 tacho-out/true/latest/memory.csv; tacho run -q -n 1 --columns reference -- true >/dev/null; head -n 1 tacho-out/true/latest/memory.csv; tacho watch --columns all -- true'
| timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes
| timestamp_us,peak_rss_bytes
| timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes
! tacho: --columns cannot be 'all'; choose short or reference
! see 'tacho watch --help'
[64]

# A source whose readings fail: its energy is not known, which is never 0 J. The first of the two
# rows is read before the command starts.
$ project/try '{ echo timestamp_us,source,watts,joules; echo 1,a,10,0; echo 2,a,10,0; } >p.csv; tacho watch --json --power-source replay:p.csv --csv out -- sleep 0.3 | grep -o "\"status\":\"[a-z]*\",\"update.*\"estimated\|\"joules\":null,\"tree[^,]*\|\"why_not[^,]*"; tail -n +2 out/power.csv | cut -d, -f2-; tacho watch --power-source replay:p.csv -- sleep 0.3 | grep energy'
| "status":"unavailable","update_us":0,"counted_by":0,"joules":null,"mean_watts":10.0,"peak_watts":10.0,"samples":1,"dropped":1,"estimated
| "joules":null,"tree_joules":null
| "why_not":"readings of the source failed"}
| replay:recorded:estimated,10,0
| energy          -  unavailable from replay: its readings failed

# A requested source that does not exist.
$ tacho watch --power-source replay:nowhere.csv -- sleep 60 2>&1 | sed 's/process [0-9]*/process N/'
| tacho: cannot watch process N: cannot read 'nowhere.csv': No such file or directory

$ tacho watch --idle-watts 1e400 -- true
! tacho: '1e400' is not a number of watts
! see 'tacho watch --help'
[64]

# The idle power is measured before the command starts and shown separately.
$ tacho watch --power-source fixed:10 --measure-idle 100ms -- true
! tacho: --measure-idle needs a power source that is read; --power-source fixed:10 is not, so remove one of them
! see 'tacho watch --help'
[64]
$ project/try '{ echo timestamp_us,source,watts,joules; seq 0 100000 9999999 | sed "s/$/,a:b:estimated,10,0/"; } >p.csv; tacho watch --power-source replay:p.csv --measure-idle 100ms -- sleep 0.2' | sed -n '/energy/,$ { s/[0-9.]* u\?\(J\|ms\|%\)/N \1/g; s/  */ /g; p; }'
| energy N J estimated by replay (recorded): 10 W mean, 10 W peak
|  N J this process tree's share, estimated by CPU time
|  N J included for idle power: 10 W, estimated for N ms before while the CPUs were N % busy
