# The tables of jobs/campaign.sh, which sources this file: what a store says, as Markdown.
# shellcheck shell=bash
# shellcheck disable=SC2154 # the variables are those of campaign.sh

# markdown COLUMN...: those columns of the CSV on stdin; numbers with four digits.  A page says order where CSV has policy.
# two_cards comes behind them by itself where a line has ratios of two cards: no such table goes without the mark
markdown()
{
    awk -v names="$*" -F, '
        BEGIN { n = split(names, name, " ") }
        /"/ { # commas of quoted fields
            parts = split($0, part, "\"")
            $0 = ""
            for (i = 1; i <= parts; i++) {
                if (i % 2 == 0) gsub(",", "\037", part[i])
                $0 = $0 part[i]
            }
        }
        NR == 1 {
            for (i = 1; i <= NF; i++) at[$i] = i
            for (i = 1; i <= n; i++) {
                if (!(name[i] in at)) { print "no column " name[i] > "/dev/stderr"; failed = 1; exit 1 }
                unmarked += name[i] == "two_cards"
            }
            unmarked = !unmarked && "two_cards" in at
            next
        }
        { row[NR] = $0 }
        unmarked && $at["two_cards"] + 0 > 0 { name[++n] = "two_cards"; unmarked = 0 }
        END {
            if (failed) exit 1
            for (i = 1; i <= n && NR; i++) {
                head = head "| " (name[i] == "policy" ? "order" : name[i]) " "
                rule = rule "| --- "
            }
            if (NR) { print head "|"; print rule "|" }
            for (k = 2; k <= NR; k++) {
                split(row[k], cell, ",")
                line = ""
                for (i = 1; i <= n; i++) {
                    value = cell[at[name[i]]]
                    if (value ~ /^-?[0-9]+\.[0-9]+(e[-+]?[0-9]+)?$|^-?[0-9]+e[-+]?[0-9]+$/)
                        value = sprintf("%.4g", value)
                    gsub("\037", ",", value)
                    line = line "| " value " "
                }
                print line "|"
            }
            print ""
        }'
}

# of_all: of a CSV with lines of real matrices and of all, those of all without the word that says so: which matrices a
# table is of is said by its expression
of_all()
{
    awk -F, -v OFS=, '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == "set") at = i }
        !at { print; next }
        NR == 1 || $at == "all" {
            line = ""
            for (i = 1; i <= NF; i++) if (i != at) line = line (line == "" ? "" : OFS) $i
            print line
        }'
}

# tabulate TITLE COLUMNS: CSV from stdin as Markdown; of all matrices where "set" is no column
tabulate()
{
    local columns
    read -ra columns <<<"$2"
    printf '#### %s\n\n' "$1"
    if [[ " ${columns[*]} " == *" set "* ]]; then cat; else of_all; fi | markdown "${columns[@]}"
}

# summary TITLE COLUMNS OPTION...: a summary of the store
summary()
{
    query "$store" --format csv "${@:3}" | tabulate "$1" "$2"
}

# published TITLE COLUMNS PAPER TABLE OPTION...: a table of a paper from the store
published()
{
    "${run[@]}" rowcast paper "$3" "$4" "$store" --format csv "${@:5}" | tabulate "$1" "$2"
}

# versus SIDE-A SIDE-B [EXPRESSION]: lines of a table that begin with the sides
versus()
{
    query "$store" --format csv --summary versus --side-a "$1" --side-b "$2" \
        --where "c_order == original${3:+ && $3}" | of_all | awk -v OFS=, -v a="${1//,/ }" -v b="${2//,/ }" '
            NR == 1 { print "a", "b", $0 }
            NR > 1 { print a, b, $0 }'
}

