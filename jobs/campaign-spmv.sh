# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # the variables are those of campaign.sh
# Sourced by campaign.sh: products with a vector, the parts spmv and csrk and their tables.

vector_ours=csr,merge,csr5,coo,ell,hyb
vector_vendor=cusparse-spmv-csr:alg=1..2:pre=0..1,cusparse-spmv-coo:alg=1..2,cusparse-spmv-sell,cusparse-spmv-bsr
vector_params=csr:lanes=2,csr:lanes=8,csr:lanes=32,merge:items=448,merge:items=1792,csr5:sigma=4,csr5:sigma=16,hyb:width=bell

# Every kernel with its defaults, and the library, of what vector_set says and the other matrices.
spmv_defaults()
{
    local kernels=plain-spmv,csr,merge,ell
    [[ $device != cuda ]] || kernels=$vector_ours,$vector_vendor
    vector_set | specs vector
    sweep "spmv: real matrices" "$store" 1 --where "$1" --op spmv --orders csr --precision fp32,fp64 \
        --kernels "$kernels"
    sweep "spmv: generated matrices" "$store" 1 --where 'group == vector' --op spmv --orders csr \
        --precision fp32,fp64 --kernels "$kernels"
}

part_spmv()
{
    local real='present && group != vector && group != builtin'
    [[ $collection ]] || real='present && group != vector'
    spmv_defaults "$real"
    [[ $device != cuda ]] || sweep "spmv: parameters" "$store" 1 --where "group == vector || $real" --op spmv \
        --orders csr --precision fp32,fp64 --kernels "$vector_params"
}

# csrk_pairs KERNEL: the kernel with every pair of sizes that is fitted on
csrk_pairs()
{
    local size=(4 6 8 12 16 24 32 48) ssrs srs
    local -a all=()
    for ssrs in "${size[@]}"; do
        for srs in "${size[@]}"; do all+=("$1:srs=$srs:ssrs=$ssrs"); done
    done
    (IFS=,; echo "${all[*]}")
}

csrk_library='cusparse-spmv-csr:alg=1..2:pre=0..1'
csrk_ours=csr35,csr35:reduce=shuffle,csr35:volta,csr3,csr2,csrk-split,csr5,merge,csr
# CSRK_TUNING: a file of rowcast tune csrk --fit, whose sizes are measured beside the published ones
[[ -z ${CSRK_TUNING:-} ]] || csrk_ours+=",csr35:tune=$CSRK_TUNING"
csrk_orders=csr,rcm,bandk:srs=8:ssrs=8,bandk:srs=24:ssrs=8

# CSRK_TRAIN: the first so many matrices [16]
part_csrk-fit()
{
    local data=twins catalog=$work/csrk-train.csv number=${CSRK_TRAIN:-16}
    { echo "$number" && echo none && csrk_train_index | head -n "$number"; } >"$catalog"
    sweep "csrk: pairs of sizes" "$store" 1 --op spmv --orders csr \
        --kernels "$(csrk_pairs csr35),$(csrk_pairs csr3),$csrk_ours,$csrk_library"
}

# matrices of the study, or what CSRK_WHERE says of them
csrk_where=${CSRK_WHERE:-square && rows >= 1e6 && rows <= 6e6 && nnz < 6e7}

part_csrk-study()
{
    local data=twins
    sweep "csrk: twins" "$store" 1 --where "$csrk_where" --op spmv --orders "$csrk_orders" \
        --kernels "$csrk_ours,$csrk_library"
}

part_csrk()
{
    part_csrk-fit
    part_csrk-study
}

# bench_spmv NAME: products with a vector, in batches, and one at a time as a program that has other work between them
bench_spmv()
{
    local others='group != vector && group != rs-others && group != tiles'
    local real="present && $others && group != builtin"
    [[ $collection ]] || real="present && $others"
    store=$1-spmv.h5
    spmv_defaults "$real"
    printf '### Products with a vector, batches\n\n' && part_spmv-tables
    store=$1-spmv-single.h5
    sweep "bench: single products with a vector" "$store" 1 --where "group == vector || $real" --op spmv --orders csr \
        --precision fp32,fp64 --kernels "$vector_ours,$vector_vendor" --max-batch 1
    printf '### Products with a vector, single launches beside batches\n\n' && spmv_beside "$1-spmv.h5" "$store"
}

