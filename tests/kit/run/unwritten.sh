#!/bin/sh
# unwritten.sh TACHO: a requested output that cannot be written causes an error with its reason and exit status 1,
# and is not announced. A folder with the name of the file simulates a disk that refuses it, even for root.
# shellcheck disable=SC2016 # the programs' shells expand what is in single quotes
set -u
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq

# blocks NAME: makes a program that creates a folder in place of the run's file NAME.
blocks()
{
    printf 'mkdir -p "$TACHO_RUN_DIR/../../%s/x"' "$1"
}

# silent TEXT: the output must not contain the text.
silent()
{
    ! grep -q "$1" out || fail "'$1' is announced: $(cat out)"
}

for file in report.html report.md; do
    run 1 -n 2 --name page -- sh -c "$(blocks $file)"
    says err "cannot write the report of"
    says err "directory"
    silent '^report:'
    holds page '.state == "complete"' # what was measured is there
done

# One of two reports, and the comparison of both.
run 1 -n 2 --name first --name second -c true -c "sh -c '$(blocks report.html)'"
says err "second"
[ "$(grep -c '^report:' out)" -eq 1 ] || fail "reports: $(cat out)"
says out "comparison:"
run 1 -n 2 --name first --name second -c "sh -c '$(blocks compare.html)'" -c true
says err "cannot write the comparison"
silent '^comparison:'
[ "$(grep -c '^report:' out)" -eq 2 ] || fail "reports: $(cat out)"

# tacho report.
run 0 -n 2 --name fine -- true
mkdir -p taken/x
status=0
"$tacho" report -f csv -o taken tacho-out/fine/latest >out 2>err || status=$?
[ "$status" -eq 1 ] || fail "report into a folder exited with $status"
says err "directory"

# A killed run whose files cannot be merged.
"$tacho" run -q -n 9 -w 0 --name killed -- sh -c '
    echo {} >"$TACHO_RUN_DIR/profile.1.jsonl"
    [ ! -e second ] || kill -9 "$(cut -d " " -f 4 /proc/$PPID/stat)"
    touch second' >out 2>err
mkdir -p tacho-out/killed/latest/profile.jsonl/x
status=0
"$tacho" report tacho-out/killed/latest >out 2>err || status=$?
[ "$status" -eq 1 ] || fail "a killed run that cannot be completed: $status"
says err "cannot complete the killed run"

# A cell of a sweep whose second run cannot write memory.csv.
status=0
"$tacho" sweep -q -n 2 --grid k=1,2 --name grid -- sh -c '
    [ {k} = 1 ] || ln -sf /dev/full "$TACHO_RUN_DIR/../../memory.csv"' >out 2>err || status=$?
[ "$status" -eq 1 ] || {
    cat out err
    fail "a sweep that cannot write memory.csv exited with $status"
}
grep -qs "memory.csv.*No space left" tacho-out/grid/cells/*/*/failure.txt || fail "failure.txt: $(cat tacho-out/grid/cells/*/*/failure.txt)"
