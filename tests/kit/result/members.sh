#!/bin/sh
# Tests that the JSON schemas of files have the members of their tables, and no others.
#
#   members.sh REWRITE SCHEMAS
set -eu

rewrite=$1 schemas=$2
# shellcheck source=SCRIPTDIR/../../support/lib.sh
. "$(dirname "$0")/../../support/lib.sh"
need jq
cd "$scratch"

for document in baseline run; do
    "$rewrite" --members "$document" | sort >tables
    # The properties of the document, of the objects in it, which may be null instead, and of the objects in its lists.
    jq -r '
        def object: if .oneOf then (.oneOf[] | select(.properties)) elif .items then .items else . end;
        def members($before): objects | object | objects | .properties // {} | to_entries[]
            | $before + .key, (.key as $name | .value | members($before + $name + "."));
        members("")' "$schemas/$document.v1.schema.json" | sort -u >all
    # Members with functions of their own instead of a table: the schema alone knows what is in them.
    sed -n 's/\.[^.]*$//p' all | sort -u | while read -r name; do
        grep -q "^$name\\." tables || echo "^$name\\."
    done >own
    grep -v -f own all >wanted
    expect_same "the members of $document" wanted tables
done