all_versus()
{
    local ours_any="$published*,${ours//,/*,}*"
    versus "$published*@csr" "$library_col@csr"
    versus "$published*@any" "$library_col@csr"
    versus "$published*@csr" "$library@csr"
    versus "$published*@any" "$library@csr"
    if [[ $device == cuda ]]; then
        versus 'gsub*@csr' "$library_col@csr"
        versus 'gsub*@any' "$library_col@csr"
        versus 'growmajor*@csr' 'cusparse-*-row*@csr'
        versus 'growmajor*@any' 'cusparse-*-row*@csr'
    fi
    versus "$ours_any@csr" "$library@csr"
    versus "$ours_any@any" "$library@csr"
    versus "$library@any" "$library@csr"
}

part_tables()
{
    local own="kernel ~ \"$published*\" && c_order == original && precision == fp32"
    local speedups="matrices max mean geomean median min mean_held_out geomean_held_out"
    [[ -f $store ]] || die 3 "$store: no such store"
    printf '### Cases\n\n'
    query "$store" --format csv --columns device,status | sed 1d | sort | uniq -c | sed 's/^/    /'
    printf '\nNot ok, by reason:\n\n'
    not_ok "$store" | sed 's/^/    /'
    printf '\n### The published kernel under every order\n\n'
    summary "Speedup over the original order (Table I)" "k precision policy $speedups" \
        --summary speedup --where "$own"
    summary "Share of matrices on which an order is fastest (figure 9)" \
        "k precision policy matrices wins share clear ties gain_over_5" --summary share --where "$own"
    summary "Greedy portfolio (figure 10)" "k precision policies added geomean mean geomean_held_out mean_held_out" \
        --summary portfolio --where "$own"
    printf '### Every kernel\n\n#### Speedup of the oracle over the original order\n\n'
    query "$store" --format csv --summary speedup | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == "policy") at = i; print; next }
        $at == "oracle"' | markdown kernel k precision c_order matrices max mean geomean median min \
        mean_held_out geomean_held_out
    printf '#### Time of side B over time of side A (figure 3)\n\n'
    all_versus | awk 'NR == 1 || !/^a,b,/' \
        | markdown a b k precision matrices share_a clear_a ties max mean geomean median min geomean_held_out
    summary "Fastest kernel and order; what always taking it loses, in %" \
        "k precision c_order kernel policy matrices wins share clear ties loss_geomean loss_mean loss_held_out" \
        --summary best --top 8
    summary "Rates in the original order, Gflop/s and GB/s of compulsory traffic" \
        "k precision kernel matrices geomean mean max geomean_bytes mean_bytes max_bytes" \
        --summary rate --where 'policy == csr'
}

# The fastest plan of a layout over the library, which is not among the plans: row-major over cuSPARSE in either layout,
# since a caller may choose, and over that of its own, then column-major.
fastest_plans()
{
    { versus '!cusparse*@any@row' 'cusparse*@csr' "$1"
        versus '!cusparse*@any@row' 'cusparse*@csr@row' "$1"
        versus '!cusparse*@any@col' 'cusparse*@csr@col' "$1"
    } | awk 'NR == 1 || !/^a,b,/'
}

# The fastest plan over the library by class of matrix: geomean, and the least in brackets.
plan_classes()
{
    local layout class where sides
    for layout in rows columns; do
        case $layout in
        rows) sides=('!cusparse*@any@row' 'cusparse*@csr') ;;
        columns) sides=('!cusparse*@any@col' 'cusparse*@csr@col') ;;
        esac
        while IFS=: read -r class where; do
            versus "${sides[@]}" "group != large && precision == fp32 && $where" | awk -v OFS=, -v layout="$layout" -v class="$class" -F, '
                NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
                { k = $at["k"]; if ($at["matrices"] > n) n = $at["matrices"]; of[k] = sprintf("%.2f (%.2f)", $at["geomean"], $at["min"]) }
                { cards += $at["two_cards"] }
                END { print layout, class, n, of[8], of[32], of[128], of[512], of["n"], cards + 0 }'
        done <<'SET'
