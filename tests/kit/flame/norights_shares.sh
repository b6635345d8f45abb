#!/bin/sh
# Compares captures of an ordinary user without perf events with native captures of the same
# programs: nearly as many samples, stacks that reach their root, and the same shares.
#
#   norights_shares.sh PROJECT TACHO WORKLOAD-FOLDER
set -eu
. "$1/tests/kit/flame/refused_user.sh"
can_sample "$3/workload"
points=4

# samples LABEL: prints the number of samples
samples()
{
    sed -n 's/^samples: *\([0-9,]*\).*/\1/p' "$1.txt" | tr -d ,
}

# both LABEL PROFILER COMMAND...: captures natively as native-LABEL and without rights as LABEL
both()
{
    label=$1 profiler=$2
    shift 2
    "$tacho" flame --profiler native --folded --force --label "native-$label" --out-dir open -- "$@" >"native-$label.txt" 2>&1 ||
        { cat "native-$label.txt"; fail "$label cannot be captured natively"; }
    # The tracer gets the rate of the others: at its own, 250 Hz, chance alone explains 2 points.
    flame "$label" --rate 997 -- "$@"
    mv out.txt "$label.txt"
    grep -q "^profiler: $profiler," "$label.txt" || { cat "$label.txt"; fail "$label: the profiler is not $profiler"; }
    # Names of C++ have the namespace, names of Rust the crate, in front.
    sed -i 's/[^;]*::\([a-z]*_[hw]\)/\1/g' "open/flamegraph-$label.folded" "open/flamegraph-native-$label.folded"
    echo "$label: $(samples "$label") samples, $(samples "native-$label") natively; $(rooted "open/flamegraph-$label.folded") % rooted"
    rooted_well "$label"
}

# agree LABEL POINTS FRAME:PERCENT...: the native shares are right, and the others differ from them
# by at most POINTS
agree()
{
    label=$1 points=$2
    shift 2
    for pair in "$@"; do
        frame=${pair%:*}
        got=$(share "open/flamegraph-$label.folded" "$frame")
        native=$(share "open/flamegraph-native-$label.folded" "$frame")
        echo "$label, $frame: $got %, natively $native %"
        near "$label, $frame, natively" "$native" "${pair#*:}" 3
        near "$label, $frame" "$got" "$native" "$points"
    done
}

both c preload ./workload phases 500
agree c 2 hot:70 warm:20 cool:10
both crowd preload ./workload crowd 500
agree crowd 2 hot:70 warm:20 cool:10
awk -v got="$(samples crowd)" -v native="$(samples native-crowd)" 'BEGIN { exit !(got >= 0.9 * native) }' ||
    fail "four busy threads per CPU have $(samples crowd) samples, fewer than 90 % of $(samples native-crowd)"
both bursts preload ./workload bursts 8000
agree bursts 5 early:49 late:49
both requests preload ./workload requests 60
agree requests 5 early:49 late:49
both static ptrace ./workload_static phases 500
agree static 2 hot:70 warm:20 cool:10

if command -v g++ >/dev/null; then
    g++ -O2 -g -o busy_cxx "$project/tests/kit/flame/busy.cpp"
    both cxx preload ./busy_cxx 500
    agree cxx 2 cxx_hot:70 cxx_warm:30
else
    echo "not tested: C++, because there is no g++"
fi
if command -v rustc >/dev/null && rustc --version >/dev/null 2>&1; then
    rustc -O -g -o busy_rust "$project/tests/kit/flame/busy.rs"
    both rust preload ./busy_rust 500
    agree rust 2 rust_hot:70 rust_warm:30
else
    echo "not tested: Rust, because there is no rustc"
fi
if command -v go >/dev/null; then
    GOCACHE=$scratch/go go build -o busy_go "$project/tests/kit/flame/busy.go"
    both go ptrace ./busy_go 500
    agree go 2 main.goHot:70 main.goWarm:30
else
    echo "not tested: Go, because there is no go; the static program is tested instead"
fi
