#!/bin/sh
# An independent reader, Perfetto's own trace processor, finds in tacho's traces exactly what was recorded.
#
#   viewers.sh PROJECT CHILD
set -eu
. "$1/tests/support/lib.sh"
child=$2
. "$1/tests/kit/trace/tpq.sh"

# The query for dropped events. Nothing was dropped, so the answer is only its title.
losses="select name as lost from stats where value != 0 and severity in ('error', 'data_loss')"

# expect FILE SQL...: checks the answers, losses first, against standard input.
expect()
{
    { echo lost; cat; } >"$scratch/wanted"
    trace=$1
    shift
    ask "$trace" "$losses" "$@" >"$scratch/got"
    expect_same "$(basename "$trace")" "$scratch/wanted" "$scratch/got"
}

for extension in json pftrace; do
    TACHO_TRACE_OUT=$scratch/all.$extension "$child" all
    expect "$scratch/all.$extension" \
        "select name, count(*) as n from slice group by name order by name" \
        "select count(*) as flows from flow f join slice a on a.id = slice_out
         join slice b on b.id = slice_in where a.name = 'inner' and b.name = 'target'" \
        "select count(*) as nested from slice c join slice p on p.id = c.parent_id
         where p.name = 'outer' and c.name in ('inner', 'target')" \
        "select name as unfinished from slice where dur = -1" \
        "select sum(a.int_value) as args from slice s join args a using (arg_set_id)
         where s.name = 'inner' and a.key in ('args.i', 'debug.i')" \
        "select count(*) as threads from thread where name = 'worker'" \
        "select count(*) as processes from process where name = 'all of it'" \
        "select count(*) as counters, sum(value) as total from counter" <<END
name	n
inner	100
kernel	100
moment	100
never ends	1
outer	100
pushed	100
request	100
target	100
flows
100
nested
200
unfinished
never ends
args
4950
threads
1
processes
1
counters	total
200	6187.5
END

    TACHO_TRACE_OUT=$scratch/names.$extension "$child" names
    expect "$scratch/names.$extension" \
        "select count(*) as spans, count(distinct name) as names from slice" \
        "select count(*) as escaped from slice where name = 'quote\"back\\slash'" \
        "select count(*) as replaced from slice where name like 'bad %' and
         hex(name) like '%EFBFBD%'" <<END
spans	names
12	6
escaped
2
replaced
2
END

    TACHO_TRACE_OUT=$scratch/many.$extension "$child" spans 2 250000
    expect "$scratch/many.$extension" "select count(*) as many, min(dur) >= 0 as sane from slice" <<END
many	sane
500000	1
END
done

# Check that the JSON and the UTF-8 are strictly valid, which the trace processor does not require.
for name in all names many; do
    node -e 'JSON.parse(new TextDecoder("utf-8", {fatal: true})
                 .decode(require("fs").readFileSync(process.argv[1])))' \
        "$scratch/$name.json" || fail "$name.json is not valid JSON"
done