under 10 000 entries:nnz < 10000
10 000 to 50 000:nnz >= 10000 && nnz < 50000
50 000 to 200 000:nnz >= 50000 && nnz < 200000
from 200 000:nnz >= 200000
density under 0.1 %:density < 0.001
0.1 to 1 %:density >= 0.001 && density < 0.01
from 1 %:density >= 0.01
SET
    done | { echo "layout,class,matrices,8,32,128,512,n,two_cards" && cat; } | markdown layout class matrices 8 32 128 512 n
}

part_plan-tables()
{
    local real='group != large'
    local -a columns=(a b k precision matrices share_a max mean geomean median min geomean_held_out)
    printf '### Fastest plan over the library\n\n'
    fastest_plans "$real" | markdown "${columns[@]}"
    printf '### The same by class of matrix, fp32\n\n'
    plan_classes
    printf '### Our kernels with their defaults over the library\n\n'
    { versus 'gchunk:entries=auto:vectors=0*@csr' 'cusparse*@csr' "$real"
        versus 'gpanel:strip=auto:panel=0:longest=auto:pairs=auto@csr' 'cusparse*@csr' "$real"
        versus 'gstage*:ctas=3:*@csr' 'cusparse*@csr' "$real"
        versus 'growmajor*@csr' 'cusparse*@csr' "$real"
        versus 'gpanel:strip=auto:panel=0:longest=auto:pairs=auto@blk*' 'cusparse*@csr' "$real"
        versus 'gchunk-col:entries=auto:b=auto:tile=auto@csr' 'cusparse-*-col*@csr' "$real"
        versus 'gslice:strip=0:split=0*@csr' 'cusparse-*-col*@csr' "$real"
    } | awk -F, 'NR == 1 || ($1 != "a" && $8 != 0)' | markdown a b k precision matrices share_a max mean geomean median min
    printf '### Large matrices\n\n'
    query "$store" --format csv --where 'group == large && status == ok' --columns name,k,kernel,median_ns,card \
        | sed 1d | sort -t, -k1,1 -k2,2n -k4,4g | awk -F, -v OFS=, '
            BEGIN { print "name", "k", "kernel", "us", "over_library", "two_cards" }
            $1 != name || $2 != k { flush(); name = $1; k = $2; own = lib = "" }
            $3 ~ /^cusparse/ { if (lib == "") { lib = $4; of_lib = $5 } next }
            own == "" { own = $4; kernel = $3; of_own = $5 }
            END { flush() }
            function flush() { if (own != "" && lib != "") print name, k, kernel, sprintf("%.1f", own / 1000), sprintf("%.3f", lib / own), of_own != "" && of_lib != "" && of_own != of_lib }' \
        | markdown name k kernel us over_library
    summary "Fastest kernel and order; what always taking it loses, in %" \
        "k precision kernel policy matrices wins share clear ties loss_geomean loss_mean loss_held_out" \
        --summary best --top 12 --where "$real && layout == row"
    summary "The same by columns" \
        "k precision kernel policy matrices wins share clear ties loss_geomean loss_mean loss_held_out" \
        --summary best --top 8 --where "$real && layout == col"
}

# What make bench-gpu prints: sides of a ratio, over the matrices of an expression.
bench_ratios()
{
    local -a columns=(a b k precision matrices share_a geomean mean min geomean_held_out)
    fastest_plans "$1" | markdown "${columns[@]}"
}

