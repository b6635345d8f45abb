#!/bin/sh
# What --json prints is what its schema says.
#
#   summary.sh TACHO SCHEMA
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../support/lib.sh"
python3 -c 'import jsonschema' 2>/dev/null || skip "python3 with jsonschema is not installed"

echo 'main;f 5' >"$scratch/a"
echo 'main;f 5 6' >"$scratch/both"
"$1" flame draw "$scratch/a" --json -o "$scratch/a.svg" >"$scratch/draw.json"
"$1" flame convert "$scratch/both" --json -o "$scratch/b.pb.gz" >"$scratch/both.json"
python3 - "$2" "$scratch/draw.json" "$scratch/both.json" <<'END'
import json, sys
import jsonschema

schema, *documents = (json.load(open(path)) for path in sys.argv[1:])
jsonschema.Draft202012Validator.check_schema(schema)
checker = jsonschema.Draft202012Validator(schema)
for document in documents:
    checker.validate(document)
# A schema that takes anything shows nothing: a document that is wrong must be refused.
documents[0]["samples"] = "5"
if checker.is_valid(documents[0]):
    sys.exit("the schema does not hold")
END
