#!/bin/sh
# run.json contains the file of --config unchanged, and every other document has another hash.
#   config.sh TACHO
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"

# hash_of TEXT: prints the config hash of a run with that file.
hash_of()
{
    printf '%s' "$1" >config.json
    run 0 -n 1 --config config.json -- true
    jq -r .config.sha256 tacho-out/true/latest/run.json
}

# Documents that differ in digits that a double cannot represent.
for text in '{"a":null}' '{"a":1e400}' '{"a":-1e999}' '{"a":18446744073709551616}' '{"a":18446744073709551617}'; do
    hash_of "$text"
done >hashes
[ "$(sort -u hashes | wc -l)" -eq 5 ] || fail "documents that differ share a hash: $(cat hashes)"

# The document is not rewritten: not its numbers, not its escapes, not its blanks.
printf ' {"a": 1e400,\n  "b": [2.50, "\\u0061"]}\n\n' >config.json
run 0 -n 1 --config config.json -- true
tr '\n' '~' <tacho-out/true/latest/run.json >one-line
says one-line '"document":{"a": 1e400,~  "b": [2.50, "\u0061"]}},"labels"'
[ "$("$tacho" fingerprint json config.json)" = "$(jq -r .config.sha256 tacho-out/true/latest/run.json)" ] ||
    fail "the hash of the file is another"
"$tacho" report tacho-out/true/latest >out 2>err || fail "the run cannot be read: $(cat err)"

# A document that is nested too deeply for run.json is refused before anything runs.
nested()
{
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "["; for (i = 0; i < n; i++) printf "]" }'
}
nested 100 >config.json
run 0 -n 1 --config config.json -- true
"$tacho" report tacho-out/true/latest >out 2>err || fail "a nested config cannot be read: $(cat err)"
nested 101 >config.json
run 1 -n 1 --config config.json -- true
says err "config.json': line 1: nested deeper than 100 levels"
