#!/bin/sh
# Tests that the JSON schema of run.json has the members of the tables, and no others.
#
#   members.sh REWRITE SCHEMA
set -eu

rewrite=$1 schema=$2
# shellcheck source=SCRIPTDIR/../../support/lib.sh
. "$(dirname "$0")/../../support/lib.sh"
need jq
cd "$scratch"

"$rewrite" --members | sort >tables
# The properties of each object that a table describes: those of the document, and those of its members, which may be
# null instead.
jq -r '
    def object: if .oneOf then (.oneOf[] | select(.properties)) else . end;
    .properties | to_entries[] | .key as $name | $name,
        (.value | object | .properties // {} | keys[] | $name + "." + .)' "$schema" | sort >wanted
# Members with functions of their own instead of a table.
own=$(sed -n 's/\..*//p' wanted | sort -u | while read -r name; do grep -q "^$name\\." tables || echo "$name"; done)
for name in $own; do
    grep -v "^$name\\." wanted >rest
    mv rest wanted
done
expect_same "the members of run.json" wanted tables
