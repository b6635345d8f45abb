# shellcheck shell=sh
# Functions for the tests of `tacho flame -- COMMAND`, which source it with PROJECT TACHO.
. "$1/tests/support/lib.sh"
project=$1
tacho=$2
cd "$scratch" || exit 1
# Limits the CPU time of each process, so that processes of a killed test do not run forever.
# shellcheck disable=SC3045  # where there is none, there is no limit
ulimit -t "${cpu_seconds:-300}" || :

# Other processes change the shares of functions a little: caches are cold after a switch, and samples are
# late. So the tests of every build accept shares that are wrong by 20 points, which no load explains. Tests
# that run alone, labelled "long", accept less.
# shellcheck disable=SC2034  # for the tests that source this file
points=20
# A busy machine may not give a command enough CPU time for a sample within the first of these.
# shellcheck disable=SC2034
durations='300ms 3s 30s'

# Without perf events only the message can be tested.
can_sample()
{
    "$tacho" flame --out-dir "$scratch/probe" --profiler native -- "$1" shares 20 >probe.txt 2>&1 && return
    cat probe.txt
    grep -q 'no permission to sample\|no perf events' probe.txt && skip "perf events are not allowed here"
    fail "cannot capture"
}

# as_schema: checks the JSON in out.txt against its schema in docs/schemas
as_schema()
{
    checked=0
    "$project/tests/support/check-schema" "$project/docs/schemas" <out.txt >schema.txt 2>&1 || checked=$?
    [ $checked = 0 ] || [ $checked = 77 ] || { cat schema.txt; fail "the output of --json does not conform to its schema"; }
}

# share FOLDED FRAME: percent of all samples with this frame somewhere, one digit.
share()
{
    awk -v frame="$2" '
        {
            n = $NF; sub(/ [0-9]+$/, ""); total += n
            count = split($0, f, ";")
            for (i = 1; i <= count; i++) { sub(/_\[[ijk]\]$/, "", f[i]); if (f[i] == frame) { sum += n; break } }
        }
        END { printf "%.1f\n", total ? 100 * sum / total : 0 }' "$1"
}

# near NAME GOT WANTED POINTS: a function that is wanted must have samples, whatever POINTS is
near()
{
    awk -v got="$2" -v wanted="$3" -v points="$4" 'BEGIN {
        exit !(got - wanted <= points && wanted - got <= points && (got > 0 || wanted == 0))
    }' ||
        fail "$1: $2 %, not $3 % within $4 points"
}

# rooted FOLDED: percent of the samples with user code whose root is where a program or a thread
# starts.
rooted()
{
    awk '
        {
            n = $NF; sub(/ [0-9]+$/, ""); split($0, f, ";")
            if (f[2] == "" || f[2] ~ /_\[k\]$/) next
            total += n
            if (f[2] ~ /^(main|_start|_dl_start_user|_dl_start|(__GI_)?(__)?clone3?|start_thread)$/) good += n
        }
        END { printf "%.1f\n", total ? 100 * good / total : 0 }' "$1"
}
