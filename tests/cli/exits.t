#!/bin/sh
# Exit codes are those of the manual page: 2 for options and operands, 3 for input, store and machine, of every command.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
commands=$("$ROWCAST" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z0-9-]*\) .*/\1/p')

mkdir "$tmp/c" "$tmp/c/G"
"$ROWCAST" generate mesh2d:n=6 -o "$tmp/c/G/m.mtx" >/dev/null || exit 99
"$ROWCAST" sweep -q -s "$tmp/s.h5" -C "$tmp/c" -d cpu -p csr -k 2 -x rowsplit --case-time 0.0001 --max-reps 1 >/dev/null 2>"$tmp/err" \
    || { cat "$tmp/err"; exit 99; }
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\nx y z\n' >"$tmp/damaged.mtx"
head -c 2000 "$tmp/s.h5" >"$tmp/damaged.h5"
printf '{"format":' >"$tmp/damaged.json"
printf '0\n0\n1\n' >"$tmp/damaged.rows"
printf 'x,y\n' >"$tmp/damaged.csv"

# A line for each: what is wrong, the code, the words; MISSING and DAMAGED are both tried, without an extension.
cat >"$tmp/lines" <<'END'
file 3 query FILE.h5
file 3 status FILE.h5
file 3 fold FILE.h5
file 3 archive FILE.h5 out.h5
file 3 merge out.h5 FILE.h5
file 3 verify FILE.h5
file 3 export FILE.h5 --csv out
file 3 compare FILE.h5 s.h5
file 3 compare s.h5 FILE.h5
file 3 train FILE.h5 -o out.json
file 3 evaluate FILE.h5 --compare
file 3 evaluate FILE.h5 --when
file 3 evaluate s.h5 --model FILE.json
file 3 report FILE.h5 -o out
file 3 report s.h5 -o out --model FILE.json
file 3 tune csrk --fit FILE.h5
file 3 catalog --catalog FILE.csv
file 3 fetch --where nnz<9 --to out --index FILE.csv
file 3 generate twin:G/m --catalog FILE.csv
file 3 order FILE.mtx -p lpt
file 3 order c/G/m.mtx -p file:FILE.rows
file 3 spy c/G/m.mtx -o out.png -p file:FILE.rows
file 3 tiles FILE.mtx
file 3 tiles c/G/m.mtx --rows FILE.rows
file 3 split FILE.mtx
file 3 spy FILE.mtx -o out.png
file 3 format FILE.mtx --kernel csr
file 3 features FILE.mtx
file 3 predict FILE.mtx
file 3 predict c/G/m.mtx --model FILE.json
file 3 plan FILE.mtx -k 4 -d cpu
file 3 plan c/G/m.mtx -k 4 -d cpu --model FILE.json
file 3 plan c/G/m.mtx -k 4 -d cpu --kernels rs:tune=FILE.json
file 3 plan c/G/m.mtx -k 4 -d cpu --orders file:FILE.rows
file 3 plan c/G/m.mtx -k 4 -d cpu --load FILE.json
file 3 tune csrk FILE.mtx --device volta
file 3 tune csrk c/G/m.mtx --device FILE.json
file 3 export-model FILE.json --c out.c
file 3 query s.h5 -S prepare --tuning FILE.json
file 3 sweep -s out.h5 -C FILE.dir -d cpu
file 3 sweep -s out.h5 -C c -d cpu -x rs:tune=FILE.json
output 2 train s.h5 -o -
output 2 report s.h5 -o -
output 2 tune csrk --fit s.h5 -o -
precision 2 predict c/G/m.mtx --precision fp17
kernel 2 sweep -s out.h5 -C c -d cpu -x nosuch
kernel 2 sweep -s out.h5 -C c -d cpu -x rowsplit:nosuch=1
kernel 2 format c/G/m.mtx --kernel nosuch
kernel 2 plan c/G/m.mtx -k 4 -d cpu --kernels nosuch
kernel 2 calibrate --kernel nosuch
kernel 2 tune nosuch --rdensity 3 --device volta
kernel 2 train s.h5 -o out.json --kernel nosuch
kernel 2 evaluate s.h5 --compare --kernel nosuch
kernel 2 query s.h5 -w kernel==nosuch
order 2 sweep -s out.h5 -C c -d cpu -p nosuch
order 2 order c/G/m.mtx -p nosuch
order 2 tiles c/G/m.mtx -p nosuch
order 2 spy c/G/m.mtx -o out.png -p nosuch
order 2 plan c/G/m.mtx -k 4 -d cpu --orders nosuch
set 2 features c/G/m.mtx --set nosuch
set 2 evaluate s.h5 --compare --features nosuch
summary 2 query s.h5 -S nosuch
generator 2 generate nosuch:n=3
generator 2 generate mesh2d:nosuch=3
page 2 docs man nosuch
operand 2 info nosuch
expression 2 query s.h5 -w nnz>
expression 2 query s.h5 --generated nnz>
expression 2 report s.h5 -o out -w nnz>
expression 2 train s.h5 -o out.json -w nnz>
expression 2 evaluate s.h5 --compare -w nnz>
expression 2 evaluate s.h5 --when -w nnz>
expression 2 export s.h5 --csv out -w nnz>
expression 2 archive s.h5 out.h5 -w nnz>
expression 2 compare s.h5 s.h5 -w nnz>
expression 2 tune csrk --fit s.h5 -w nnz>
expression 2 tune csrk --fit s.h5 --test nnz>
expression 2 catalog -C c -w nnz>
expression 2 fetch --to out --index damaged.csv -w nnz>
expression 2 sweep -s out.h5 -C c -d cpu -w nnz>
END
n=0
for c in $commands; do n=$((n + 1)); done
plan $((n + $(wc -l <"$tmp/lines") + $(grep -c '^file' "$tmp/lines")))

cd "$tmp" || exit 99
for c in $commands; do code "an unknown option of $c" 2 "$ROWCAST" "$c" --nosuch; done
while read -r what want words; do
    for file in missing damaged; do
        # shellcheck disable=SC2046,SC2086 # words
        case $what.$file in
        file.*) code "a $file file: $words" "$want" "$ROWCAST" $(echo "$words" | sed "s/FILE/$file/") </dev/null ;;
        *.missing) code "a wrong $what: $words" "$want" "$ROWCAST" $words </dev/null ;;
        esac
    done
done <"$tmp/lines"
