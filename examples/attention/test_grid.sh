#!/bin/sh
# Tests the grid end to end on a small size. All files exist and agree, the cut saves something and with
# lambda 0 nothing, a second run decides the same, one changed byte is detected, and the next run
# finishes a killed one. The test runs in another folder, and the path of the output has blanks.
#
#   test_grid.sh PROJECT BUILD
set -eu
. "$1/tests/support/lib.sh"
TACHO_BUILD=$2
export TACHO_BUILD
bench=$1/scripts/run_mincut_bench.sh
tacho=$2/cli/tacho
out="$scratch/my results/a 'b'"
cd "$scratch"

run()
{
    "$bench" --samples 20 --seq-len 8:32 --lambda "0.3 0.7" --tau "0 2" --repeat 2 --seed 7 \
        --output-dir "my results/a 'b'" "$@"
}

"$bench" --help >"$scratch/help.txt" || fail "--help ends with $?"
grep -q -e '--output-dir DIR' "$scratch/help.txt" || fail "--help does not name --output-dir"
! grep -q 'set -eu' "$scratch/help.txt" || fail "--help prints the script"
status=0
"$bench" --sample 3 2>"$scratch/wrong.txt" || status=$?
[ $status -eq 64 ] || fail "a wrong option ends with $status"

run >"$scratch/first.txt" || fail "the grid ends with $?"
[ "$(ls "$out/csv")" = "baseline.csv
mincut_l0.3_t0.csv
mincut_l0.3_t2.csv
mincut_l0.7_t0.csv
mincut_l0.7_t2.csv
results.csv
savings.csv" ] || fail "csv/ has $(ls "$out/csv")"
[ "$(ls "$out/witness")" = "mincut_l0.3_t0.jsonl
mincut_l0.3_t2.jsonl
mincut_l0.7_t0.jsonl
mincut_l0.7_t2.jsonl
witness.rvf" ] || fail "witness/ has $(ls "$out/witness")"
ls "$out"/figs/*.svg >/dev/null || fail "there are no figures"
grep -q 'mincut_l0.7_t2' "$out/figs/savings.svg" || fail "savings.svg has not every setting"
[ ! -e "$1/my results" ] || fail "the folder is relative to the project"
[ -s "$out/sweep/report.html" ] || fail "there is no report"

hash=$("$tacho" fingerprint config --quiet --file "$out/config.json")
jq -e '.eps == 0.01 and (.model_commit | length > 6) and (.weights_hash | startswith("sha256:")) and
    (.compiler_flags | length > 0)' "$out/config.json" >/dev/null || fail "config.json is $(cat "$out/config.json")"
"$tacho" witness show --json --top 1 "$out/witness/witness.rvf" |
    jq -e --arg hash "$hash" --slurpfile config "$out/config.json" \
        '.config_hash == $hash and .config == $config[0]' >/dev/null || fail "the bundle lacks the configuration"
for file in "$out"/csv/*.csv; do
    case $file in
    */results.csv)
        lines=6
        head=setting,coherence_delta,kv_cache_reduction,peak_mem_reduction,energy_reduction,p95_latency_us,accuracy,config_hash
        ;;
    */savings.csv)
        lines=5
        head=setting,kv_cache_by_eps,kv_cache_by_cut,coherence_delta_by_eps,coherence_delta_by_cut,accuracy_eps_alone,samples_cut,config_hash
        ;;
    */baseline.csv)
        lines=21
        head=sample_id,seq_len,wall_time_us,peak_mem_bytes,energy_j,config_hash
        ;;
    *)
        lines=21
        head=sample_id,seq_len,wall_time_us,peak_mem_bytes,energy_j,coherence_delta,edges_kept,edges_total,cut_cost,config_hash
        ;;
    esac
    [ "$(wc -l <"$file")" -eq $lines ] || fail "$file does not have $lines lines"
    [ "$(head -n 1 "$file")" = "$head" ] || fail "$file begins with $(head -n 1 "$file")"
    [ "$(tail -n +2 "$file" | sed 's/.*,//' | sort -u)" = "$hash" ] || fail "a row of $file lacks $hash"
    ! sed 's/,[^,]*$//' "$file" | grep -E '[0-9]e[-+0-9]' || fail "$file has a number with an exponent"
done
# Numbers have the fewest digits that read back the same.
grep -q "^baseline,0,0,0,[^,]*,[0-9]*,1,$hash\$" "$out/csv/results.csv" || fail "results.csv: $(cat "$out/csv/results.csv")"

# Compares edges_kept of the CSV with the masks of the witness log.
for name in mincut_l0.3_t2 mincut_l0.7_t0; do
    "$tacho" witness show --json --top 100 "$out/witness/$name.jsonl" |
        jq -r '.entries[] | "\(.edges_kept) \(.edges_total)"' >"$scratch/masks.txt"
    tail -n +2 "$out/csv/$name.csv" | awk -F, '{ print $7, $8 }' >"$scratch/rows.txt"
    expect_same "$name: edges kept" "$scratch/masks.txt" "$scratch/rows.txt"
done

