#!/bin/sh
# tacho plan runs a pilot of one command against itself, and of two interleaved commands.
#   plan.sh TACHO CHECK_SCHEMA SCHEMAS
tacho=$1
check=$2
schemas=$3
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"

# runs FOLDER: prints how many runs it has.
runs()
{
    jq '.samples | length' "$1/run.json"
}

"$tacho" plan --pilot 5 --json --env WORD=pilot -- sh -c 'env | grep -q WORD=pilot' >one.json || fail "no pilot of one command"
[ "$(jq -c '[.pilot.pairs, (.pilot.folders | length)]' one.json)" = "[5,1]" ] || fail "one command: $(cat one.json)"
pilot=$(jq -r '.pilot.folders[0]' one.json)
[ "$(runs "$pilot")" = 10 ] || fail "a pilot of 5 pairs of one command does not have 10 runs"
[ -s "$pilot/report.html" ] || fail "the pilot has no report"

# A pilot does not move `latest` away from the last run.
"$tacho" run -n 3 -- sh -c : >out 2>&1 || fail "$(cat out)"
last=$(readlink tacho-out/sh/latest)
"$tacho" plan --pilot 5 -- sh -c : >out 2>&1 || fail "$(cat out)"
[ "$(readlink tacho-out/sh/latest)" = "$last" ] || fail "the pilot moved latest"

"$tacho" plan --pilot 6 --json --out-dir elsewhere -c 'true a' -c 'true b' >two.json || fail "no pilot of two commands"
[ "$(jq -c '[.pilot.pairs, (.pilot.folders | length)]' two.json)" = "[6,2]" ] || fail "two commands: $(cat two.json)"
for folder in $(jq -r '.pilot.folders[]' two.json); do
    [ "$(runs "$folder")" = 6 ] || fail "$folder does not have 6 runs"
done

# The folders that it made can be the pilot, and give the same plan.
"$tacho" plan --json "$(jq -r '.pilot.folders[0]' two.json)" "$(jq -r '.pilot.folders[1]' two.json)" >again.json
cmp -s two.json again.json || fail "the same pilot, another plan: $(cat two.json again.json)"

"$tacho" plan --pilot 5 -- sh -c 'exit 3' >out 2>&1 && fail "a pilot that fails is accepted"
grep -q 'failed with status 3' out || fail "the failure is not reported: $(cat out)"
"$tacho" plan -c true -c true -c true >out 2>&1
[ $? -eq 64 ] || fail "three commands: $(cat out)"

checked=0
cat one.json two.json | "$check" "$schemas" >out 2>&1 || checked=$?
[ $checked -eq 0 ] || [ $checked -eq 77 ] || fail "$(cat out)"
