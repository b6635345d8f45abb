#!/bin/sh
# A program that reads FERRUM_ variables alone finds them under tacho run, and its files are collected.
#   ferrum.sh TACHO
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq

# A program that writes events, one per line, and a Chrome trace with its own clock.
cat >prog <<'END'
#!/bin/sh
unset TACHO_PROFILE_JSONL TACHO_TRACE_OUT TACHO_RUN_DIR
printf '{"event":"step","commit_sha":null,"env_hash":"%s","model":"%s","concurrency":%s,"shape":{},"stage_us":{"decode":7},"graph_enabled":false,"runtime_flags":%s}\n' \
    "$FERRUM_PROFILE_ENV_HASH" "$FERRUM_PROFILE_MODEL" "$FERRUM_PROFILE_CONCURRENCY" \
    "$FERRUM_PROFILE_RUNTIME_FLAGS_JSON" >>"$FERRUM_PROFILE_JSONL"
printf '[{"name":"load","cat":"io","ph":"X","ts":10,"dur":20,"pid":0,"tid":3,"args":{"n":1}}]' >"$FERRUM_TRACE_OUT"
END
chmod +x prog
echo '{"a": [1]}' >config.json

run 0 -n 2 --label model=llama --label concurrency=4 --config config.json -- ./prog
events="tacho-out/prog/latest/profile.jsonl"
"$tacho" events validate "$events" >out 2>err || fail "the events are not valid: $(cat out err)"
[ "$(wc -l <"$events")" -eq 2 ] || fail "an event is missing: $(cat "$events")"
jq -se "all(.model == \"llama\" and .concurrency == 4 and .runtime_flags == {a: [1]}
    and .env_hash == \"$(jq -r .environment_hash tacho-out/prog/latest/run.json)\")" "$events" >/dev/null ||
    fail "the events do not describe the run: $(cat "$events")"
holds prog '.samples | all(.recorded["stage:step.decode"] == 7)'

# The spans of each run are in the trace, in a process of their own and within the run.
trace="tacho-out/prog/latest/trace.json"
# shellcheck disable=SC2016 # jq's variables
jq -e '[.[] | select(.ph == "X" and .pid == 0)] as $runs | [.[] | select(.name == "load")] as $spans
    | ($spans | length) == 2 and ([$spans[].pid] | unique | length) == 2
    and ([$runs, $spans] | transpose | all((.[1].ts - .[0].ts - 10 | fabs) < 0.01 and .[1].dur == 20))
    and ($spans | all(.cat == "io" and .tid == 3 and .args == {n: 1}))' "$trace" >/dev/null ||
    fail "trace.json lacks the spans of the program: $(cat "$trace")"
"$tacho" trace validate "$trace" >out 2>err || fail "the trace is not valid: $(cat out err)"

says tacho-out/prog/latest/report.html '<td>load</td><td>2</td>'

# A file that is not a trace stays where it is, and the report says so.
cat >prog <<'END'
#!/bin/sh
printf "$1" >"$FERRUM_TRACE_OUT"
END
for text in nonsense '[{"name":1}' '\037\213\010'; do
    run 0 -n 1 -- ./prog "$text"
    [ -e tacho-out/prog/latest/iter/0001/trace-ferrum.json ] || fail "the file of the program is gone"
    holds prog '.state == "complete"'
done
run 0 -n 1 -- ./prog nonsense
says tacho-out/prog/latest/report.html '1 of the recordings in iter/ cannot be read'

# A value that the user sets is kept, and the program finds it under both names.
cat >prog <<'END'
#!/bin/sh
env | grep -E '^(TACHO|FERRUM)_(PROFILE|TRACE)' | sort >"$SEEN"
END
SEEN="$PWD/seen" FERRUM_PROFILE_MODEL=mine TACHO_PROFILE_CONCURRENCY=3 TACHO_PROFILE_JSONL="$PWD/e.jsonl" \
    TACHO_TRACE_OUT="$PWD/t.pftrace" "$tacho" run -n 1 -- ./prog >out 2>err || fail "tacho run: $(cat err)"
says seen FERRUM_PROFILE_MODEL=mine
says seen TACHO_PROFILE_MODEL=mine
says seen FERRUM_PROFILE_CONCURRENCY=3
says seen "FERRUM_PROFILE_JSONL=$PWD/e.jsonl"
says seen "TACHO_TRACE_OUT=$PWD/t.pftrace"
! grep FERRUM_TRACE_OUT seen || fail "a trace of another format is asked for under the user's name"
[ "$(cut -d= -f1 seen | sort | uniq -d)" = '' ] || fail "a variable is set twice: $(cat seen)"
