#!/bin/sh
# Orders from 10^5 to 5 x 10^6 rows on a GPU and on the host: a line for each order and kind of matrix with its times, how they
# grow (the power of the number of rows, from the smallest to the largest) and the share of the ideal gain at K = 128.
# Usage: tests/gpu/order_growth.sh PROGRAM [ARGUMENT...]   e.g. tests/gpu/test_gpu_orders
# ROWCAST_GPU_ORDERS: the orders (tests/gpu/order_times.h); OMP_NUM_THREADS: threads of the host.
: "${ROWCAST_GPU_ORDERS=mincol minlabel labels cells multilevel auto}"
export ROWCAST_GPU_ORDERS
# shellcheck disable=SC2086 # words
"$@" --time alike ${SPECS:-mesh3d:n=46 mesh3d:n=100 mesh3d:n=170 communities:100000 communities:1000000 communities:4000000 \
    rmat:scale=17,edges=10 rmat:scale=20,edges=10 rmat:scale=22,edges=10} | tee -a "${LOG:-/dev/null}" | awk '
    /^# [^ ]*,? rows and columns/ || /^# [^ ]*, rows/ {
        kind = $2; sub(/:.*/, "", kind); for (i = 1; i < NF; i++) if ($(i + 1) == "x") rows = $i
        if (!(kind in sizes)) kinds[++count] = kind
        of[kind, ++sizes[kind]] = rows; next
    }
    $1 == "#" && / host / && / us/ {
        at = kind SUBSEP $2; if (!(at in seen)) { seen[at] = 1; order[kind, ++orders[kind]] = $2 }
        gpu[at, sizes[kind]] = $3
        for (i = 1; i < NF; i++) if ($i == "host") host[at, sizes[kind]] = $(i + 1)
        share[at, sizes[kind]] = "-"
        if (match($0, /K=128 +[0-9.]+ us +-?[0-9]+ %/)) { n = split(substr($0, RSTART, RLENGTH), w, " "); share[at, sizes[kind]] = w[n - 1] }
    }
    function grown(a, b, m, n) { return a > 0 && b > 0 && n > m ? sprintf("%.2f", log(b / a) / log(n / m)) : "-" }
    END {
        print "| kind, rows | order | GPU, ms | grows | host, s | grows | share of the ideal gain, % |"
        print "| --- | --- | --- | --- | --- | --- | --- |"
        for (k = 1; k <= count; k++) {
            kind = kinds[k]; last = sizes[kind]; text = ""
            for (i = 1; i <= last; i++) text = text (i > 1 ? " / " : "") of[kind, i]
            for (o = 1; o <= orders[kind]; o++) {
                at = kind SUBSEP order[kind, o]; g = h = s = ""
                for (i = 1; i <= last; i++) {
                    g = g (i > 1 ? " / " : "") gpu[at, i]; h = h (i > 1 ? " / " : "") host[at, i]; s = s (i > 1 ? " / " : "") share[at, i]
                }
                print "| " kind ", " text " | `" order[kind, o] "` | " g " | " grown(gpu[at, 1], gpu[at, last], of[kind, 1], of[kind, last]) " | " h " | " \
                    grown(host[at, 1], host[at, last], of[kind, 1], of[kind, last]) " | " s " |"
            }
        }
    }'