# What the fastest of our kernels reaches of what the device allows: the longest of a launch, the compulsory traffic
# at the rate of the L2 or, where it does not fit there, of the memory, and the arithmetic.  The limits are those of an H200
# as measured with kernels that do nothing else: launches back to back 1.5 us, 8.5 TB/s of the L2 (60 MB), 4.7 TB/s of
# the memory, 60 and 30 Tflop/s.  Which rows of B a product reads more than once is not in the bound.
bench_bounds()
{
    query "$store" --format csv --where 'status == ok && policy == csr' \
        --columns group,name,k,precision,kernel,median_ns,bytes_min,gflops,cols | awk -F, -v OFS=, '
            NR == 1 || $5 ~ /^cusparse/ { next }
            { where = $1 == "large" ? "large" : "real"; if ($3 == $9) $3 = "n"; key = where "," $4 "," $3 "," $2 }
            !(key in ns) || $6 < ns[key] { ns[key] = $6; bytes[key] = $7; flop[key] = $8 * $6 }
            END {
                for (key in ns) {
                    split(key, p, ","); most = 1500; by = "launch"
                    memory = bytes[key] / (bytes[key] < 60e6 ? 8500 : 4700)
                    if (memory > most) { most = memory; by = bytes[key] < 60e6 ? "L2" : "memory" }
                    fma = flop[key] / (p[2] == "fp64" ? 30000 : 60000)
                    if (fma > most) { most = fma; by = "arithmetic" }
                    at = p[1] "," p[2] "," p[3] "," by; n[at]++; s[at] += log(most / ns[key])
                    if (!(at in least) || most / ns[key] < least[at]) least[at] = most / ns[key]
                }
                for (at in n) print at, n[at], sprintf("%.2f", exp(s[at] / n[at])), sprintf("%.2f", least[at])
            }' | sort -t, -k1,1 -k2,2 -k3,3n -k4,4 | { echo matrices,precision,k,bound_by,count,geomean,least && cat; } \
        | markdown matrices precision k bound_by count geomean least
}

# Preparation in products at K = 128; of gchunk, gchunk-col and gpanel without the upload.
bench_prepare()
{
    query "$store" --format csv --where 'status == ok && k == 128 && precision == fp32 && policy == csr' \
        --columns kernel,prepare_ns,median_ns | awk -F, -v OFS=, '
            NR > 1 { sub(/:.*/, "", $1); print $1, $2 / $3 }' | sort -t, -k1,1 -k2,2g | awk -F, -v OFS=, '
            NR == 1 { print "kernel,matrices,median,share_within_10" }
            $1 != kernel { flush(); kernel = $1; n = within = 0 }
            { of[++n] = $2; within += $2 <= 10 }
            END { flush() }
            function flush() { if (n) print kernel, n, sprintf("%.1f", of[int((n + 1) / 2)]), sprintf("%.3f", within / n) }' \
        | markdown kernel matrices median share_within_10
}


# Over the store of the part large: the fastest of our kernels under each order.  Columns: what the library
# takes over it, what the shuffled matrix takes over it, and the share of what the natural order of the rows
# gains that it gains.
# Of a store of several cards, LARGE_WHERE names the runs of one: no ratio is of two.
large="(${LARGE_WHERE:-k > 0})"

# The fastest order and kernel over the library and over the original order.
part_large-library-tables()
{
    local order
    { for order in any auto csr; do versus "!cusparse*@$order@row" 'cusparse*@csr' "group == shuffled && $large"; done
        for order in any auto; do versus "!cusparse*@$order@row" '!cusparse*@csr@row' "group == shuffled && $large"; done
        versus 'gstage*@auto' 'gstage*@csr' 'group == shuffled'; } | awk 'NR == 1 || !/^a,b,/' \
        | markdown a b k matrices share_a max geomean median min geomean_held_out
}

