#!/bin/sh
# Compares min-cut gated attention over a grid of lambda and tau with softmax. See help() below and
# examples/attention/README.md.
#
# `tacho sweep` runs the grid in shuffled blocks that include the baseline, and continues after a kill.
# The program itself writes csv/ and witness/, one file per cell, because the sweep measures processes
# and does not know their decisions. Everything runs inside the output folder, with short relative
# paths, so that the path of the folder may contain any character.
set -eu

help()
{
    cat <<'END'
usage: run_mincut_bench.sh [OPTIONS]

Builds tacho and examples/attention, then measures min-cut gated attention over a grid of lambda and
tau against plain softmax, on made-up sequences with clusters of keys that belong together.

  --samples N        samples per setting, four steps of each sequence (default 1000)
  --lambda "L ..."   limits of the cut, in mean edges; 0 cuts nothing (default "0.3 0.5 0.7")
  --tau "T ..."      steps until an entry of a mask flips (default "0 2")
  --eps E            logits that are not above this are left out (default 0.01)
  --seed S           seed of the sequences and of the order of runs (default 42)
  --output-dir DIR   write the results to this folder (default results/mincut-bench)
  --seq-len A:B      shortest and longest sequence (default 32:1024)
  --repeat N         runs of each setting (default 10)
  --help             print this

The output folder, relative to the current one, gets

  csv/baseline.csv, csv/mincut_l0.3_t0.csv ...   one row per sample, of the last repetition
  csv/results.csv                                one row per setting
  csv/savings.csv                                savings by eps, and savings by the cut
  config.json                                    the configuration; its hash is in every row of these CSVs
  witness/mincut_l0.3_t0.jsonl ...               every decision, chained by SHA-256
  witness/witness.rvf                            these logs, the configuration and its hash in one RVF file
  control/eps_t0.csv, .jsonl ...                 the same runs with lambda 0: eps alone
  figs/*.svg                                     savings, heat maps and lines over the grid
  sweep/report.html                              the report of tacho sweep

A run that was killed continues when it is started again with the same options.

Three quarters of the sequences have the shortest length, three quarters of the rest twice that, and so
on, so that each length has about the same share of the work and of the files. The six logs of 1,000
samples take 175 MB: a mask of length 1,024 is 5.8 MB of text.

Environment: TACHO_BUILD, a build folder to use instead of building build/release.
END
}

wrong()
{
    echo "run_mincut_bench: $1; see --help" >&2
    exit 64
}

samples=1000
lambdas="0.3 0.5 0.7"
taus="0 2"
eps=0.01
seed=42
out=results/mincut-bench
lengths=32:1024
repeat=10

while [ $# -gt 0 ]; do
    case $1 in
    --help | -h)
        help
        exit 0
        ;;
    --samples | --lambda | --tau | --eps | --seed | --output-dir | --seq-len | --repeat)
        [ $# -gt 1 ] || wrong "$1 needs a value"
        ;;
    *) wrong "unknown option '$1'" ;;
    esac
    case $1 in
    --samples) samples=$2 ;;
    --lambda) lambdas=$2 ;;
    --tau) taus=$2 ;;
    --eps) eps=$2 ;;
    --seed) seed=$2 ;;
    --output-dir) out=$2 ;;
    --seq-len) lengths=$2 ;;
    --repeat) repeat=$2 ;;
    esac
    shift 2
done

# whole NAME VALUE: checks that VALUE is a whole number.
whole()
{
    case $2 in
    '' | *[!0-9]*) wrong "$1 needs a whole number, not '$2'" ;;
    esac
}

whole --samples "$samples"
whole --repeat "$repeat"
whole --seed "$seed"
if [ "$samples" -eq 0 ] || [ "$repeat" -eq 0 ]; then
    wrong "--samples and --repeat need 1 or more"
fi
[ -n "$out" ] || wrong "--output-dir needs a folder"

project=$(cd "$(dirname "$0")/.." && pwd)

# Builds the programs. Quick when nothing has changed.
build_release()
{
    echo "Building tacho and examples/attention in build/release."
    log=$(mktemp)
    if ! (cd "$project" && cmake --preset release &&
        cmake --build --preset release --target tacho \
            tacho_example_attention tacho_example_attention_results) >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        rm "$log"
        echo "run_mincut_bench: cannot build; run '$project/scripts/install-deps build' to install missing packages" >&2
        exit 1
    fi
    rm "$log"
}

if [ -n "${TACHO_BUILD:-}" ]; then
    build=$(cd "$TACHO_BUILD" && pwd)
else
    build=$project/build/release
    build_release
fi
tacho=$build/cli/tacho
attention=$build/examples/attention/attention
if [ ! -x "$tacho" ] || [ ! -x "$attention" ]; then
    echo "run_mincut_bench: there is no cli/tacho or examples/attention/attention in '$build'" >&2
    exit 1
fi

# The program checks its own limits: run it with one sample before anything is made or removed.
for lambda in ${lambdas:-''}; do
    for tau in ${taus:-''}; do
        "$attention" --samples 1 --seq-len "$lengths" --doubling --heads 1 --mode mincut \
            --lambda "$lambda" --tau "$tau" --eps "$eps" --quiet >/dev/null ||
            wrong "not with --lambda '$lambdas' --tau '$taus' --eps '$eps' --seq-len '$lengths'"
    done
done

# Prints "0.3 0.5" as "0.3,0.5".
comma()
{
    # shellcheck disable=SC2086  # a list of words
    printf '%s\n' $1 | paste -s -d , -
}

mkdir -p -- "$out"
cd -- "$out"

# The commit of the programs, the hash of the code that draws the inputs (there are no trained weights),
# and the flags that decide the bits of the results.
commit=$(git -C "$project" rev-parse HEAD 2>/dev/null) || commit=unknown
weights=sha256:$(sha256sum "$project/examples/attention/sample.c" | cut -d ' ' -f 1)

# A folder belongs to one configuration; another configuration starts over.
config=$(printf '{"samples":%s,"lambda":[%s],"tau":[%s],"seed":%s,"seq_len":"%s","eps":%s,"steps":4,"heads":1,"dim":64,"input":"clusters","repeat":%s,"model_commit":"%s","weights_hash":"%s","compiler_flags":"-O3 -ffp-contract=off"}' \
    "$samples" "$(comma "$lambdas")" "$(comma "$taus")" "$seed" "$lengths" "$eps" "$repeat" "$commit" "$weights")
fresh=--fresh
if [ -e config.json ] && [ "$(cat config.json)" = "$config" ] && [ ! -e csv/results.csv ]; then
    fresh=
    echo "run_mincut_bench: continuing in '$out', which was not finished"
fi
[ -z "$fresh" ] || rm -rf csv witness control figs
mkdir -p csv witness control figs
printf '%s\n' "$config" >config.json
hash=$("$tacho" fingerprint config --quiet --file config.json)

# stamp FILE: adds the hash of the configuration to every row, as the last column.
stamp()
{
    awk -v hash="$hash" '{ print $0 "," (NR == 1 ? "config_hash" : hash) }' "$1" >"$1.tmp"
    mv "$1.tmp" "$1"
}

common="--samples $samples --steps 4 --seq-len $lengths --doubling --input clusters --heads 1 --seed $seed"

# gated LAMBDA TAU FILE: runs without measuring and writes FILE.csv and FILE.jsonl.
gated()
{
    # shellcheck disable=SC2086  # a list of words
    "$attention" $common --mode mincut --lambda "$1" --tau "$2" --eps "$eps" --csv "$3.csv" \
        --witness "$3.jsonl" --quiet >/dev/null
}

echo "The grid: lambda $lambdas, tau $taus, $samples samples, $repeat repetitions and the baseline."
# The line of the baseline is split into words as in a shell, so the program is quoted.
quoted=\'$(printf '%s\n' "$attention" | sed "s/'/'\\\\''/g")\'
# shellcheck disable=SC2086  # lists of words
"$tacho" sweep $fresh --grid lambda="$(comma "$lambdas")" --grid tau="$(comma "$taus")" \
    --repeat "$repeat" --seed "$seed" --out-dir . --name sweep \
    --metric 'p95_ms=p95 ([0-9.]+) ms' \
    --metric 'coherence_delta=coherence delta (-?[0-9.]+)' \
    --metric 'kv_cache_percent=kv cache +([0-9.]+) %' \
    --metric 'samples_cut_percent=([0-9.]+) % of the samples cut' \
    --metric 'passing_percent=([0-9.]+) % of the samples pass' \
    --pareto p95_ms,max:kv_cache_percent,max:passing_percent \
    --baseline "$quoted $common --mode softmax --csv csv/baseline.csv" -- \
    "$attention" $common --mode mincut --lambda '{lambda}' --tau '{tau}' --eps "$eps" \
    --csv 'csv/mincut_l{lambda}_t{tau}.csv' --witness 'witness/mincut_l{lambda}_t{tau}.jsonl'
cp sweep/figs/*.svg figs/

echo
echo "The controls: lambda 0, where only eps gates. Then each setting once more, to compare its decisions."
: >reproduced.txt
for tau in $taus; do
    gated 0 "$tau" "control/eps_t$tau"
    for lambda in $lambdas; do
        name=mincut_l${lambda}_t$tau
        gated "$lambda" "$tau" control/again
        same=no
        "$tacho" witness compare --quiet "witness/$name.jsonl" control/again.jsonl && same=yes
        echo "$name $same" >>reproduced.txt
    done
done
rm control/again.csv control/again.jsonl
"$tacho" witness pack --quiet --config config.json -o witness/witness.rvf witness
"$tacho" witness verify witness/witness.rvf
echo
"$build/examples/attention/attention_results" . reproduced.txt
for file in control/*.csv csv/baseline.csv csv/mincut_*.csv csv/savings.csv csv/results.csv; do
    stamp "$file"
done
echo
echo "in $out: csv/results.csv, csv/savings.csv, witness/witness.rvf, figs/, sweep/report.html"
