#!/bin/sh
# schema.sh TACHO SCHEMA GOLDEN: run.json matches its schema, and old files stay readable.
set -u
schema=$2
golden=$3
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
python3 -c 'import jsonschema' 2>/dev/null || skip "python3 with jsonschema is not installed"

printf '{"x": 1}' >config.json
run 0 -n 12 --metric 'a=([0-9]+)' --metric 'all:b=([0-9]+)' --config config.json --work-per-run 5x \
    --power-source fixed:3 --name full -- sh -c 'echo 1 2; sleep 0.03'
run 0 -n 3 -- true
run 0 -n 3 --name served --power-source fixed:3 --server 'echo up; sleep 9' --ready up -- sleep 0.05
run 1 -n 3 -- false
run 1 -n 1 --timeout 100ms --name late -- sleep 9
run 0 -n 2 -c 'sleep 0' -c true
run 0 -n 2 --count syscalls,allocations,allocated-bytes,faults --name counted -- true
"$tacho" run -q -n 1000 --name killed -- sleep 0.01 >/dev/null 2>&1 &
pid=$!
while [ ! -s tacho-out/killed/latest/samples.jsonl ]; do sleep 0.05; done
spawner=$(pgrep -P $pid)
kill -9 $pid
wait $pid 2>/dev/null
gone "its spawner" "$spawner" # it holds the run's lock until it has exited
cp tacho-out/killed/latest/run.json running.json
"$tacho" report tacho-out/killed/latest >/dev/null 2>&1 || fail "the killed run cannot be completed"

python3 - "$schema" "$golden" running.json tacho-out/*/latest/run.json <<'END' || exit 1
import json, sys
import jsonschema

schema, *documents = (json.load(open(path)) for path in sys.argv[1:])
jsonschema.Draft202012Validator.check_schema(schema)
checker = jsonschema.Draft202012Validator(schema)
for path, document in zip(sys.argv[2:], documents):
    for error in checker.iter_errors(document):
        sys.exit(f"{path}: {error.json_path}: {error.message}")

# The schema must also refuse wrong documents.
for spoil in (lambda d: d["samples"][0].update(wall_ns=-1), lambda d: d.pop("plan"),
              lambda d: d.update(state="fine"), lambda d: d.update(more=1)):
    document = json.loads(json.dumps(documents[0]))
    spoil(document)
    if checker.is_valid(document):
        sys.exit("the schema takes a document that is wrong")
END

# The golden receipt gives today's statistics, byte for byte.
mkdir old
cp "$golden" old/run.json
"$tacho" report -f md -o printed old 2>err || fail "the old receipt cannot be read: $(cat err)"
expect_same "report of the old receipt" "${golden%/*}/report.md" printed
