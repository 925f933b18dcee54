#!/bin/sh
# One word for one thing: letters and names of options over all commands, orders, times in us, info.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 35

store=$tmp/a.h5
"${top_builddir:?}/tests/cli/synthetic_store" --matrices 12 --k 8 "$store" || exit 99
cd "$tmp" || exit 99

# lines "LETTER NAME COMMAND" of all options ("-" for no letter); NAME without the plural
for c in $("$ROWCAST" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z0-9-]*\) .*/\1/p'); do
    "$ROWCAST" "$c" --help | sed -n "s/^  -\([a-zA-Z]\), --\([a-z0-9-]*\).*/\1 \2 $c/p; s/^      --\([a-z0-9-]*\).*/- \1 $c/p"
done >raw
sed 's/ \(order\|kernel\)s / \1 /' raw | sort -u >options
ok "there are options" test "$(wc -l <options)" -gt 150
is "a letter has one meaning" "$(awk '$1 != "-" { print $1, $2 }' options | sort -u | cut -d' ' -f1 | uniq -d)" ""
# paper has a --kernel beside --kernels
is "an option has its letter in all commands" \
    "$(awk '{ print $1, $2 }' options | sort -u | awk '{ n[$2]++ } END { for (o in n) if (n[o] > 1 && o != "kernel") print o }')" ""
is "no option is of policies" "$(grep polic raw)" ""
# the field and its file keep the name that stores have
sed 's/.* //' raw | sort -u | while read -r c; do
    "$ROWCAST" "$c" --help | sed 's/policies[.]csv//; s/policy and [a-z]*_[a-z]*//' | grep -i 'polic' | sed "s/^/$c: /"
done >said
is "and no text of a command" "$(cat said)" ""

# older spellings
code "an old letter works" 0 "$ROWCAST" query a.h5 -f csv -l 3 -o policy
mv out old
is "with a line that says its name" "$(grep -v ' missed ' err)" "rowcast query: -o is an old letter of --columns: write --columns"
code "the name" 0 "$ROWCAST" query a.h5 -f csv -l 3 --columns policy
ok "means the same" cmp out old
is "without a line" "$(grep -v ' missed ' err)" ""
code "a letter that none ever had is wrong" 2 "$ROWCAST" query a.h5 -z
for name in orders policies; do
    code "--$name" 0 "$ROWCAST" sweep -n -s none.h5 -f csv -l 1 -d cpu -x rowsplit "--$name" all,rcm,csr
    mv out "$name.csv"
done
ok "are one" cmp orders.csv policies.csv
code "all orders" 0 "$ROWCAST" sweep -n -s none.h5 -f csv -l 1 -d cpu -x rowsplit -p all
is "all,rcm is one more" "$(column pending <orders.csv)" "$(($(column pending <out) + 1))"
for name in order orders policy; do
    code "order --$name" 0 "$ROWCAST" order mesh2d:n=5 "--$name" lpt -f csv
done

# fields as people read them
is "heads of a table" "$("$ROWCAST" query a.h5 -l 1 | sed -n '1s/  */ /gp')" \
    "fullname kernel order k precision status median_us speedup gflops"
is "of CSV" "$("$ROWCAST" query a.h5 -l 1 -f csv | sed -n 1p)" "fullname,kernel,policy,k,precision,status,median_ns,speedup,gflops"
"$ROWCAST" query a.h5 -f csv --columns policy,median_ns >ns.csv
"$ROWCAST" query a.h5 -f csv --columns order,median_us >us.csv
# shellcheck disable=SC2016  # of awk
ok "NAME_us is NAME_ns over 1000, and order is policy" awk -F, 'FNR == NR { o[FNR] = $1; t[FNR] = $2; next }
    FNR == 1 { if ($0 != "order,median_us") exit 1; next }
    $1 != o[FNR] || ($2 != "" && ($2 * 1000 - t[FNR]) ^ 2 > (1e-9 * t[FNR]) ^ 2) { exit 1 }
    END { if (FNR < 20) exit 1 }' ns.csv us.csv
middle=$(column median_us <us.csv | sort -g | sed -n 20p)
is "a filter takes them" "$("$ROWCAST" query a.h5 -f csv --columns k -w "median_us < $middle && order = lpt")" \
    "$("$ROWCAST" query a.h5 -f csv --columns k -w "median_ns < $middle * 1 && policy == lpt" 2>/dev/null || "$ROWCAST" query a.h5 -f csv \
        --columns k -w "median_ns < $(awk -v m="$middle" 'BEGIN { printf "%.17g", m * 1000 }') && policy == lpt")"
is "a sort too" "$("$ROWCAST" query a.h5 -f csv --columns fullname --sort order,-median_us)" \
    "$("$ROWCAST" query a.h5 -f csv --columns fullname --sort policy,-median_ns)"
us=$("$ROWCAST" query a.h5 -f csv -l 1 --columns median_us | sed 1d)
is "a table has the time in us" "$("$ROWCAST" query a.h5 -l 1 --columns median_ns | sed -n '1p;3p' | xargs)" \
    "median_us $(awk -v x="$us" 'BEGIN { printf "%.5g", x }')"

# what nothing matches
none() # none EXPR TEXT
{
    "$ROWCAST" query a.h5 -w "$1" >out 2>err
    is "$1 is explained" "$(cat err)" "rowcast query: no result matches$2"
}
none "order ~ lpd" "; no order is like 'lpd'; did you mean 'lpt'?"
none "kernel ~ sin-b*" "; no kernel is like 'sin-b*'; did you mean 'syn-b'?"
none "order ~ dcs" "; no order is like 'dcs'; did you mean 'dcsr'?"
none "rows < 0" ""

# info
code "info" 0 "$ROWCAST" info
is "fits 100 columns" "$(awk 'length($0) > 100' out)" ""
"$ROWCAST" info -f csv >info.csv
# shellcheck disable=SC2013  # names are words
for name in $(awk -F, '/^(policy|kernel|format|operation|features|trainer|generator),/ { print $2 }' info.csv | sort -u); do
    "$ROWCAST" info "$name" >one || echo "$name"
    awk -v n="$name" 'NR == 1 && $2 != n || length($0) > 100 { print n ": " $0 }' one
done >bad
is "and so does each name" "$(cat bad)" ""
ok "a kernel has its parameters" sh -c "'$ROWCAST' info cstat | grep -q '^parameter  strip '"
ok "a set has its features" sh -c "'$ROWCAST' info mehrabi | grep -q '^feature  *n_row '"
is "another is told the nearest" "$("$ROWCAST" info rowspilt 2>&1 | sed -n '1s/; known.*//p')" \
    "rowcast info: unknown name 'rowspilt'; did you mean 'rowsplit'?"
