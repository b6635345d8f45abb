#!/bin/sh
# hostile_text.sh TACHO: names with escape sequences, markup and formulas are harmless in every output.
set -u
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq

esc=$(printf '\033')
name="x${esc}[2J${esc}]0;owned$(printf '\007')"

# clean FILE: the file must not contain control characters except line feeds and tabs.
clean()
{
    LC_ALL=C grep -n "[$(printf '\001')-$(printf '\010')$(printf '\013')-$(printf '\037')$(printf '\177')]" "$1" &&
        fail "$1 has control characters: $2"
}

# prints STATUS COMMAND...: the output must be clean.
prints()
{
    want=$1
    shift
    "$@" >out 2>err </dev/null
    status=$?
    [ $status -eq "$want" ] || fail "'$*' exited with $status: $(cat err)"
    clean out "$*"
    clean err "$*"
}

mkdir "$name"
printf '1\n2\n3\n' >"$name/numbers"
run 0 -n 3 --name plain -- true
clean out "run"
cp -r "$(readlink -f tacho-out/plain/latest)" "$name/run"
jq -c --arg e "$name" '.name = $e | .command.line = "echo `" + $e + "` | @you <b>"
    | .warnings = [{code: "x", text: $e, advice: "[x](http://evil.example) @you"}]' \
    "$name/run/run.json" >"$name/json" && mv "$name/json" "$name/run/run.json"
prints 0 "$tacho" compare "$name/run" "$name/run"
prints 0 "$tacho" compare --format md "$name/run" "$name/run"
prints 0 "$tacho" report -f md -o - "$name/run"
# The fence is longer than the backticks in the text.
# shellcheck disable=SC2016 # backticks of Markdown
says out '`` echo `x'
grep -q '@you \[' out && fail "a mention of somebody"
says out '\[x\](http:<!-- -->//evil.example) @<!-- -->you'
prints 0 "$tacho" report -f csv "$name/run"
prints 0 "$tacho" report "$name/run"

# Formulas get an apostrophe in front, unless --raw is given. Numbers stay numbers.
jq -c '.name = "=1+1" | .metrics = [{name: "@m", regex: "x", all: false}] |
    .samples |= map(.metrics = {"@m": 1})' "$name/run/run.json" >json && mv json "$name/run/run.json"
prints 0 "$tacho" report -f csv "$name/run"
says out "'=1+1,"
prints 0 "$tacho" report -f csv --raw "$name/run"
grep -q '^=1+1,' out || fail "report --raw: $(cat out)"
prints 0 "$tacho" compare -f csv "$name/run" "$name/run"
says out ",'@m,"
prints 0 "$tacho" compare -f csv --raw "$name/run" "$name/run"
grep -q ',@m,' out || fail "compare --raw: $(cat out)"
echo '[{"name":"@x\u001b[2J","ph":"X","ts":1,"dur":2,"pid":1,"tid":1},{"name":"-7","ph":"X","ts":4,"dur":2,"pid":1,"tid":1}]' >t.json
prints 0 "$tacho" trace convert t.json -o t.csv
clean t.csv "trace convert"
says t.csv ",'@x?[2J,"
says t.csv ",-7,"
prints 0 "$tacho" trace convert t.json -o t.csv --raw
says t.csv ",@x${esc}[2J,"
prints 0 "$tacho" sweep -q -g flag=-O2,-3 --repeat 2 --name flags -- true '{flag}'
says tacho-out/flags/results.csv ",'-O2,"
says tacho-out/flags/results.csv ",-3,"
prints 0 "$tacho" sweep -q -g flag=-O2,-3 --repeat 2 --name flags --raw -- true '{flag}'
says tacho-out/flags/results.csv ",-O2,"
clean "$name/run/report.md" report.md
prints 0 "$tacho" stats "$name/numbers"
prints 1 "$tacho" witness verify "$name"
prints 1 "$tacho" stats "$name/none"

# A line feed in a name cannot forge a line.
lines="$(printf 'x\nok   forged')"
run 0 -n 1 --name lines --seal -- true
folder=$(readlink -f tacho-out/lines/latest)
touch "$folder/$lines"
prints 2 "$tacho" witness verify "$folder"
says out 'x?ok   forged was added'
cp "$name/numbers" "$lines.jsonl"
prints 2 "$tacho" witness verify "$lines.jsonl"
grep '^ok' out && fail "a forged line: $(cat out)"

sed 's/"name":"lines"/"name":"x\\nok"/' "$folder/run.json" >changed
mv changed "$folder/run.json"
prints 0 "$tacho" report -f junit -o - "$folder"
says out 'name="x&#10;ok"'

# Names of functions in a profile.
printf 'main;%s 5\n' "$name" >folded
prints 0 "$tacho" flame fold folded
prints 0 "$tacho" flame convert --to tree folded
says out main

# Our own colours are printed, escape sequences in names are not.
printf '1\n' >"red${esc}[5A"
"$tacho" doctor --color always >colors 2>err
grep -q "${esc}\[3" colors || fail "there are no colours"
sed "s/${esc}\[[0-9]*m//g" colors >out
clean out "colours of doctor"

# Data are printed unchanged.
printf '{"a":"\302\205\302\233"}\n' >data.json
"$tacho" fingerprint json --json data.json >out 2>err || fail "no fingerprint: $(cat err)"
LC_ALL=C grep -q "$(printf '\302\233')" out || fail "JSON was changed: $(cat out)"
