#!/bin/sh
# Twins of catalogued matrices: generate twin:Group/Name, --collection twins.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"

# group, name, rows, cols, nnz, real, binary, nd, posdef, pattern and numerical symmetry, kind,
# entries with explicit zeros: every rule of src/catalog/twin.c has a matrix
cat >"$tmp/index.csv" <<'CSV'
39
01-Jan-2024 00:00:00
D,delaunay_n10,1024,1024,6112,0,1,1,0,1,1,undirected graph,6112
D,rgg_n_2_10_s0,1024,1024,9000,0,1,1,0,1,1,undirected random graph,9000
D,hugetrace-0,1200,1200,3500,0,1,0,0,1,1,undirected graph,3500
D,tiny_osm,2000,2000,4200,0,1,0,0,1,1,undirected graph,4200
D,roadNet-X,1500,1500,4100,0,1,0,0,1,1,undirected graph,4100
D,fe_x,800,800,4700,0,1,0,0,1,1,undirected graph,4700
D,cit-X,900,900,8000,0,1,0,0,.01,.01,directed graph,8000
D,patents_x,900,900,3000,0,1,0,0,0,0,directed weighted graph,3000
D,web-X,900,900,8001,0,1,0,0,.4,.4,directed graph,8001
D,friends,1000,1000,12000,0,1,0,0,1,1,undirected graph,12000
D,er,700,700,7000,0,1,0,0,1,1,undirected random graph,7000
E,who,300,90,2000,1,0,0,0,0,0,bipartite graph,2000
E,words,200,350,1500,1,0,0,0,0,0,term/document graph,1500
E,sheet,200,350,1500,1,0,0,0,0,0,data analytics problem,1500
E,cells,150,200,400,1,0,0,0,0,0,biochemical network,400
E,sets,120,500,1500,1,0,0,0,0,0,combinatorial problem,1500
E,setsq,120,120,600,1,0,0,0,.2,0,combinatorial problem,600
E,lp,100,400,1300,1,0,0,0,0,0,linear programming problem,1300
E,ls,400,100,1300,1,0,0,0,0,0,least squares problem,1300
F,add,1000,1000,4900,1,0,0,0,.9,.1,circuit simulation problem,5000
F,bus,494,494,1666,1,0,0,1,1,1,power network problem,1666
F,busy,494,494,8001,1,0,0,0,.7,.5,power network problem,8001
F,qp,900,900,6000,1,0,0,0,1,1,optimization problem,6000
F,nlpkkt1,900,900,8000,1,0,0,0,1,1,optimization problem,8000
F,cont-1,800,800,4000,1,0,0,0,1,1,optimization problem,4000
F,lpsq,300,300,1500,1,0,0,0,.3,0,linear programming problem,1500
F,pixels,400,400,4000,1,0,0,0,1,1,computer graphics/vision problem,4000
F,genes,400,400,1500,1,0,0,0,.1,0,biochemical network,1500
F,net,100,300,900,1,0,0,0,0,0,directed weighted graph,900
F,oc,900,900,7001,1,0,0,0,1,1,optimal control problem,7001
F,plant,500,500,3000,1,0,0,0,.05,0,chemical process simulation problem,3000
F,arm,300,300,4000,1,0,0,0,1,1,robotics problem,4000
F,trade,400,400,9000,1,0,0,0,.3,0,economic problem,9000
F,Si,400,400,17000,1,0,0,0,1,1,theoretical/quantum chemistry problem,17000
F,frame,999,999,39999,1,0,1,1,1,1,structural problem,39999
F,flow,999,999,6001,1,0,1,0,.75,.5,"flow, in 2D",6100
F,dense,50,50,2500,1,0,0,0,1,1,model reduction problem,2500
F,vast,2000000000,2000000000,90000000000,1,0,0,0,0,0,linear programming problem,90000000000
F,copy,50,50,50,1,0,0,0,1,1,duplicate structural problem,50
CSV
plan 31

twins()
{
    "$ROWCAST" catalog --collection twins --catalog "$tmp/index.csv" --format csv "$@" 2>"$tmp/err"
}

# Every twin is made, and has the size of its row.
sizes()
{
    twins --columns fullname,rows,cols,nnz --where 'nnz < 1M' | sed 1d >"$tmp/want"
    while IFS=, read -r name rest; do
        "$ROWCAST" generate "$name" --catalog "$tmp/index.csv" -f json >"$tmp/one" || return 1
        found=$(tr -d ' ",\n' <"$tmp/one" | sed 's/.*rows:\([0-9]*\)cols:\([0-9]*\)nnz:\([0-9]*\).*/\1,\2,\3/')
        [ "$found" = "$rest" ] || { echo "$name: $rest, found $found"; return 1; }
    done <"$tmp/want"
}

# symmetric FILE: (i, j) and (j, i) are there for all entries
symmetric()
{
    sed '/^%/d' "$1" | awk 'NR > 1 { has[$1, $2] = 1; n++ }
        END { for (k in has) { split(k, p, SUBSEP); m += (p[2], p[1]) in has }; exit m != n || n == 0 }'
}

code "all rows of the catalogue have twins" 0 twins --columns fullname,kind,where,present,id,duplicate
is "all of them are marked as generated" "$(sed 1d "$tmp/out" | grep -c '^twin:.*,.*twin: .*,generated,1,,')" 39
is "what is there twice stays known as that" "$(grep -c ',1$' "$tmp/out")" 1
is "fields of the real one that hold" "$(twins --columns rows,cols,nnz,pattern_nnz,symmetry,posdef,real \
    --where 'name == flow' | sed 1d)" "999,999,6100,6100,0.75,0,1"
