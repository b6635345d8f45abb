#!/bin/sh
# Tests external profilers with stand-ins on PATH: their command lines, what tacho makes of their
# output, and every way in which they fail.
#
#   backends.sh PROJECT TACHO
set -eu
. "$1/tests/kit/flame/capture.sh"
mkdir bin out
PATH=$scratch/bin:/usr/bin:/bin
export PATH LOG="$scratch/log"

# stand_in NAME: a program from standard input; it logs its words.
stand_in()
{
    {
        # shellcheck disable=SC2016  # the stand-in's own words
        printf '#!/bin/sh\nprintf "%%s\\n" "%s" "$@" >>"$LOG"\necho >>"$LOG"\n' "$1"
        cat
    } >"bin/$1"
    chmod 755 "bin/$1"
}

# fails TEXT OPTION...
fails()
{
    text=$1
    shift
    ! "$tacho" flame --out-dir out --label x "$@" >out.txt 2>err.txt || fail "'$*' should have failed"
    grep -qF -- "$text" err.txt || { cat err.txt; fail "'$*' did not say '$text'"; }
    [ -z "$(ls -A out)" ] || { ls -A out; fail "'$*' left files"; }
}

# works USED OPTION...
works()
{
    used=$1
    shift
    rm -f "$LOG"
    "$tacho" flame --json --out-dir out --label x "$@" >out.txt 2>err.txt || { cat err.txt; fail "'$*' failed"; }
    grep -qF "\"profiler_used\":\"$used\"" out.txt || { cat out.txt; fail "'$*' was not done by $used"; }
    [ "$(ls -A out)" = flamegraph-x.svg ] || { ls -A out; fail "'$*' left files"; }
    grep -q "$svg_has" out/flamegraph-x.svg || fail "'$*': the picture has no $svg_has"
    # The second capture finds our own file and keeps it.
    "$tacho" flame --out-dir out --label x "$@" >out.txt 2>err.txt || { cat err.txt; fail "'$*' failed when done again"; }
    rm out/flamegraph-x.svg out/flamegraph-x.old.svg
}

# logged NAME WORD...: the last call of NAME had exactly these words; FILE is one of our files.
logged()
{
    printf '%s\n' "$@" >wanted
    awk -v RS= -v name="$1" -F'\n' '$1 == name { last = $0 } END { print last }' "$LOG" |
        sed "s|^$scratch/out/\.tacho-[0-9]*\.|FILE.|" >got
    expect_same "the words of $1" wanted got
}

# perf: record writes its file, script prints recorded text.
cat >script.txt <<'END'
prog  4711 100.000001:     250000 cpu-clock: 
	    55d0c0001000 hot+0x10 (/bin/prog)
	    55d0c0002000 main+0x20 (/bin/prog)

prog  4711 100.000002:     250000 cpu-clock: 
	    55d0c0001010 warm+0x10 (/bin/prog)
	    55d0c0002000 main+0x20 (/bin/prog)

END
export SCRIPT="$scratch/script.txt"
stand_in perf <<'END'
case $1 in
record)
    while [ "$1" != -o ]; do shift; done
    echo data >"$2"
    shift 2
    [ "$1" = -- ] && shift && exec "$@"
    ;;