part_large-tables()
{
    printf '### Orders of shuffled matrices\n\n#### The fastest order and kernel over the library\n\n'
    part_large-library-tables
    printf '#### The same of natural matrices\n\n'
    versus '!cusparse*@auto@row' '!cusparse*@csr@row' "group == natural && $large" \
        | markdown a b k matrices share_a max geomean median min geomean_held_out
    query "$store" --format csv --where "status == ok && precision == fp32 && group != sizes && $large" \
        --columns group,name,k,kernel,policy,median_ns,order_ns | awk -F, -v OFS=, '
        NR == 1 || $4 ~ /^gstat/ { next }
        { sub(/:.*/, "", $4); key = $2 "," $3 }
        $4 ~ /^cusparse/ { if (!(key in library) || $6 < library[key]) library[key] = $6; next }
        { at = $1 == "shuffled" ? key "," $5 : $1 "," key }
        $1 == "natural" && $5 != "csr" { at = "natural-auto," key }
        !(at in best) || $6 < best[at] { best[at] = $6; kernel[at] = $4; order[at] = $7 }
        $1 != "natural" && (!(key in least) || $6 < least[key]) { least[key] = $6 }
        $1 == "shuffled" && !((at, $4) in of) { of[at, $4]; kernels[at]++ }
        $1 == "shuffled" && $5 != "csr" { seen[at] = 1 }
        END {
            for (at in seen) {
                split(at, p, ","); key = p[1] "," p[2]; none = best[key ",csr"]; ideal = best["ideal," key]
                print p[1], p[2], p[3], kernel[at], sprintf("%.1f", best[at] / 1000),
                    library[key] ? sprintf("%.3f", library[key] / best[at]) : "-", sprintf("%.3f", none / best[at]),
                    share(best[at], none, ideal), sprintf("%.0f", order[at] / 1e6), share(best[at], none, least[key]), kernels[at]
            }
        }
        function share(ns, none, goal) {
            return goal && goal < 0.95 * none ? sprintf("%.2f", (1 / ns - 1 / none) / (1 / goal - 1 / none)) : "-"
        }' | sort -t, -k1,1 -k2,2n -k3,3 >"$work/orders.csv"
    printf '#### Geomean over matrices\n\n'
    awk -F, -v OFS=, '
        { k = $2 "," $3; n[k]++; s[k] += log($7); if ($6 != "-") { m[k]++; l[k] += log($6) } add(k ",ideal", $8); add(k ",best", $10); kernels[k] = $11 }
        END { for (k in n) print k, kernels[k], n[k], m[k] ? sprintf("%.3f", exp(l[k] / m[k])) : "-", sprintf("%.3f", exp(s[k] / n[k])), middle(k ",ideal"), middle(k ",best") }
        function add(k, value) { if (value != "-") share[k, ++h[k]] = value }
        function middle(k, i, j, t) {
            for (i = 2; i <= h[k]; i++)
                for (j = i; j > 1 && share[k, j - 1] > share[k, j]; j--) { t = share[k, j]; share[k, j] = share[k, j - 1]; share[k, j - 1] = t }
            return h[k] ? sprintf("%.2f", (share[k, int((h[k] + 1) / 2)] + share[k, int(h[k] / 2) + 1]) / 2) : "-"
        }' \
        "$work/orders.csv" | sort -t, -k1,1n -k2,2 \
        | { echo k,order,kernels,matrices,over_library,over_shuffled,median_share_of_ideal,median_share_of_best && cat; } \
        | markdown k order kernels matrices over_library over_shuffled median_share_of_ideal median_share_of_best
    printf '#### Matrix by matrix\n\n'
    { echo matrix,k,order,kernel,us,over_library,over_shuffled,share_of_ideal,order_cpu_ms,share_of_best,kernels && cat "$work/orders.csv"; } \
        | markdown matrix k order kernel us over_library over_shuffled share_of_ideal order_cpu_ms
    order_paid
    order_bounds
    order_winners
    order_paper
    order_map
    order_when
}

