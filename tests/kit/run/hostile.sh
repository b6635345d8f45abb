#!/bin/sh
# hostile.sh TACHO: run folders with files of another user, and reading a run in progress.
set -u
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq

# unchanged: nothing outside the run folder was written or removed.
unchanged()
{
    [ "$(cat outside/victim)" = precious ] || fail "$1 changed a file outside the run folder"
    [ "$(cat outside/0001/profile.jsonl)" = '{"planted":1}' ] || fail "$1 emptied a folder elsewhere"
}

# killed NAME: leaves the folder of a run that was killed in $folder.
killed()
{
    "$tacho" run -n 100000 --name "$1" -- sleep 0.01 >out 2>err &
    pid=$!
    await "tacho-out/$1/latest/samples.jsonl" 2
    spawner=$(pgrep -P $pid)
    kill -9 $pid
    wait $pid 2>/dev/null
    gone "the spawner" "$spawner"
    folder=$(readlink -f "tacho-out/$1/latest")
}

# exits COMMAND...: the command must not hang.
exits()
{
    in_time "$@" </dev/null >out 2>err
    status=$?
    case $status in
    124 | 137) fail "'$*' hangs" ;;
    esac
    return $status
}

mkdir -p outside/0001
echo precious >outside/victim
echo '{"planted":1}' >outside/0001/profile.jsonl

# A killed run whose files are links. No link is followed, in reading, completing or writing.
killed links
rm -rf "$folder/iter"
ln -s "$PWD/outside" "$folder/iter"
ln -s "$PWD/outside/victim" "$folder/profile.jsonl"
ln -s "$PWD/outside/victim" "$folder/report.html"
ln -s "$PWD/outside/victim" "$folder/trace.json"
before=$(find "$folder" -ls | cksum)
exits "$tacho" compare "$folder" "$folder"
exits "$tacho" report -f csv "$folder" || fail "no table: $(cat err)"
[ "$(find "$folder" -ls | cksum)" = "$before" ] || fail "compare or report -f csv wrote to the folder"
unchanged "a table"
exits "$tacho" report "$folder" && fail "a report read a link"
says err "'$folder/profile.jsonl' is a symbolic link"
rm "$folder/profile.jsonl"
exits "$tacho" report "$folder" || fail "no report: $(cat err)"
unchanged "the report"
[ ! -L "$folder/report.html" ] || fail "the link is still there"
[ -s "$folder/report.html" ] || fail "the link was not replaced by the report"

# FIFOs and devices are refused, not waited for.
run 0 -n 2 --name fifo -- true
folder=$(readlink -f tacho-out/fifo/latest)
for name in run.json flamegraph-x.svg profile.jsonl memory.csv; do
    [ ! -e "$folder/$name" ] || mv "$folder/$name" kept
    mkfifo "$folder/$name"
    exits "$tacho" report "$folder" && fail "a report read the FIFO $name"
    says err "is a FIFO"
    rm "$folder/$name"
    ln -s /dev/zero "$folder/$name"
    exits "$tacho" report "$folder" && fail "a report read the device $name"
    says err "is a symbolic link"
    rm "$folder/$name"
    [ ! -e kept ] || mv kept "$folder/$name"
done
rm "$folder/report.html"
mkfifo "$folder/report.html"
exits "$tacho" report "$folder" || fail "no report in the place of a FIFO: $(cat err)"
[ -f "$folder/report.html" ] || fail "report.html is not a file"

# Files that a command searches for by itself.
mkfifo tacho.yaml
exits "$tacho" gate && fail "gate read a FIFO"
says err "'tacho.yaml' is not a regular file"
rm tacho.yaml
mkfifo "$folder/seal.jsonl"
exits "$tacho" witness verify "$folder" && fail "verify read a FIFO"
says err "is a FIFO"
rm "$folder/seal.jsonl"

# Special files that the program creates in its own folder neither block the run nor are copied.
# shellcheck disable=SC2016 # the program's variables
exits "$tacho" run -n 2 --name plants -- sh -c 'mkfifo "$TACHO_RUN_DIR/profile.x.jsonl"
    ln -s "$PWD/outside/victim" "$TACHO_RUN_DIR/latency.1.csv"
    ln -s "$PWD/outside" "$TACHO_RUN_DIR/more"' || fail "the run failed: $(cat err)"
holds plants 'any(.warnings[]; .code == "not-collected") and (.samples | length) == 2'
unchanged "a run"
! grep -rq precious tacho-out || fail "a file outside the run folder was copied into the run folder"

# Reading a run in progress does not change it.
# shellcheck disable=SC2016 # the program's variables
"$tacho" run -n 8 --name live -- sh -c 'case $TACHO_RUN_DIR in
    */0001) ;;
    *) until [ -e go ]; do sleep 0.01; done ;;
    esac
    : >"$TACHO_RUN_DIR/profile.jsonl"' >run.out 2>run.err &
pid=$!
await tacho-out/live/latest/samples.jsonl 1
exits "$tacho" report -f csv tacho-out/live/latest || fail "no table of a run in progress: $(cat err)"
says err "is still in progress; 1 of 8 runs are shown"
[ "$(wc -l <out)" -eq 2 ] || fail "not the header and one run: $(cat out)"
exits "$tacho" compare tacho-out/live/latest tacho-out/live/latest
says err "is still in progress"
exits "$tacho" report tacho-out/live/latest && fail "a report was written beside a run in progress"
says err "--output FILE"
exits "$tacho" report -o live.html tacho-out/live/latest || fail "no page of a run in progress: $(cat err)"
[ -s live.html ] || fail "the page is empty"
exits "$tacho" baseline save --from tacho-out/live/latest && fail "a run in progress became a baseline"
says err "still running"
touch go
wait $pid || fail "the run that was read while in progress failed: $(cat run.err)"
holds live '.state == "complete" and (.samples | length) == 8'

# A program that truncates its output while it is searched, and one whose output is huge and sparse.
# shellcheck disable=SC2016 # the program's variables
exits "$tacho" run -n 20 --name shrinks --metric 'x=x=([0-9]+)' --command-output shrinks.txt -- \
    sh -c 'i=0; while [ $i -lt 300 ]; do i=$((i + 1)); echo "x=$i"; done; : >shrinks.txt; echo x=7' ||
    fail "an output that shrinks: $(cat err)"
holds shrinks '(.samples | length) == 20 and .samples[0].metrics.x == 7'
exits "$tacho" run -n 2 --name sparse --metric 'x=x=([0-9]+)' --command-output sparse.txt -- \
    sh -c 'truncate -s +20G sparse.txt; echo x=5' || fail "a sparse output: $(cat err)"
holds sparse '[.samples[].metrics.x] | all(. == 5)'

# A sealed run without its seal does not pass, even if its folder contains another log.
run 0 -n 1 --name sealed --seal -- true
folder=$(readlink -f tacho-out/sealed/latest)
exits "$tacho" witness verify "$folder" || fail "the seal does not match: $(cat out err)"
hash=$(grep -o '[0-9a-f]\{64\}' out)
mv "$folder/seal.jsonl" "$folder/other.jsonl"
exits "$tacho" witness verify "$folder"
[ $? -eq 2 ] || fail "a run without its seal did not exit with 2"
says out "not sealed"
run 0 -n 1 --name open -- true
exits "$tacho" witness verify --expect "$hash" tacho-out/open/latest
[ $? -eq 2 ] || fail "--expect of a folder without a seal did not exit with 2"
