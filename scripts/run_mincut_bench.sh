#!/bin/sh
# Min-cut gated attention over a grid of lambda and tau, against softmax: `make demo-sweep`.
#
#   scripts/run_mincut_bench.sh [--samples 1000] [--lambda "0.3 0.5 0.7"] [--tau "0 2"] [--seed 42]
#                               [--output-dir results/mincut-bench]
#                               [--seq-len 32:1024] [--repeat 10]
#
# leaves in the output folder
#   csv/baseline.csv, csv/mincut_l0.3_t0.csv ...   a row a sample, of the last repetition
#   csv/results.csv                                a row a setting
#   witness/mincut_l0.3_t0.jsonl ..., witness.rvf  what was decided, chained; and all of it in one
#   figs/*.svg                                     heat maps and lines over the grid
#   sweep/                                         what `tacho sweep` measured: sweep/report.html
#
# `tacho sweep` walks the grid, in shuffled blocks with the baseline among them, and goes on where a
# killed one stopped. The files of csv/ and witness/ are written by the program itself, one a cell:
# the sweep keeps what it measures of a run from outside, and not what the run decided.
#
# Sizes: a quarter of the samples is longer than 32, a quarter of these longer than 64, and so on
# up to 1,024, so that each length has the same share of the work and of the files. A mask of 1,024
# is 5.8 MB of a witness log; of 1,000 samples of which half were 256 to 1,024 long, the six logs
# would take 7.7 GB. These take 160 MB.
set -eu

cd "$(dirname "$0")/.."
build=${TACHO_BUILD:-build/release}
samples=1000
lambdas="0.3 0.5 0.7"
taus="0 2"
seed=42
out=results/mincut-bench
lengths=32:1024
repeat=10

usage()
{
    echo "run_mincut_bench: $1" >&2
    sed -n 's/^# \{0,1\}//; 3,6p' "$0" >&2
    exit 64
}

while [ $# -gt 0 ]; do
    [ "$1" != --help ] || { sed -n 's/^# \{0,1\}//; 2,27p' "$0"; exit 0; }
    [ $# -gt 1 ] || usage "$1 needs a value"
    case $1 in
    --samples) samples=$2 ;;
    --lambda) lambdas=$2 ;;
    --tau) taus=$2 ;;
    --seed) seed=$2 ;;
    --output-dir) out=$2 ;;
    --seq-len) lengths=$2 ;;
    --repeat) repeat=$2 ;;
    *) usage "there is no option $1" ;;
    esac
    shift 2
done
tacho=$build/cli/tacho
attention=$build/examples/attention/attention
if [ ! -x "$tacho" ] || [ ! -x "$attention" ]; then
    echo "run_mincut_bench: $tacho or $attention is not built; run: make demo-sweep" >&2
    exit 1
fi

# whole NAME VALUE: it is a whole number.
whole()
{
    case $2 in
    '' | *[!0-9]*) usage "$1 needs a whole number, not '$2'" ;;
    esac
}

# Before anything is made or removed. The program knows its own limits: it is asked with one sample.
whole --samples "$samples"
whole --repeat "$repeat"
whole --seed "$seed"
if [ "$samples" -eq 0 ] || [ "$repeat" -eq 0 ]; then
    usage "--samples and --repeat need 1 or more"
fi
[ -n "$out" ] || usage "--output-dir needs a folder"
for lambda in ${lambdas:-''}; do
    for tau in ${taus:-''}; do
        "$attention" --samples 1 --seq-len "$lengths" --doubling --heads 1 --mode mincut \
            --lambda "$lambda" --tau "$tau" --quiet >/dev/null ||
            usage "not with --lambda '$lambdas' --tau '$taus' --seq-len '$lengths'"
    done
done

# "0.3 0.5" as "0.3,0.5".
comma()
{
    # shellcheck disable=SC2086  # a list of words
    printf '%s\n' $1 | paste -s -d , -
}

# What a folder holds belongs to one way of running: with another one it starts over.
config=$(printf '{"samples":%s,"lambda":[%s],"tau":[%s],"seed":%s,"seq_len":"%s","eps":0.01,"heads":1,"dim":64,"input":"steps","repeat":%s}' \
    "$samples" "$(comma "$lambdas")" "$(comma "$taus")" "$seed" "$lengths" "$repeat")
fresh=--fresh
if [ -e "$out/config.json" ] && [ "$(cat "$out/config.json")" = "$config" ] &&
    [ ! -e "$out/csv/results.csv" ]; then
    fresh=
    echo "run_mincut_bench: going on in $out, which was not finished"
fi
mkdir -p "$out"
[ -z "$fresh" ] || rm -rf "$out/csv" "$out/witness" "$out/figs"
mkdir -p "$out/csv" "$out/witness" "$out/figs"
printf '%s\n' "$config" >"$out/config.json"

common="--samples $samples --seq-len $lengths --doubling --input steps --heads 1 --seed $seed"

echo "The grid: lambda $lambdas, tau $taus, $samples samples, $repeat repetitions and the baseline."
# shellcheck disable=SC2086  # lists of words
"$tacho" sweep $fresh --grid lambda="$(comma "$lambdas")" --grid tau="$(comma "$taus")" \
    --repeat "$repeat" --seed "$seed" --out "$out" --name sweep \
    --metric 'p95_ms=p95 ([0-9.]+) ms' \
    --metric 'coherence_delta=coherence delta (-?[0-9.]+)' \
    --metric 'kv_cache_percent=kv cache +([0-9.]+) %' \
    --metric 'passing_percent=([0-9.]+) % of the samples pass' \
    --pareto p95_ms,max:kv_cache_percent,max:passing_percent \
    --baseline "$attention $common --mode softmax --csv $out/csv/baseline.csv" -- \
    "$attention" $common --mode mincut --lambda '{lambda}' --tau '{tau}' \
    --csv "$out/csv/mincut_l{lambda}_t{tau}.csv" \
    --witness "$out/witness/mincut_l{lambda}_t{tau}.jsonl"
cp "$out"/sweep/figs/*.svg "$out/figs/"

echo
echo "Does a second run decide the same? And is what was written what was decided?"
again=$out/witness/again
: >"$out/reproduced.txt"
for lambda in $lambdas; do
    for tau in $taus; do
        name=mincut_l${lambda}_t$tau
        # shellcheck disable=SC2086  # a list of words
        "$attention" $common --mode mincut --lambda "$lambda" --tau "$tau" --witness "$again" --quiet \
            >/dev/null
        same=no
        "$tacho" witness compare --quiet "$out/witness/$name.jsonl" "$again" && same=yes
        echo "$name $same" >>"$out/reproduced.txt"
        rm "$again"
    done
done
"$tacho" witness pack --quiet --config "$out/config.json" -o "$out/witness/witness.rvf" \
    "$out/witness"
"$tacho" witness verify "$out/witness/witness.rvf"
echo
"$build/examples/attention/attention_results" "$out" "$out/reproduced.txt"
echo
echo "in $out: csv/results.csv, witness/witness.rvf, figs/, sweep/report.html"