# Products until auto has paid on the shuffled matrices that it orders, what looking at the others costs in products, and what
# is lost there, in %, by the fastest of our kernels.  Costs on a GPU as in order_when; auto leaves three kinds as they are.
order_paid()
{
    printf '#### When auto has paid\n\n'
    query "$store" --format csv --where "status == ok && precision == fp32 && (group == shuffled || group == natural) && (policy == csr || policy == auto) && $large" \
        --columns group,name,rows,nnz,k,kernel,policy,median_ns | awk -F, -v OFS=, '
        NR == 1 || $6 ~ /^(gstat|cusparse)/ { next }
        { key = $1 "," $2 "," $5; rows[key] = $3; nnz[key] = $4 }
        $7 == "csr" { if (!(key in none) || $8 < none[key]) none[key] = $8; next }
        !(key in best) || $8 < best[key] { best[key] = $8 }
        END {
            for (key in best) {
                split(key, p, ","); gain = none[key] - best[key]
                order = (2.5e5 + 0.55 * rows[key] + 0.077 * nnz[key]) * (p[2] ~ /^rmat/ ? 0.25 : 1)
                look = 9e4 + 0.03 * rows[key] + 0.004 * nnz[key]
                if (p[1] == "shuffled" && p[2] !~ /^(citation|uniform|powerlaw)/)
                    add(p[3] ",1 products until paid", gain > 0 ? (order + look) / gain : 1e9)
                else {
                    add(p[3] ",2 products to find out", look / none[key]); add(p[3] ",3 % lost", -100 * gain / none[key])
                }
            }
            for (at in n) print at, n[at], show(middle(at, 0.5)), show(middle(at, 0.9)), show(value[at, n[at]])
        }
        function show(x) { return x >= 1e8 ? "never" : sprintf("%.2f", x) }
        function add(at, x) { value[at, ++n[at]] = x }
        function middle(at, share, i, j, t) {
            for (i = 2; i <= n[at]; i++)
                for (j = i; j > 1 && value[at, j - 1] > value[at, j]; j--) { t = value[at, j]; value[at, j] = value[at, j - 1]; value[at, j - 1] = t }
            i = int(share * n[at]); return value[at, i < share * n[at] ? i + 1 : i]
        }' | sort -t, -k2,2 -k1,1n | sed 's/,[123] /,/' | { echo k,what,matrices,median,ninety_percent,most && cat; } \
        | markdown k what matrices median ninety_percent most
}

# class(name) of awk: the class of a matrix of the part large
class_of_name='
    function class(name) {
        return name ~ /^(mesh|tri)/ ? "meshes" : name ~ /^(geo|knn)/ ? "neighbours" : name ~ /^(sbm|lfr|block)/ ? "communities" \
            : name ~ /^(uni|rmat|pow)/ ? "random" : name ~ /^road/ ? "road" : "citation"
    }'

# What no row order and kernel of the shuffled matrices can pass, class by class, as what the library takes over it: all of A,
# B and C once at 4.7 TB/s of the memory, and (l2) a row of B for each entry, C and A at 8.5 TB/s of the L2, which only
# what rows share in L1, shared memory or registers passes.  share_of_l2: the longer of both over our fastest time.
order_bounds()
{
    printf '#### Bounds\n\n'
    query "$store" --format csv --where "status == ok && precision == fp32 && (group == shuffled || group == ideal) && $large" \
        --columns group,name,k,kernel,median_ns,bytes_min,nnz,rows | awk -F, -v OFS=, '
        NR == 1 { next }
        { key = $2 "," $3; sub(/:.*/, "", $4) }
        $4 ~ /^cusparse/ { if (!(key in library) || $5 < library[key]) library[key] = $5; next }
        $1 == "ideal" { if (!(key in ideal) || $5 < ideal[key]) ideal[key] = $5; next }
        !(key in best) || $5 < best[key] { best[key] = $5 }
        !(key in bytes) || $6 < bytes[key] { bytes[key] = $6; through[key] = ($7 + $8) * $3 * 4 + $7 * 8 }
        END {
            for (key in best) if (key in library) {
                split(key, p, ","); memory = bytes[key] / 4700; l2 = through[key] / 8500
                l2 = l2 > memory ? l2 : memory
                add(class(p[1]) "," p[2]); add("all," p[2])
                if (class(p[1]) != "random") add("all but random," p[2])
            }
            for (at in n) print at, n[at], geomean(got[at], n[at]), m[at] ? geomean(of_ideal[at], m[at]) : "-",
                geomean(of_l2[at], n[at]), geomean(of_memory[at], n[at]), geomean(share[at], n[at])
        }
        function add(at) {
            n[at]++; got[at] += log(library[key] / best[key]); of_l2[at] += log(library[key] / l2)
            of_memory[at] += log(library[key] / memory); share[at] += log(l2 / best[key])
            if (key in ideal) { m[at]++; of_ideal[at] += log(library[key] / ideal[key]) }
        }
        function geomean(sum, count) { return sprintf("%.2f", exp(sum / count)) }
        '"$class_of_name" | sort -t, -k2,2n -k1,1 | { echo class,k,matrices,over_library,ideal,bound_l2,bound_memory,share_of_l2 && cat; } \
        | markdown class k matrices over_library ideal bound_l2 bound_memory share_of_l2
}