# Products with a vector, of the real matrices and of all: ratios of times over matrices of at least 10^6 entries (and
# of those under 20,000 entries), what the best takes of the floor of CSR, and conversion in products.  The floor is that of an
# H200: 4.7 TB/s from memory; of what fits the L2 between what was measured, 0.9 TB/s at 4 MB and 2.7 TB/s at 16 MB.
part_spmv-tables()
{
    { echo set,precision,ratio,goal,matrices,geomean,least,most && spmv_ratios "$store"; } \
        | markdown set precision ratio goal matrices geomean least most
    spmv_classes
    summary "Fastest format; what always taking it loses, in %" \
        "precision kernel matrices wins share clear ties loss_geomean loss_mean loss_held_out" --summary best --top 12 \
        --where 'op == spmv && kernel !~ "cusparse*"'
}

# longest_rows STORE: "longest", digest, entries of the longest row of each matrix with the features nisa
longest_rows()
{
    local to=$work/longest
    mkdir -p "$work"
    "${run[@]}" rowcast export "$1" --csv "$to" --force --quiet --where 'rows < 0' || die 3 "cannot read the features of $1"
    [[ ! -f $to/features_nisa.csv ]] || awk -F, -v OFS=, '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { print "longest", $at["digest"], $at["nnz_max"] }' "$to/features_nisa.csv"
}

# spmv_ratios STORE: set,precision,ratio,goal,matrices,geomean,least,most
spmv_ratios()
{
    { longest_rows "$1" && query "$1" --format csv --where 'op == spmv && status == ok && policy == csr' \
        --columns group,name,rows,cols,nnz,precision,kernel,median_ns,fill,prepare_ns,digest; } | awk -F, -v OFS=, '
        $1 == "longest" { most_of[$2] = $3; next }
        $1 == "group" && $2 == "name" { next }
        {
            sub(/\r$/, "", $11)
            if ($11 in most_of) longest[$1 "/" $2 "," $6] = most_of[$11]
            full = $7; base = full; sub(/:.*/, "", base); key = $1 "/" $2 "," $6
            real[key] = $1 != "vector"; rows[key] = $3; cols[key] = $4; nnz[key] = $5; v[key] = $6 == "fp64" ? 8 : 4
            if (base ~ /^cusparse-spmv/) {
                put(key, "vendor"); sub(/^cusparse-spmv-/, "", base); put(key, "vendor-" base)
            } else if (full ~ /^(csr:lanes=auto|merge:items=896|csr5:sigma=auto|coo|ell:limit=none|hyb:width=mu)$/) {
                put(key, "own"); put(key, base); products[key "," base] = $10 / $8
                if (base == "ell") fill[key] = $9
            }
        }
        function put(k, side) { if (!((k, side) in ns) || $8 < ns[k, side]) ns[k, side] = $8 }
        function add(what, goal, k, ratio,    set, i, n, names) {
            n = split(real[k] ? "real,all" : "all", names, ",")
            for (i = 1; i <= n; i++) {
                set = names[i] "," substr(k, index(k, ",") + 1) "," what "," goal
                count[set]++; sum[set] += log(ratio)
                if (!(set in least) || ratio < least[set]) least[set] = ratio
                if (!(set in most) || ratio > most[set]) most[set] = ratio
            }
        }
        function rate(bytes) { # bytes a ns
            if (bytes >= 60e6) return 4700
            if (bytes <= 4e6) return 900
            return bytes <= 16e6 ? 900 * exp(log(bytes / 4e6) / log(4) * log(3)) \
                : 2700 * exp(log(bytes / 16e6) / log(3.75) * log(4700 / 2700))
        }
        END {
            for (k in nnz) {
                large = nnz[k] >= 1000000; a = ns[k, "own"]; b = ns[k, "vendor"]
                if (a && b) add(large ? "best of ours over best cuSPARSE" : "the same under 10^6 entries", large ? ">= 1.10" : "", k, b / a)
                c = ns[k, "vendor-csr"]
                if (large && c) {
                    if (ns[k, "merge"]) add("merge over cuSPARSE CSR", ">= 0.95", k, c / ns[k, "merge"])
                    if (ns[k, "csr5"]) add("csr5 over cuSPARSE CSR", ">= 0.85", k, c / ns[k, "csr5"])
                    if (ns[k, "csr"] && k in longest && longest[k] <= 10000) add("csr over cuSPARSE CSR; rows of at most 10^4", ">= 0.9", k, c / ns[k, "csr"])
                }
                if (large && ns[k, "ell"] && ns[k, "vendor-sell"] && fill[k] <= 1.1) add("ell over cuSPARSE sliced ELL; fill at most 1.1", ">= 0.95", k, ns[k, "vendor-sell"] / ns[k, "ell"])
                if (large && ns[k, "coo"] && ns[k, "vendor-coo"]) add("coo over cuSPARSE COO", ">= 0.9", k, ns[k, "vendor-coo"] / ns[k, "coo"])
                bytes = nnz[k] * (4 + v[k]) + 4 * (rows[k] + 1) + v[k] * (rows[k] + cols[k]); floor = bytes / rate(bytes)
                if (large && a && k ~ /\/(mesh|banded|tridiagonal)/) add("floor over best of ours; meshes and bands", ">= 0.80", k, (floor > 3500 ? floor : 3500) / a)
                if (nnz[k] < 20000 && a) add("best of ours in empty launches of 3.5 us; under 20000 entries", "<= 1.30", k, a / 3500)
                if (large) for (i = split("csr,merge,csr5,coo,ell,hyb", f, ","); i > 0; i--)
                    if ((k "," f[i]) in products) add("preparing " f[i] " in products", "<= 20", k, products[k "," f[i]])
            }
            for (s in count) print s, count[s], sprintf("%.2f", exp(sum[s] / count[s])), sprintf("%.2f", least[s]), sprintf("%.2f", most[s])
        }' | sort -t, -k1,1r -k3,3 -k2,2
}

