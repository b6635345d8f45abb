#!/bin/sh
# Checks that the example is right and deterministic, and that it reports wrong options.
set -u

attention=$1
failed=0

fail()
{
    echo "FAILED: $*" >&2
    failed=1
}

small()
{
    "$attention" --samples 5 --seq-len 3:40 --heads 2 --dim 9 "$@"
}

# refuses TEXT OPTIONS: checks that it exits with 64, prints TEXT on stderr and nothing on stdout.
refuses()
{
    says=$1
    shift
    message=$("$attention" "$@" 2>&1 >/dev/null)
    status=$?
    [ "$status" -eq 64 ] || fail "$*: exit status $status, not 64"
    case $message in
    *"$says"*) ;;
    *) fail "$*: said '$message', not '$says'" ;;
    esac
}

# Lengths around the width and height of a tile, and a row of one float.
for shape in "1:1 1" "2:9 1" "3:40 7" "8:8 8" "31:33 16" "50:70 64" "5:5 129"; do
    len=${shape% *}
    dim=${shape#* }
    "$attention" --check --samples 4 --heads 2 --seq-len "$len" --dim "$dim" >/dev/null ||
        fail "--check fails with --seq-len $len --dim $dim"
done

first=$(small --seed 7 --quiet) || fail "the first run ends with $?"
again=$(small --seed 7 --quiet --check --mode=softmax) || fail "the second with $?"
other=$(small --seed 8 --quiet)
[ "${#first}" -eq 16 ] || fail "'$first' is not a checksum"
[ "$first" = "$again" ] || fail "the same seed gave $first, then $again"
[ "$first" != "$other" ] || fail "another seed gave the same checksum"
# The checksum is the same on every machine: no library function and no rounding may differ.
[ "$first" = 84fbb1f497f31b27 ] || fail "the checksum of seed 7 is $first"

report=$(small --check)
for word in checksum check time speed min median p95 max GFLOP/s; do
    case $report in
    *"$word"*) ;;
    *) fail "the report has no '$word'" ;;
    esac
done

# Gated attention is right, and has the same masks and the same output on every machine.
for shape in "1:1 1" "2:2 3" "3:17 8" "31:33 16" "64:64 64"; do
    len=${shape% *}
    dim=${shape#* }
    for input in random clusters; do
        "$attention" --mode mincut --check --samples 6 --seq-len "$len" --dim "$dim" --lambda 2 \
            --input $input >/dev/null || fail "--mode mincut --check fails with $len $dim $input"
    done
done
gated=$("$attention" --mode mincut --samples 20 --seq-len 8:64 --doubling --input clusters --quiet)
[ "$gated" = 6f466a0a68350464 ] || fail "the checksum of the mode mincut is $gated"

# The interval of the coherence delta is about true: of 12 seeds, at most three intervals miss the mean of all.
# With the steps of a sequence counted as independent samples, about half would.
missed=$(for seed in $(seq 12); do
    "$attention" --mode mincut --tau 0 --steps 8 --samples 800 --seq-len 48:96 --seed "${seed}000" --input clusters |
        sed -n 's/^coherence delta \(-[0-9.]*\) (\(-[0-9.]*\) to \(-[0-9.]*\)).*/\1 \2 \3/p'
done | awk '{ mean += $1 / 12; low[NR] = $2; high[NR] = $3 }
    END { for (i = 1; i <= NR; i++) missed += low[i] > mean || high[i] < mean; print NR, missed + 0 }')
case $missed in
"12 "[0-3]) ;;
*) fail "intervals, and those that miss the mean: $missed" ;;
esac

folder=$(mktemp -d)
small --power fixed:50 --csv "$folder/a.csv" --quiet >/dev/null || fail "--csv ends with $?"
[ "$(awk -F, 'NR > 1 && $5 > 0' "$folder/a.csv" | wc -l)" -eq 5 ] ||
    fail "a power source gives no energy: $(cat "$folder/a.csv")"
small --csv /proc/none/a.csv 2>/dev/null && fail "a CSV that cannot be written is not an error"
[ "$(ls "$folder")" = a.csv ] || fail "the folder has $(ls "$folder")"
rm -r "$folder"

refuses "unknown option '--sample'" --sample 3
refuses "unknown option 'softmax'" softmax
refuses "--samples needs a value" --samples
refuses "--check takes no value" --check=1
refuses "use softmax or mincut" --mode mincat
refuses "use random or clusters" --input noise
refuses "'-1' is not a value for --lambda" --lambda -1
refuses "'0x1' is not a value for --eps" --eps 0x1
refuses "'1.5' is not a value for --tau" --tau 1.5
refuses "one head" --mode mincut --heads 2
refuses "up to 3000" --mode mincut --seq-len 3001
refuses "add --mode mincut" --witness x.jsonl
refuses "'0' is not a value for --samples" --samples 0
refuses "'-1' is not a value for --samples" --samples -1
refuses "'1e3' is not a value for --samples" --samples=1e3
refuses "'' is not a value for --heads" --heads=
refuses "'4097' is not a value for --dim" --dim 4097
refuses "'9:3' is not a value for --seq-len" --seq-len 9:3
refuses "'3:' is not a value for --seq-len" --seq-len 3:
refuses "'18446744073709551616' is not a value for --seed" --seed 18446744073709551616
refuses "make one of them smaller" --seq-len 65536 --heads 1024 --dim 4096

if [ -w /dev/full ]; then
    small >/dev/full 2>/dev/null
    [ $? -eq 1 ] || fail "a full disk does not end with 1"
fi

exit $failed
