#!/bin/sh
# latencies.sh TACHO LATENCIES PROJECT: latencies of tacho_latency reach run.json, the CSV files and the report, to the
# nanosecond, from several processes, and from one that was killed.
set -u
latencies=$2
project=$3
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq

# The child's latencies are counted once, with the parent's. Percentiles are those of all values.
run 0 -n 3 --name both -- "$latencies" fork
says out "6,000 latencies recorded by the program: p50 1.000 us, p95 1.900 us, p99 1.980 us, max 2.000 us"
holds both '.latency.exact and .latency.wall_ns.n == 6000 and (.latency | has("kernel_ns") | not)'
holds both '.latency.wall_ns | [.min, .p50, .p90, .p95, .p99, .p999, .max, .mean] == [1, 1000.5, 1800, 1900, 1980, 1998, 2000, 1000.5]'
holds both '.samples | all(.recorded.latency == {"p50": 1000.5, "p95": 1900, "p99": 1980})'
holds both '.samples | all(.recorded | has("latency_kernel") | not)'
folder="tacho-out/both/latest"
[ "$(head -n 1 $folder/latency-ns.csv)" = "sample_id,wall_ns,kernel_ns,seq_len" ] || fail "the header of latency-ns.csv"
[ "$(wc -l <$folder/latency-ns.csv)" -eq 6001 ] || fail "latency-ns.csv has $(wc -l <$folder/latency-ns.csv) lines"
[ "$(wc -l <$folder/latency.csv)" -eq 6001 ] || fail "latency.csv has $(wc -l <$folder/latency.csv) lines"
grep -qx '1499,1,0,0' $folder/latency.csv || fail "1499 ns are not 1 us in latency.csv"
grep -qx '1500,2,0,0' $folder/latency.csv || fail "1500 ns are not 2 us in latency.csv"
"$tacho" stats --json $folder/latency-ns.csv | jq -e '.column == "wall_ns" and .unit == "ns" and .max == 2000' >/dev/null ||
    fail "tacho stats does not find wall_ns: $("$tacho" stats --json $folder/latency-ns.csv)"

# The page and its formats.
says $folder/report.html "Latencies"
says $folder/report.html "1.980 us"
says $folder/report.md "p99"

# kill -9 of the program loses less than a second of latencies, and none that was written.
run 0 -n 2 --name killed -- sh -c "'$latencies' kill; [ \$? -eq 137 ]"
holds killed '.samples | all(.recorded.latency == 1000000)'
holds killed '.latency.wall_ns.n == 6000'

# A program that writes microseconds itself, and a file that is truncated in the middle of a row.
# shellcheck disable=SC2016 # the program's variables
run 0 -n 2 --name own -- sh -c '
    printf "sample_id,wall_time_us,kernel_time_us,seq_len\n1,20,5,4\n2,40,5,4\n3,9" >"$TACHO_RUN_DIR/latency.$$.csv"
    printf "sample_id,wall_ns,kernel_ns,seq_len\n1,30500,1,4\n2,7" >"$TACHO_RUN_DIR/latency-ns.$$.csv"'
holds own '.latency.wall_ns | [.n, .min, .p50, .max] == [6, 20000, 30500, 40000]'
[ "$(tail -n +2 tacho-out/own/latest/latency.csv | sort -u | paste -sd ' ')" = "1,20,5,4 1,31,0,4 2,40,5,4" ] ||
    fail "latency.csv: $(cat tacho-out/own/latest/latency.csv)"
[ "$(wc -l <tacho-out/own/latest/latency-ns.csv)" -eq 7 ] || fail "$(cat tacho-out/own/latest/latency-ns.csv)"

if command -v check-jsonschema >/dev/null 2>&1; then
    check-jsonschema --schemafile "$project/docs/schemas/run.v1.schema.json" $folder/run.json >out 2>&1 || fail "$(cat out)"
fi