ok "each is made with rows, columns and entries of its row" sizes
"$ROWCAST" generate twin:F/frame -c "$tmp/index.csv" -o "$tmp/frame.mtx" >"$tmp/printed"
ok "symmetry is kept" symmetric "$tmp/frame.mtx"
spec=$(sed -n '2s/ .*//p' "$tmp/printed")
"$ROWCAST" generate "$spec" -o "$tmp/again.mtx" >/dev/null
ok "the printed spec makes it without a catalogue" cmp "$tmp/frame.mtx" "$tmp/again.mtx"
ok "the file tells how it was made" grep -q "^% *made by: rowcast generate geometric:n=999,dim=3" "$tmp/frame.mtx"
"$ROWCAST" generate twin:D/cit-X -c "$tmp/index.csv" -o "$tmp/cit.mtx" >/dev/null
# shellcheck disable=SC2016  # a program of awk
ok "a citation is of an earlier row" awk '!/^%/ && seen++ && $2 >= $1 { bad = 1 } END { exit bad || !seen }' "$tmp/cit.mtx"
is "people are shuffled, papers are not" "$(twins --columns fullname --where "location ~ '*shuffle=both*'" \
    | grep -c -e friends -e cit-X -e web-X)" 1

code "an unknown twin" 2 "$ROWCAST" generate twin:F/fram -c "$tmp/index.csv"
ok "... is told with the nearest one" grep -q "did you mean 'twin:F/frame'" "$tmp/err"
code "a twin larger than memory" 3 "$ROWCAST" generate twin:F/vast -c "$tmp/index.csv"
ok "... is refused with the figures" grep -Eq "90000000000 entries takes up to [0-9]+ bytes" "$tmp/err"
code "a twin without a catalogue" 2 "$ROWCAST" generate twin:F/frame
ok "... is told what is missing" grep -q -e '--catalog CSV' "$tmp/err"
code "a catalogue that is not there" 3 "$ROWCAST" generate twin:F/frame -c "$tmp/none.csv"
ok "... is named" grep -q 'none.csv' "$tmp/err"
code "a catalogue for what is no twin" 2 "$ROWCAST" generate mesh2d -c "$tmp/index.csv"
code "a twin for a command without a catalogue" 2 "$ROWCAST" features twin:F/frame
ok "... is told where its spec comes from" grep -q 'rowcast generate twin:F/frame' "$tmp/err"
code "twins without a catalogue" 2 "$ROWCAST" catalog --collection twins

run() # run STORE OPTION...: a sweep over twins on the CPU
{
    run_store=$1
    shift
    "$ROWCAST" sweep -s "$run_store" --collection twins --catalog "$tmp/index.csv" --device cpu \
        --threads 1 -p csr,lpt -k 4 --max-reps 3 -q "$@"
}

code "a sweep over twins is planned" 0 run "$tmp/none.h5" --dry-run -f csv
is "... all of them" "$(sed 1d "$tmp/out" | grep -c '^twin:')" 39
code "twins are swept" 0 run "$tmp/twins.h5" --where "name ~ 'F*' || name == dense || name == who" -l 3
is "the store says that they are generated" "$("$ROWCAST" query "$tmp/twins.h5" --matrices -f csv \
    --columns fullname,where | sed 1d | sort)" "twin:D/fe_x,generated
twin:D/friends,generated
twin:E/who,generated"

# A collection whose matrices are the twins themselves: the table finds no difference.
mkdir -p "$tmp/col/F"
cp "$tmp/frame.mtx" "$tmp/col/F/"

# A store with real matrices, twins and generated ones: each has its own lines, groups are held out.
mkdir -p "$tmp/own/F"
"$ROWCAST" generate mesh2d:n=30 -o "$tmp/own/F/bcsstk-17.mtx" >/dev/null
for of in twins "$tmp/own"; do
    "$ROWCAST" sweep -s "$tmp/mixed.h5" -C "$of" -c "$tmp/index.csv" \
        -w 'present && (name == friends || name == frame || name == plant || name == "bcsstk-17")' -d cpu -t 1 -p csr,auto -x cstat \
        -k 4 --max-reps 3 -q
done
"$ROWCAST" sweep -s "$tmp/mixed.h5" -w 'name == mesh2d-100' -d cpu -t 1 -p csr,auto -x cstat -k 4 --max-reps 3 -q
code "real matrices, twins and generated ones are judged together" 0 "$ROWCAST" evaluate "$tmp/mixed.h5" --when \
    --reuse 100 -f csv
is "... and told apart" "$(tr -d '\r' <"$tmp/out" | awk -F, '$2 == 4 && $3 == "rule" { print $9 ":" $4 }')" "real:1
twin:3
generated:1"
code "a group alone has nothing to hold out" 2 "$ROWCAST" evaluate "$tmp/mixed.h5" --when --where "name == plant"
python=$(command -v python3)
if [ -n "$python" ]; then
    code "matrices are compared with their twins" 0 "$python" "$top_srcdir/analysis/twins.py" "$ROWCAST" "$tmp/index.csv" "$tmp/col"
    # shellcheck disable=SC2016  # a program of awk
    ok "... and these are equal" awk -F ' [|] ' '/^[|] structural / { for (i = 3; i <= NF; i++) { sub(/ [|]$/, "", $i)
        split($i, v, / [\/] | /); if (v[1] != v[2] || v[3] != "(1)") exit 1; n++ } } END { exit n != 6 }' "$tmp/out"
else
    skip "matrices are compared with their twins" "no python3"
    skip "... and these are equal" "no python3"
fi