script) cat "$SCRIPT" ;;
esac
END
svg_has='>hot'
works perf --profiler perf -- echo 'a b'
logged perf script -i FILE.perf.data
echo '<svg>of another tool</svg>' >out/flamegraph-x.svg
! "$tacho" flame --out-dir out --label x --profiler perf -- echo >out.txt 2>err.txt || fail "it replaced a picture of another tool"
grep -qF "'flamegraph-x.svg' exists and was not written by tacho; replace it with --force" err.txt || { cat err.txt; fail "the message does not name --force"; }
rm out/flamegraph-x.svg
works perf --profiler perf --no-inline --rate 99 --call-graph fp --event cpu-clock --user -- echo 'a b'
logged perf script --no-inline -i FILE.perf.data
sed -n '1,/^$/p' "$LOG" | sed "s|^$scratch/out/\.tacho-[0-9]*\.|FILE.|" >got
printf '%s\n' perf record -q --no-bpf-event -F 99 -e cpu-clock -g --call-graph fp --all-user -o FILE.perf.data -- echo 'a b' '' >wanted
expect_same "perf record" wanted got
# Programs read this output, so keys must not change. A new key is a new line here.
# shellcheck disable=SC2016  # the inner shell's own number
"$tacho" flame --json --folded --out-dir out --label x --event cpu-clock --profiler perf -- sh -c 'kill -9 $$' >out.txt 2>err.txt || :
sed 's/_ms":[0-9]*/_ms":N/g' out.txt | tr , '\n' >got
cat >wanted <<'JSON'
{"schema":"tacho.flame.capture.v1"
"svg_path":"out/flamegraph-x.svg"
"folded_path":"out/flamegraph-x.folded"
"pprof_path":null
"speedscope_path":null
"previous_path":null
"profiler_used":"perf"
"notice":null
"warnings":[]
"event":"cpu-clock"
"kernel_frames":false
"duration_ms":N
"after_command_ms":N
"samples":2
"lost":0
"truncated":0
"hottest":[{"function":"hot"
"kernel":false
"self":0.5
"total":0.5}
{"function":"warm"
"kernel":false
"self":0.5
"total":0.5}]
"exit_status":null
"signal":9}
JSON
expect_same "--json" wanted got
rm out/*
fails "profiler command failed: perf record: cannot run 'nosuch'" --profiler perf -- nosuch
got=0
"$tacho" flame --profiler perf --pass-status --out-dir out --label x -- sh -c 'exit 9' >out.txt 2>&1 || got=$?
[ $got = 9 ] || fail "the command's status is not passed on: $got"
rm out/*

stand_in inferno-collapse-perf <<'END'
cat >/dev/null
printf 'prog;main;hot 3\nprog;main;warm 1\n'
END
stand_in inferno-flamegraph <<'END'
printf '<?xml version="1.0"?>\n<svg><text>inferno drew this</text></svg>\n'
END
svg_has='inferno drew this'
works 'perf + inferno' --profiler perf-inferno -- echo
logged inferno-flamegraph --title x FILE.folded
# The rate and the size of stack copies are those of perf, unless they are given.
for given in '' '--rate 99 --stack-size 8k'; do
    # shellcheck disable=SC2086 # the words of $given
    "$tacho" flame --quiet --out-dir out --label x --profiler perf-inferno $given -- echo >out.txt
    rate=${given:+-F 99}
    # shellcheck disable=SC2086 # the words of $rate
    printf '%s\n' perf record -q --no-bpf-event $rate -g --call-graph "dwarf${given:+,8192}" -o FILE.perf.data -- echo >wanted
    awk -v RS= -F'\n' '$2 == "record" { last = $0 } END { print last }' "$LOG" |
        sed "s|^$scratch/out/\.tacho-[0-9]*\.|FILE.|" >got
    expect_same "perf record for inferno" wanted got
done
rm -f out/*
grep -q '"samples":4' out.txt || "$tacho" flame --json --out-dir out --label x --profiler perf-inferno -- echo >out.txt
grep -q '"samples":4' out.txt || { cat out.txt; fail "inferno's samples are not counted"; }
"$tacho" flame --folded --out-dir out --label x --profiler perf-inferno -- echo >out.txt
[ "$(head -n 1 out/flamegraph-x.folded)" = 'prog;main;hot 3' ] || fail "no folded stacks beside inferno's picture"
rm -f out/*
# Options that it does not support are refused, not ignored.
fails "profiler 'perf-inferno' does not support --per-thread" --profiler perf-inferno --per-thread -- echo
fails "profiler 'perf-inferno' does not support --palette" --profiler perf-inferno --palette library -- echo
fails "profiler 'perf-inferno' does not support --inverted" --profiler perf-inferno --inverted -- echo
fails "profiler 'perf' does not support --source" --profiler perf --source -- echo
stand_in inferno-flamegraph <<'END'
echo 'ERROR: no stack counts found' >&2
exit 2
END
fails 'profiler command failed: inferno-flamegraph: ERROR: no stack counts found' --profiler perf-inferno -- echo
stand_in inferno-flamegraph </dev/null
fails 'profiler produced no output' --profiler perf-inferno -- echo
stand_in inferno-collapse-perf <<'END'
cat >/dev/null
END
fails 'profiler produced no output' --profiler perf-inferno -- echo
stand_in inferno-collapse-perf <<'END'
kill -KILL $$
END
fails 'profiler command failed: inferno-collapse-perf: killed by signal 9' --profiler perf-inferno -- echo
rm bin/inferno-flamegraph
fails "profiler command failed: perf-inferno: there is no program 'inferno-flamegraph' on PATH" --profiler perf-inferno -- echo

: >script.txt
fails 'profiler produced no output' --profiler perf -- echo
stand_in perf <<'END'
case $1 in
record)
    while [ "$1" != -o ]; do shift; done
    echo data >"$2"
    ;;
script)
    echo 'failed to open: incompatible file' >&2
    exit 1
    ;;
esac
END
fails 'profiler command failed: perf script: failed to open: incompatible file' --profiler perf -- echo
stand_in perf <<'END'
echo 'Access to performance monitoring is limited.' >&2
exit 255
END
fails 'profiler command failed: perf record: Access to performance monitoring is limited.' --profiler perf -- echo
# Of a long output the end is shown, where the cause is.
stand_in perf <<'END'
i=0
while [ $i -lt 400 ]; do echo "line $i of the usage" >&2; i=$((i + 1)); done
echo 'Error: the cause is here' >&2
exit 1
END
fails 'profiler command failed: perf record: ... ' --profiler perf -- echo
fails 'line 399 of the usage Error: the cause is here' --profiler perf -- echo
stand_in perf <<'END'
kill -KILL $$
END
fails 'profiler command failed: perf record: killed by signal 9' --profiler perf -- echo

# dtrace, as on macOS.
stand_in dtrace <<'END'
while [ "$1" != -o ]; do shift; done
cat >"$2" <<'TEXT'


              prog`hot+0x10
              prog`main+0x20
              libdyld.dylib`start+0x1
               70

              prog`warm+0x10
              prog`main+0x20
              libdyld.dylib`start+0x1
               20
TEXT
END
svg_has='hot'
works dtrace --profiler dtrace -- ./prog a b
logged dtrace -x ustackframes=100 -n 'profile-997 /execname == "prog"/ { @[ustack(100)] = count(); }' \
    -c './prog a b' -o FILE.dtrace-stacks.txt
grep -q '"samples":90' out.txt || "$tacho" flame --json --out-dir out --label x --profiler dtrace -- ./prog >out.txt
grep -q '"samples":90' out.txt || { cat out.txt; fail "dtrace's samples are not counted"; }
rm -f out/*
fails "can only profile a command that it starts" --profiler dtrace --pid 1
# dtrace splits its command at blanks, and one version treats a backslash as a quote.
for word in 'a b' '' 'a\b'; do
    fails "dtrace cannot pass on the argument '$word'" --profiler dtrace -- ./prog "$word"
done
stand_in inferno-collapse-dtrace <<'END'
cat >/dev/null
printf 'prog;main;hot 3\n'
END
stand_in inferno-flamegraph <<'END'
printf '<svg><text>inferno drew dtrace</text></svg>\n'
END
svg_has='inferno drew dtrace'
works 'dtrace + inferno' --profiler dtrace-inferno -- ./prog a b
logged inferno-flamegraph --title x FILE.folded
rm bin/inferno-flamegraph
stand_in inferno-collapse-dtrace <<'END'
echo 'no stacks here' >&2
exit 1
END
fails "profiler command failed: dtrace-inferno: there is no program 'inferno-flamegraph' on PATH" --profiler dtrace-inferno -- ./prog
stand_in inferno-flamegraph </dev/null
fails 'profiler command failed: inferno-collapse-dtrace: no stacks here' --profiler dtrace-inferno -- ./prog
stand_in dtrace <<'END'
echo 'dtrace: system integrity protection is on' >&2
exit 1
END
fails 'profiler command failed: dtrace: dtrace: system integrity protection is on' --profiler dtrace -- ./prog
stand_in dtrace </dev/null
fails 'profiler produced no output' --profiler dtrace -- ./prog
rm bin/dtrace
[ -e /usr/bin/dtrace ] || fails "profiler command failed: dtrace: there is no program 'dtrace' on PATH" --profiler dtrace -- ./prog

# cargo flamegraph.
stand_in cargo-flamegraph </dev/null
stand_in cargo <<'END'
while [ "$1" != --output ]; do shift; done
echo '<svg><text>cargo drew this</text></svg>' >"$2"
END
svg_has='cargo drew this'
works cargo-flamegraph --profiler cargo-flamegraph -- ./prog 'a b'
logged cargo flamegraph --output FILE.svg -- ./prog 'a b'
stand_in cargo <<'END'
echo 'error: could not find Cargo.toml' >&2
exit 101
END
fails 'profiler command failed: cargo flamegraph: error: could not find Cargo.toml' --profiler cargo-flamegraph -- ./prog
stand_in cargo </dev/null
fails 'profiler produced no output' --profiler cargo-flamegraph -- ./prog
rm bin/cargo-flamegraph
fails "there is no program 'cargo-flamegraph' on PATH" --profiler cargo-flamegraph -- ./prog
