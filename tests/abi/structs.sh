#!/bin/sh
# Checks that every public struct is of a kind that CONTRIBUTING.md names: it has a size first, an
# initialiser TACHO_..._INIT and no padding, or it is listed there as a value, or its header calls it
# frozen.
#
#   structs.sh PROJECT
set -eu
. "$1/tests/support/lib.sh"
need cc
cd "$1"

# Lists HEADER NAME FIRST_LINE LAST_LINE SIZED(0|1) of each struct with a typedef.
awk '
    /^typedef struct tacho_[a-z0-9_]+ \{/ { name = $3; start = FNR; sized = 0 }
    name && FNR == start + 1 { sized = /^ *size_t size;/ }
    name && /^\}/ { print FILENAME, name, start, FNR, sized; name = "" }' include/tacho/*.h >"$scratch/structs"
[ "$(wc -l <"$scratch/structs")" -gt 20 ] || fail "no structs found in include/tacho"

# Lists the lines at which the compiler pads a struct.
cat include/tacho/*.h | sed -n 's/.*\(TACHO_[A-Z0-9_]*_INIT\).*/\1/p' | sort -u >"$scratch/inits"
for header in include/tacho/*.h; do
    echo "#include \"$header\""
done >"$scratch/all.c"
cc -std=c11 -I . -Wpadded -fsyntax-only "$scratch/all.c" 2>&1 |
    sed -n 's/.*\(include\/tacho\/[a-z_]*\.h\):\([0-9]*\):.*warning: padding.*/\1 \2/p' >"$scratch/padded"

values=$(sed -n '/^- \*\*Values\*\*/,/^$/p' CONTRIBUTING.md)
while read -r header name first last sized; do
    if [ "$sized" -eq 0 ]; then
        case $values in
        *"\`$name\`"*) ;;
        *) case $name in tacho_csv_*) ;; *) echo "$header: $name has no size and is not listed as a value" ;; esac ;;
        esac
        continue
    fi
    init=$(echo "$name" | tr '[:lower:]' '[:upper:]')_INIT
    grep -qx "$init" "$scratch/inits" || [ "$name" = tacho_power_reading ] || echo "$header: $name has no $init"
    while read -r file line; do
        [ "$file" != "$header" ] || [ "$line" -lt "$first" ] || [ "$line" -gt "$last" ] ||
            echo "$header:$line: $name has padding; add a member 'reserved'"
    done <"$scratch/padded"
done <"$scratch/structs" >"$scratch/faults"
[ ! -s "$scratch/faults" ] || { cat "$scratch/faults"; fail "structs that break the rule of CONTRIBUTING.md"; }
