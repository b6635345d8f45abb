#!/bin/sh
# product.sh TACHO: ferrum's product events are validated, summarised and compared, beside events of the other schema.
set -eu
# shellcheck source=SCRIPTDIR/../../support/lib.sh
. "$(dirname "$0")/../../support/lib.sh"
tacho=$1
cd "$scratch"

# event DURATION RATE MORE: prints a product event.
event()
{
    printf '{"schema_version":1,"ts_unix_nanos":5,"event_id":"e","request_id":"r","correlation_id":"c",'
    printf '"entrypoint":"serve","backend":"cuda","runtime_preset_hash":"sha256:ab","phase":"decode",'
    printf '"event_kind":"timed_span","timestamp":"2026-07-12T06:00:00Z","status":"ok","model":"q",'
    printf '"duration_us":%s,"shape":{"batch":8},"attributes":{"profile_sample_rate":%s}%s}\n' "$1" "$2" "$3"
}

other='{"event":"old","commit_sha":null,"env_hash":"sha256:1","model":"m","concurrency":1,"shape":{},"stage_us":{"a":1},"graph_enabled":false,"runtime_flags":{}}'
memory=',"memory":{"scope":"gpu","before_bytes":1,"after_bytes":2,"current_bytes":2,"high_water_bytes":4096}'
{
    for us in 500 510 520 530 540 550 560 570 580 590; do event $us 0.01 "$memory"; done
    echo "$other"
} >a.jsonl
sed 's/"duration_us":5/"duration_us":7/; s/0.01/0.1/' a.jsonl >b.jsonl
"$tacho" events validate --require decode,old a.jsonl >out || fail "valid events were rejected: $(cat out)"
grep -q '11 events, 0 bad lines' out || fail "$(cat out)"
"$tacho" events summary --event decode a.jsonl >out || fail "no summary"
grep -Eq '^ +total_us +10 +5\.450 ms .* 100\.0 %$' out || fail "$(cat out)"
grep -q 'memory.gpu.high_water_bytes' out || fail "$(cat out)"
"$tacho" events summary --by backend a.jsonl | grep -q cuda || fail "no summary by backend"
"$tacho" events compare a.jsonl b.jsonl >out || [ $? -eq 2 ] || fail "no comparison: $(cat out)"
grep -q 'profile_sample_rate' out || fail "other sample rates are not named: $(cat out)"
{
    cat a.jsonl
    event 5.5 0.01 ''
    event 5 2 ''
} >bad.jsonl
status=0
"$tacho" events validate bad.jsonl >out 2>&1 || status=$?
[ $status -eq 2 ] || fail "an event that is not valid ends with $status"
grep -q 'bad.jsonl:12: duration_us must be a whole number' out || fail "$(cat out)"
grep -q 'bad.jsonl:13: attributes.profile_sample_rate must be from 0 to 1' out || fail "$(cat out)"
