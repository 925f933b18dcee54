#!/bin/sh
# Sweeps with orders that take parameters, renumber columns, come from a file or from a library:
# every case is verified, and measuring the same again measures nothing.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 44

mkdir -p "$tmp/C/G"
"$ROWCAST" generate mesh2d:n=12 -o "$tmp/C/G/mesh.mtx" >/dev/null
printf '%%%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1\n1 3 2\n2 2 3\n' >"$tmp/C/G/wide.mtx"
"$ROWCAST" order "$tmp/C/G/mesh.mtx" -p random:seed=5 --rows "$tmp/rows.txt" >/dev/null
"$ROWCAST" info --format csv >"$tmp/info"
have="random:seed=1,random:seed=2,rcm,bandk:srs=4:ssrs=0,lsh,lsh:window=0,lsh-packed:panel=8,jiang:skip_dense=0,mincol,minlabel,labels,cells:size=8,multilevel,auto,community"
count=15
for policy in amd metis:part=16; do
    if grep -q "^policy,${policy%:*}," "$tmp/info"; then
        have=$have,$policy
        count=$((count + 1))
    fi
done

sweep() # sweep STORE POLICIES OPTION...
{
    store=$1
    policies=$2
    shift 2
    "$ROWCAST" sweep -s "$tmp/$store.h5" -C "$tmp/C" -p "$policies" --device cpu -t 1 -k 4 \
        --case-time 0.001 --noisy-above 1e9 "$@" >"$tmp/out" 2>"$tmp/err"
}
query() # query STORE FILTER COLUMNS
{
    "$ROWCAST" query "$tmp/$1.h5" -w "$2" --columns "$3" --format csv | tail -n +2
}

mesh="name == mesh"
ok "a sweep under all of them" sweep all "csr,$have,file:$tmp/rows.txt" -x cstat,rowsplit
ok "shows progress from the start, also to a file" grep -q " 0 %  .* matrices  0/.* cases" "$tmp/err"
is "each is verified under both kernels" "$(query all "$mesh && status == ok" policy | wc -l | tr -d ' ')" \
    $((2 * (count + 2)))
ok "the same again" sweep all "csr,$have,file:$tmp/rows.txt" -x cstat,rowsplit
ok "measures nothing" grep -q 'nothing to do' "$tmp/err" "$tmp/out"
cp "$tmp/rows.txt" "$tmp/same.txt"
ok "the same order in another file" sweep all "file:$tmp/same.txt" -x cstat,rowsplit
ok "is the same case" grep -q 'nothing to do' "$tmp/err" "$tmp/out"
ok "another seed" sweep all random:seed=1..3 -x cstat -w 'name == mesh'
is "is another case" "$(query all "$mesh && kernel ~ cstat*" policy | grep -c random)" 3
is "a symmetric order says so" "$(query all "$mesh && policy == rcm" c_order | sort -u)" symmetric
is "a row order does not" "$(query all "$mesh && policy ~ random*" c_order | sort -u)" original
is "no symmetric order of other shapes" "$(query all 'name == wide && policy == rcm' status | sort -u)" skipped
ok "with the reason" sh -c "'$ROWCAST' query '$tmp/all.h5' -w 'policy == rcm' --columns message | grep -q 'needs a square matrix'"
ok "orders that need no geometry are built once a matrix" \
    sweep once "csr,random" -x cstat,rowsplit -w 'name == mesh'
if command -v h5dump >/dev/null; then
    is "and recorded once" "$(h5dump -H -d /orders "$tmp/once.h5" 2>/dev/null | sed -n 's/.*SIMPLE { ( \([0-9]*\) ).*/\1/p')" 2
else
    ok "and recorded once # SKIP no h5dump" true
fi
ok "C in both orders" sweep both csr,random,rcm -x cstat --c-order both --precision fp32,fp64
is "one symmetric case each" "$(query both "$mesh && policy == rcm" c_order,precision | sort | tr '\n' ' ')" \
    "symmetric,fp32 symmetric,fp64 "
ok "other operations" sweep op csr,rcm,random --op spmv,sddmm -x plain-spmv,plain-sddmm -w 'name == mesh'
code "an unknown operation is a usage error" 2 sweep none csr --op spmw
ok "that suggests the nearest" grep -q "sweep: --op: unknown operation 'spmw'; did you mean 'spmm'" "$tmp/err"
is "spmv under a symmetric order is verified" "$(query op 'policy == rcm && op == spmv' status)" ok
is "sddmm has none" "$(query op 'policy == rcm && op == sddmm' status)" skipped
code "an unknown parameter is a usage error" 2 sweep none random:sead=1 -x cstat
code "so is a value out of range" 2 sweep none csr,random:seed=-1 -x cstat
code "a file that is not there is none" 3 sweep none "csr,file:$tmp/none" -x cstat