# Which kernels and orders are the fastest on the shuffled matrices of a class, and the time of gstage over that of the fastest
# other kernel, geomean: both under auto, and both with the rows in natural order (ideal).
order_winners()
{
    printf '#### Fastest kernels and orders by class\n\n'
    query "$store" --format csv --where "status == ok && precision == fp32 && (group == shuffled || group == ideal) && $large" \
        --columns group,name,k,kernel,policy,median_ns | awk -F, -v OFS=, '
        NR == 1 || $4 ~ /^cusparse/ { next }
        { key = $2 "," $3; sub(/:.*/, "", $4); sub(/:.*/, "", $5) }
        $1 == "ideal" || $5 == "auto" {
            side = $1 "," key "," ($4 == "gstage")
            if (!(side in ns) || $6 < ns[side]) ns[side] = $6
        }
        $1 == "shuffled" && (!(key in best) || $6 < best[key]) { best[key] = $6; kernel[key] = $4; order[key] = $5 }
        END {
            for (key in best) {
                split(key, p, ","); at = class(p[1]) "," p[2]; n[at]++
                wins[at, "k", kernel[key]]++; wins[at, "o", order[key]]++
                beside(at, "shuffled", key); beside(at, "ideal", key)
            }
            for (at in n) print at, n[at], list(at, "k", "growmajor gchunk gpanel gstage"),
                list(at, "o", "csr auto multilevel cells labels minlabel mincol dcsr plain flipped lpt cta-near warp-near hybrid1-near hybrid2.1-near hybrid2.2-near hybrid2.3-near"), ratio(at, "shuffled"), ratio(at, "ideal")
        }
        function beside(at, group, key, side) {
            side = group "," key ","
            if ((side 0) in ns && (side 1) in ns) { m[at, group]++; sum[at, group] += log(ns[side 1] / ns[side 0]) }
        }
        function ratio(at, group) { return m[at, group] ? sprintf("%.2f", exp(sum[at, group] / m[at, group])) : "-" }
        function list(at, what, names, i, count, name, text) {
            count = split(names, name, " ")
            for (i = 1; i <= count; i++)
                if ((at, what, name[i]) in wins) text = text (text ? " " : "") name[i] " " wins[at, what, name[i]]
            return text
        }
        '"$class_of_name" | sort -t, -k2,2n -k1,1 | { echo class,k,matrices,kernels,orders,gstage_auto,gstage_ideal && cat; } \
        | markdown class k matrices kernels orders gstage_auto gstage_ideal
}

# Whether to order at all.  The costs on a GPU are fits to what tests/gpu/test_gpu_orders --time printed on an H200.
order_when()
{
    local -a of_gpu=(--order-cost '2.5e5,0.55,0.077' --feature-cost '9e4,0.03,0.004')
    printf '### Whether to order at all\n\n#### Orders and features on the GPU\n\n'
    "${run[@]}" rowcast evaluate "$store" --where "$large" --when "${of_gpu[@]}" --format csv | markdown reuse k by rows ordered geomean gain worst of
    printf '#### Orders and features on the host\n\n'
    "${run[@]}" rowcast evaluate "$store" --where "$large" --when --reuse 1000,10000 --format csv | markdown reuse k by rows ordered geomean gain worst of
}