# p95 is that of the samples of all repetitions: 2 of 20 samples each.
for pair in baseline:baseline mincut_l0.3_t0:lambda=0.3_tau=0; do
    times=$out/sweep/cells/${pair#*:}/latest/latency.csv
    [ "$(wc -l <"$times")" -eq 41 ] || fail "$times does not have 40 samples"
    p95=$(tail -n +2 "$times" | cut -d , -f 2 | sort -n | sed -n 38p)
    [ "$(awk -F, -v name="${pair%:*}" '$1 == name { print $6 }' "$out/csv/results.csv")" = "$p95" ] ||
        fail "${pair%:*}: p95 is not $p95"
done

# savings NAME COLUMN: prints a value of savings.csv.
savings()
{
    awk -F, -v name="$1" -v column="$2" '$1 == name { print $column }' "$out/csv/savings.csv"
}

# expect_sum NAME: checks that the savings by eps and by the cut add up to the value in results.csv.
expect_sum()
{
    awk -F, -v name="$1" -v eps="$(savings "$1" 2)" -v cut="$(savings "$1" 3)" \
        '$1 == name { found = ($3 - eps - cut) ^ 2 < 1e-14 } END { exit !found }' \
        "$out/csv/results.csv" || fail "$1: eps $(savings "$1" 2) and cut $(savings "$1" 3) are not all"
}

for name in mincut_l0.3_t0 mincut_l0.3_t2 mincut_l0.7_t0 mincut_l0.7_t2; do
    expect_sum $name
    awk -v cut="$(savings $name 3)" 'BEGIN { exit !(cut > 0) }' || fail "$name: the cut saves nothing"
done
[ "$(savings mincut_l0.3_t0 3)" != "$(savings mincut_l0.7_t0 3)" ] || fail "lambda makes no difference"

# A second run gives the same decisions, and the same results.csv but for two columns that depend on
# time.
for word in "mincut_l0.3_t0" "success criteria" "cannot be met"; do
    grep -q "$word" "$scratch/first.txt" || fail "the report has no '$word'"
done
[ "$(grep -c ' yes$' "$out/reproduced.txt")" -eq 4 ] || fail "a second run decided otherwise"
cut -d , -f 1-4,7 "$out/csv/results.csv" >"$scratch/results.first"
cp -r "$out/witness" "$scratch/witness.first"
run >/dev/null || fail "the second time it ends with $?"
cut -d , -f 1-4,7 "$out/csv/results.csv" >"$scratch/results.second"
expect_same "results.csv" "$scratch/results.first" "$scratch/results.second"
"$tacho" witness compare --quiet "$scratch/witness.first/witness.rvf" "$out/witness/witness.rvf" ||
    fail "the same seed led to other decisions"

# Hysteresis has an effect: with tau 2 some masks differ.
if "$tacho" witness compare --json "$out/witness/mincut_l0.3_t0.jsonl" \
    "$out/witness/mincut_l0.3_t2.jsonl" >"$scratch/compare.json"; then
    fail "tau makes no difference"
fi
[ "$(jq .masks_differ "$scratch/compare.json")" -gt 0 ] || fail "tau changes no mask"
[ "$(jq .inputs_differ "$scratch/compare.json")" -eq 0 ] || fail "tau changes the inputs"

# Changes one byte of a mask.
sed '5s/true/tRue/' "$out/witness/mincut_l0.7_t2.jsonl" >"$scratch/changed.jsonl"
status=0
"$tacho" witness verify "$scratch/changed.jsonl" >"$scratch/verify.txt" || status=$?
[ $status -eq 2 ] || fail "a changed log ends with $status"
grep -q 'line 5: the line was changed' "$scratch/verify.txt" || fail "$(cat "$scratch/verify.txt")"

# The script is killed with all its processes during the sweep. The same command line finishes it.
rm -r "$out"
setsid "$bench" --samples 20 --seq-len 8:32 --lambda "0.3 0.7" --tau "0 2" --repeat 10 --seed 7 \
    --output-dir "$out" >/dev/null 2>&1 &
pid=$!
while [ "$(find "$out/sweep/cells" -name samples.jsonl -size +0 2>/dev/null | wc -l)" -lt 2 ] &&
    kill -0 $pid 2>/dev/null; do
    sleep 0.01
done
kill -KILL -- -$pid 2>/dev/null || true
wait $pid 2>/dev/null || true
run --repeat 10 >"$scratch/again.txt" || fail "after a kill it ends with $?"
cut -d , -f 1-4,7 "$out/csv/results.csv" >"$scratch/results.third"
expect_same "results.csv after a kill" "$scratch/results.first" "$scratch/results.third"

# With lambda 0 the cut saves nothing, so all savings are due to eps.
"$bench" --samples 20 --seq-len 8:32 --lambda 0 --tau 0 --repeat 1 --seed 7 --output-dir "$out" \
    >"$scratch/none.txt" || fail "with lambda 0 it ends with $?"
[ "$(savings mincut_l0_t0 3)" = 0 ] || fail "lambda 0 saves $(savings mincut_l0_t0 3)"
[ "$(savings mincut_l0_t0 7)" = 0 ] || fail "lambda 0 cuts $(savings mincut_l0_t0 7)"
expect_sum mincut_l0_t0
grep -q 'by the cut alone.*not met' "$scratch/none.txt" || fail "$(cat "$scratch/none.txt")"