# Orders of files have the names of their files; what is measured is known by what is in them.
"$ROWCAST" order "$tmp/C/G/mesh.mtx" -p random:seed=6 --rows "$tmp/other.txt" >/dev/null
on_mesh() # on_mesh POLICIES OPTION...
{
    policies=$1
    shift
    sweep files "$policies" -x cstat -w "$mesh" "$@"
}
ok "two files of orders" on_mesh "csr,file:$tmp/rows.txt,file:$tmp/other.txt"
is "are two policies with their names" "$(query files 'policy != csr' policy | sed 's/:rows=[0-9a-f]*$//' | sort | tr '\n' ' ')" \
    "file:name=other.txt file:name=rows.txt "
code "one order under two names is named twice" 2 on_mesh "csr,file:$tmp/rows.txt,file:$tmp/same.txt"
python=/usr/bin/python3 # of the distribution: the one that has h5py
if $python -c 'import h5py' 2>/dev/null; then
    # as an older rowcast stored it, without the name
    $python -c 'import h5py, sys
with h5py.File(sys.argv[1], "r+") as f:
    rows = f["/dict/policy"][...]
    rows["params"] = [p[len("name=rows.txt:"):] if p.startswith(b"name=rows.txt:") else p for p in rows["params"]]
    f["/dict/policy"][...] = rows' "$tmp/files.h5"
    seal "$tmp/files.h5"
    is "a store without the name" "$(query files 'policy != csr' policy | grep -c '^file:rows=')" 1
    ok "is known" on_mesh "csr,file:$tmp/rows.txt,file:$tmp/other.txt"
    ok "and has its cases" grep -q 'nothing to do' "$tmp/err" "$tmp/out"
    ok "it grows" on_mesh "csr,file:$tmp/rows.txt" -k 8
    is "by the same policy" "$(query files 'policy != csr' policy | grep -c '^file:name=rows.txt:rows=')" 2
    ok "and is sound" "$ROWCAST" verify "$tmp/files.h5"
else
    for name in "a store without the name" "is known" "and has its cases" "it grows" "by the same policy" "and is sound"; do
        skip "$name" "no h5py"
    done
fi

# One file for each matrix.
mkdir -p "$tmp/orders/G"
cp "$tmp/rows.txt" "$tmp/orders/G/mesh.txt"
code "a matrix without its file fails" 1 sweep many "csr,file:$tmp/orders/%g/%n.txt" -x cstat
ok "which is said" sh -c "'$ROWCAST' query '$tmp/many.h5' -w 'status == failed' --columns name,message | grep -q 'wide .*orders/G/wide.txt: cannot open'"
printf '1\n0\n' >"$tmp/orders/G/wide.txt"
ok "until it is there" sweep many "csr,file:$tmp/orders/%g/%n.txt" -x cstat --once
is "only that one was missing" "$(awk '$1 == "cases" { for (i = 2; i <= NF; i++) n += $i; print n }' "$tmp/out")" 1
is "all are one policy" "$(query many 'policy != csr && status == ok' policy | sort -u | wc -l | tr -d ' ')" 1
ok "again" sweep many "csr,file:$tmp/orders/%g/%n.txt" -x cstat
ok "measures nothing" grep -q 'nothing to do' "$tmp/err" "$tmp/out"
printf '0\n1\n' >"$tmp/orders/G/wide.txt"
sweep many "csr,file:$tmp/orders/%g/%n.txt" -x cstat
is "a changed file is measured in the place of what it was" "$(query many 'policy != csr' name,status | sort | tr '\n' ' ')" \
    "mesh,ok wide,ok "
mkdir -p "$tmp/others"
cp -R "$tmp/orders/G" "$tmp/others/"
ok "two folders are two orders" sweep two "csr,file:$tmp/orders/%g/%n.txt,file:$tmp/others/%g/%n.txt" -x cstat
code "elsewhere there are no names" 2 "$ROWCAST" order "$tmp/C/G/mesh.mtx" -p "file:$tmp/orders/%n.txt"
