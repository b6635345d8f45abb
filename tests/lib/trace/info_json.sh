#!/bin/sh
# Checks that `tacho trace info --json` follows its schema and counts all records.
#
#   info_json.sh PROJECT TACHO CHILD
set -eu
. "$1/tests/support/lib.sh"
TACHO_TRACE_OUT=$scratch/t.tacho "$3" all
"$2" trace info --json "$scratch/t.tacho" >"$scratch/info.json"
for wanted in '"schema":"tacho.trace.info.v1"' '"threads":2' '"spans":300' '"unfinished_spans":1' \
    '"dropped_records":0' '"damaged_records":0' '"finished":true'; do
    grep -q "$wanted" "$scratch/info.json" || fail "no $wanted in $(cat "$scratch/info.json")"
done
"$2" trace recover -q "$scratch/t.tacho" -o "$scratch/t.json"
[ "$(grep -o '"name":"inner"' "$scratch/t.json" | wc -l)" -eq 100 ] || fail "recover lost spans"
! "$2" trace recover "$3" -o "$scratch/x.json" 2>"$scratch/why" || fail "recover accepted a program as a recording"
grep -q "is not a recording" "$scratch/why" || fail "the message does not name the reason: $(cat "$scratch/why")"
[ ! -e "$scratch/x.json" ] || fail "recover left a file"
# Change the header so that it says, wrongly, that there are no events with explicit times.
printf '\0' | dd of="$scratch/t.tacho" bs=1 seek=224 conv=notrunc 2>/dev/null
"$2" trace summary "$scratch/t.tacho" >/dev/null 2>&1 || fail "summary fails on a damaged header"

python3 -c 'import jsonschema' 2>/dev/null || { echo "the schema is not checked: python3 has no jsonschema"; exit 0; }
python3 - "$scratch/info.json" "$1/docs/schemas/trace.info.v1.schema.json" <<'END'
import json, sys
import jsonschema

document, schema = (json.load(open(path)) for path in sys.argv[1:])
jsonschema.Draft202012Validator(schema).validate(document)
END
