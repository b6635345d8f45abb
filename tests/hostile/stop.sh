#!/bin/sh
# stop.sh TACHO: a command that a signal ends while it writes leaves no temporary file.
set -u
tacho=$1
# shellcheck source=SCRIPTDIR/../support/lib.sh
. "$(dirname "$0")/../support/lib.sh"
cd "$scratch" || exit 1

# temp: returns whether there is a temporary file; gone: or whether tacho has exited.
temp()
{
    [ -n "$(find . -name '.out.json.*.tmp')" ]
}
temp_or_gone()
{
    temp || dead "$pid"
}

# stop SIGNAL: sets $caught if the signal came while the output was written.
stop()
{
    "$tacho" trace convert in.json -o out.json >/dev/null 2>&1 &
    pid=$!
    eventually temp_or_gone
    temp && caught=$((caught + 1))
    kill -"$1" "$pid" 2>/dev/null
    wait "$pid"
    ! temp || fail "SIG$1 left $(find . -name '.out.json.*')"
}

spans=100000
caught=0
while [ $caught -lt 2 ] && [ $spans -lt 10000000 ]; do
    awk -v n=$spans 'BEGIN {
        print "["
        for (i = 0; i < n; i++)
            printf "{\"name\":\"a\",\"ph\":\"X\",\"ts\":%d,\"dur\":5,\"pid\":1,\"tid\":%d},\n", i, i % 7
        print "{\"name\":\"e\",\"ph\":\"X\",\"ts\":1e9,\"dur\":1,\"pid\":1,\"tid\":1}]"
    }' >in.json
    caught=0
    stop TERM
    stop HUP
    spans=$((spans * 4))
done
[ $caught -eq 2 ] || fail "no signal came in time"