# What the orders of the paper gain beyond 30,000 rows, for its kernel, over the shuffled matrix, all of one card;
# order_s: seconds of the host for the order, median.  auto stands beside.
order_paper()
{
    printf '### The orders of the paper on shuffled matrices\n\n'
    query "$store" --format csv --where 'status == ok && precision == fp32 && (group == sizes || group == shuffled) && rows > 30000' \
        --columns fullname,k,kernel,policy,median_ns,order_ns | awk -F, -v OFS=, '
        NR == 1 || $3 ~ /^cusparse/ { next }
        { sub(/:.*/, "", $3); sub(/:.*/, "", $4) }
        $4 !~ /^(csr|dcsr|plain|flipped|lpt|auto|.*-near)$/ || $3 != "gstat" { next }
        { at = $1 "," $2 "," $3 "," $4 }
        !(at in ns) || $5 < ns[at] { ns[at] = $5 }
        { order[$4]; matrix[$1 "," $2]; seconds[$1 "," $4] = $6 / 1e9 }
        END {
            for (key in matrix) for (o in order) if (o != "csr") score("gstat")
            for (at in n) { split(at, p, ","); print at, n[at], sprintf("%.3f", exp(sum[at] / n[at])), sprintf("%.3f", least[at]),
                sprintf("%.3f", most[at]), sprintf("%.2f", middle(at)) }
        }
        function score(name, at, gain, p) {
            if (!((key "," name "," o) in ns) || !((key "," name ",csr") in ns)) return
            split(key, p, ","); at = name "," p[2] "," o; gain = ns[key "," name ",csr"] / ns[key "," name "," o]
            n[at]++; sum[at] += log(gain); time[at, n[at]] = seconds[p[1] "," o]
            if (!(at in least) || gain < least[at]) least[at] = gain
            if (gain > most[at]) most[at] = gain
        }
        function middle(at, i, j, t) {
            for (i = 2; i <= n[at]; i++)
                for (j = i; j > 1 && time[at, j - 1] > time[at, j]; j--) { t = time[at, j]; time[at, j] = time[at, j - 1]; time[at, j - 1] = t }
            return time[at, int((n[at] + 1) / 2)]
        }' | sort -t, -k1,1 -k2,2n -k5,5nr -k3,3 | { echo kernel,k,order,matrices,geomean,min,max,order_s && cat; } \
        | markdown kernel k order matrices geomean min max order_s
}

# The map: what an order gains by the size of B over an L2 of 60 MB.
order_map()
{
    printf '### What an order gains by how much of B fits the L2\n\n'
    query "$store" --format csv --where "status == ok && precision == fp32 && (group == sizes || group == shuffled) && $large" \
        --columns name,rows,k,kernel,policy,median_ns | awk -F, -v OFS=, '
        NR == 1 || $4 ~ /^cusparse/ { next }
        { sub(/:.*/, "", $4); kind = $1; sub(/-[0-9.]+[mk]?$/, "", kind); c = $4 ~ /^(gsub|gstat)$/ ? "c-stationary" : "row-major" }
        { key = c "," kind "," $2 "," $3 }
        $5 == "csr" { if (!(key in none) || $6 < none[key]) none[key] = $6; next }
        !(key in best) || $6 < best[key] { best[key] = $6; order[key] = $5 }
        END { for (key in best) if (key in none) { split(key, p, ","); sub(/:.*/, "", order[key])
            print p[1], p[2], p[3], p[4], sprintf("%.3f", p[3] * p[4] * 4 / 6e7), sprintf("%.3f", none[key] / best[key]), order[key] } }' \
        | sort -t, -k1,1 -k4,4n -k2,2 -k3,3n | { echo kernel,kind,rows,k,b_over_l2,gain,order && cat; } \
        | markdown kernel kind rows k b_over_l2 gain order
}
