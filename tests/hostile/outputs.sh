#!/bin/sh
# outputs.sh TACHO: an orphaned process of run 1 prints during run 2. The metric of run 2 must come from
# its own output, on standard output and on standard error.
set -u
tacho=$1
# shellcheck source=SCRIPTDIR/../support/lib.sh
. "$(dirname "$0")/../support/lib.sh"
need jq
cd "$scratch" || exit 1
unset TACHO_RUN_DIR TACHO_TRACE_OUT TACHO_PROFILE_JSONL

cat >program.sh <<'END'
if [ ! -e first ]; then
    touch first
    sh -c 'until [ -e go ]; do sleep 0.01; done; echo x=999; echo x=999 >&2; touch said' &
    echo x=1
else
    touch go
    until [ -e said ]; do sleep 0.01; done
    echo x=2
fi
END

for where in 1 2; do
    rm -f first go said
    "$tacho" run -n 2 -w 0 --name "out$where" --metric 'x=([0-9]+)' -- \
        sh -c ". ./program.sh >&$where" >out 2>err || fail "the run failed: $(cat err)"
    run_json=tacho-out/out$where/latest/run.json
    jq -e '[.samples[].metrics[]] | flatten == [1, 2]' "$run_json" >/dev/null ||
        fail "the metrics are $(jq -c '[.samples[].metrics[]]' "$run_json")"
done
