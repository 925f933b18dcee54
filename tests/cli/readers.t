#!/bin/sh
# Files that SciPy writes, .npz and .mat, wherever a matrix is taken; and files and folders as operands.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 19

cd "$tmp" || exit 99
mkdir -p C/G/un C/H
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 3 2\n3 2 3\n' >C/G/a.mtx
sed 's/3 2 3/3 2 4/' C/G/a.mtx >C/H/a.mtx
sed 's/3 2 3/3 2 6/' C/G/a.mtx >C/G/un/un.mtx
sed 's/3 2 3/3 2 5/' C/G/a.mtx >top.mtx
printf 'no matrix\n' >C/H/other.txt
here=$(basename "$(pwd -P)")

sweep() # sweep STORE OPERAND...
{
    store=$1
    shift
    "$ROWCAST" sweep "$@" -s "$store" -d cpu -t 1 -k 4 -p csr,lpt -x rowsplit --case-time 0.001 --noisy-above 1e9
}
names() # names STORE
{
    "$ROWCAST" query "$1" -w 'policy == csr' --columns group,name -f csv | tail -n +2 | sort | tr '\n' ' '
}
listed() # listed OPERAND...
{
    "$ROWCAST" catalog "$@" --columns fullname -f csv 2>err | tail -n +2 | tr '\n' ' '
}

code "a file is swept" 0 sweep one.h5 C/G/a.mtx
is "under the name that a collection gives it" "$(names one.h5)" "G,a "
code "the collection" 0 sweep one.h5 -C C -w 'group == G && name == a'
ok "has nothing to add" grep -q 'nothing to do' "$tmp/err"
code "several, and folders" 0 sweep two.h5 top.mtx C/H/a.mtx C/G/un/un.mtx
is "have their folders' names" "$(names two.h5)" "G,un H,a $here,top "
is "a folder has those of its own" "$(listed C/G)" "G/a un/un "
is "a file and its folder are one" "$(listed C/H/a.mtx C/H)" "H/a "
is "a file may have any name" "$(listed C/H/other.txt)" "H/other.txt "
mkdir -p D/G && cp C/H/a.mtx D/G/a.mtx
code "two files of one name" 2 "$ROWCAST" catalog C/G/a.mtx D/G/a.mtx
ok "are named" grep -q "expected one file of G/a, found 'C/G/a.mtx' and 'D/G/a.mtx'" "$tmp/err"
code "two folders with one" 2 "$ROWCAST" catalog C D
code "no such file" 3 sweep none.h5 C/none.mtx
code "operands and a collection" 2 sweep none.h5 C/G/a.mtx -C C

# a size that leads back to where it stands
{
    printf 'MATLAB 5.0 MAT-file %104s\000\001IM' ''
    printf '\001\000\000\000\370\377\377\377'
} >around.mat
code "a MAT-file whose end is its beginning" 3 timeout 20 "$ROWCAST" features around.mat
# What SciPy writes reads as what SciPy reads of it.
python=
for p in python3 /usr/bin/python3; do
    ! "$p" -c 'import scipy.sparse, scipy.io' 2>/dev/null || python=$p
done
if [ -z "$python" ]; then
    for name in read peeked refused "with its line"; do
        skip "$name" "no SciPy"
    done
    exit 0
fi
"$python" "$top_srcdir/tests/cli/readers_check.py" write S >names
is "a look at all gives their shapes" "$("$ROWCAST" catalog S -w '!(rows == 30 && cols == 40)' --columns name -f csv 2>err | tail -n +2 | sort | tr '\n' ' ')" \
    "complex complex_mat empty few "
while read -r name; do
    "$ROWCAST" order "S/$name" -p csr -o "S/$name.mtx" >/dev/null 2>"S/$name.err" || echo "S/$name failed: $(cat "S/$name.err")"
done <names >failed
is "every one is read" "$(cat failed)" ""
ok "as SciPy reads it" "$python" "$top_srcdir/tests/cli/readers_check.py" compare S
for name in complex.npz complex_mat.mat; do
    "$ROWCAST" features "S/$name" >out 2>>refused
done
is "complex values are refused, each in a line" "$(grep -c 'expected real' refused) $(wc -l <refused | tr -d ' ')" "2 2"
