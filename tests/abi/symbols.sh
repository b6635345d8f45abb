#!/bin/sh
# Checks that each library exports exactly the symbols that its headers declare with TACHO_API. flame.h
# and judge.h belong to libtachokit, all other headers to libtacho.
#
#   symbols.sh PROJECT LIBRARY tacho|tachokit
set -eu
. "$1/tests/support/lib.sh"
need nm
library=$2

# Removes comments and preprocessor lines. A declaration then runs from TACHO_API to its semicolon.
# Without attributes, its name is the word before the first bracket, or the last word for a variable.
for header in "$1"/include/tacho/*.h; do
    case $header in
    */flame.h | */judge.h) of=tachokit ;;
    *) of=tacho ;;
    esac
    [ $of != "$3" ] || cat "$header"
done | awk '
    { text = text $0 "\n" }
    END {
        while (match(text, /\/\*([^*]|\*+[^*\/])*\*+\//))
            text = substr(text, 1, RSTART - 1) " " substr(text, RSTART + RLENGTH)
        n = split(text, line, "\n")
        for (i = 1; i <= n; i++) {
            macro = line[i] ~ /^[ \t]*#/ || (macro && line[i - 1] ~ /\\$/)
            if (!macro)
                code = code " " line[i]
        }
        n = split(code, statement, /[;{}]/)
        for (i = 1; i <= n; i++) {
            if (statement[i] !~ /(^|[^A-Za-z0-9_])TACHO_API([^A-Za-z0-9_]|$)/)
                continue
            gsub(/__attribute__[ \t]*\(\([^()]*(\([^()]*\))?[^()]*\)\)/, "", statement[i])
            sub(/[ \t]+$/, "", statement[i])
            if (!match(statement[i], /tacho_[A-Za-z0-9_]*[ \t]*\(/))
                match(statement[i], /tacho_[A-Za-z0-9_]*[ \t]*(\[.*)?$/)
            name = substr(statement[i], RSTART, RLENGTH)
            gsub(/[^A-Za-z0-9_].*/, "", name)
            print name
        }
    }' | LC_ALL=C sort -u >"$scratch/declared"
[ -s "$scratch/declared" ] || fail "no TACHO_API declaration found in $1/include/tacho"

# The version node of the linker's map is an absolute symbol itself, so it is not counted.
nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
    LC_ALL=C sort -u >"$scratch/exported"
expect_same "what lib$3 exports" "$scratch/declared" "$scratch/exported"
cat "$scratch/exported"
