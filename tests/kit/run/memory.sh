#!/bin/sh
# memory.sh TACHO HOLD: peak memory is the command's own, as the command sees it itself.
set -u
hold=$2
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq

# The kernel counts pages in batches per CPU, so a difference of 256 KiB is accepted.
for bytes in 2000000 50000000 400000000; do
    run 0 -n 5 --metric 'kb=VmHWM:[[:space:]]*([0-9]+)' --name hold -- "$hold" "$bytes"
    holds hold '(.statistics.max_rss_bytes.median - 1024 * .statistics.kb.median | fabs)
                <= 0.01 * 1024 * .statistics.kb.median + 262144'
    holds hold ".statistics.max_rss_bytes.median > $bytes"
done

# Two interleaved commands of different size: the small one does not get the peak of the large one.
run 0 -n 5 --name small --name large -c 'true' -c "$hold 300000000"
holds small '.statistics.max_rss_bytes.max < 20e6'
holds large '.statistics.max_rss_bytes.min > 290e6'

# A peak that is over before the first poll counts for the tree, too.
run 0 -n 3 --name gone -c "sh -c '$hold 100000000; sleep 0.3'"
holds gone '[.samples[] | select(.tree_rss_bytes != null)]
            | length > 0 and all(.tree_rss_bytes >= .max_rss_bytes and .max_rss_bytes > 100e6)'