# spmv_beside BATCHES SINGLE: the ratios of a store with batches, and of the same in a store with a launch at a time.
# Conversion is the same there, and an empty launch is not what a batch of them says
spmv_beside()
{
    { spmv_ratios "$1" | sed 's/^/1,/' && spmv_ratios "$2" | sed 's/^/2,/'; } | awk -F, -v OFS=, '
        /,preparing / { next }
        { key = $2 "," $3 "," $4 "," $5 }
        $1 == 1 { order[++n] = key; matrices[key] = $6; batch[key] = $7 OFS $8; next }
        { single[key] = $7 OFS $8; of[key] = $6 }
        END {
            print "set", "precision", "ratio", "goal", "matrices", "batches", "least", "single_matrices", "single", "single_least"
            for (i = 1; i <= n; i++) if (order[i] in single) print order[i], matrices[order[i]], batch[order[i]], of[order[i]], single[order[i]]
        }' | markdown set precision ratio goal matrices batches least single_matrices single single_least
}

# How often each format is the fastest of the six, by range of entries and by kind of generated matrix, what the fastest is
# over the fastest of cuSPARSE, and what the second of the formats takes over the first.
spmv_classes()
{
    printf '#### Fastest format by class\n\n'
    query "$store" --format csv --where 'op == spmv && status == ok && policy == csr' \
        --columns group,name,nnz,precision,kernel,median_ns | awk -F, -v OFS=, '
        NR == 1 { next }
        {
            full = $5; base = full; sub(/:.*/, "", base); key = $1 "/" $2 "," $4
            of[key] = $1 == "vector" ? "2 " $2 : $3 < 10000 ? "1 real, under 10K" : $3 < 50000 ? "1 real, 10K to 50K" \
                : $3 < 100000 ? "1 real, 50K to 100K" : $3 < 500000 ? "1 real, 100K to 500K" : "1 real, from 500K"
            if ($1 == "vector") sub(/-.*/, "", of[key])
            if (base ~ /^cusparse-spmv/) { if (!(key in vendor) || $6 < vendor[key]) vendor[key] = $6 }
            else if (full ~ /^(csr:lanes=auto|merge:items=896|csr5:sigma=auto|coo|ell:limit=none|hyb:width=mu)$/) {
                if (!(key in own) || $6 < own[key]) { second[key] = own[key]; own[key] = $6; winner[key] = base }
                else if (!second[key] || $6 < second[key]) second[key] = $6
            }
        }
        function add(c, k) {
            n[c]++; wins[c, winner[k]]++
            if (second[k]) { m[c]++; margin[c] += log(second[k] / own[k]) }
            if (!(k in vendor)) return
            x[c]++; over[c] += log(vendor[k] / own[k])
            if (!(c in least) || vendor[k] / own[k] < least[c]) least[c] = vendor[k] / own[k]
        }
        END {
            for (k in own) {
                precision = substr(k, index(k, ",") + 1)
                add(of[k] "," precision, k); add("3 all," precision, k)
                if (of[k] ~ /^1/) add("3 all real," precision, k)
            }
            for (c in n) {
                line = c "," n[c]
                for (i = split("coo,ell,csr,hyb,csr5,merge", f, ","); i > 0; i--) line = line "," wins[c, f[7 - i]] + 0
                print line, sprintf("%.2f", x[c] ? exp(over[c] / x[c]) : 0), sprintf("%.2f", least[c]), sprintf("%.3f", m[c] ? exp(margin[c] / m[c]) : 0)
            }
        }' | sort -t, -k1,1 -k2,2 | sed 's/^[123] //' | sed 's/^\(real\), /\1 /' \
        | { echo class,precision,matrices,coo,ell,csr,hyb,csr5,merge,over_cusparse,least,second && cat; } \
        | markdown class precision matrices coo ell csr hyb csr5 merge over_cusparse least second
}
