#!/bin/sh
# rowcast spy: the image against one worked out by hand, what is printed, and errors.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
python=/usr/bin/python3
[ -x "$python" ] || python=$(command -v python3) || skip_all "no python3"

# 5 rows of 2, 1, 0, 2 and 1 entries
cat >"$tmp/a.mtx" <<END
%%MatrixMarket matrix coordinate real general
5 4 6
1 1 11
1 4 14
2 2 22
4 1 41
4 4 44
5 2 52
END

if ! "$ROWCAST" spy "$tmp/a.mtx" -o "$tmp/a.png" >"$tmp/out" 2>"$tmp/err" \
    && grep -q 'built without libpng' "$tmp/err"; then
    plan 2
    code "without libpng there is no image" 3 "$ROWCAST" spy "$tmp/a.mtx" -o "$tmp/a.png"
    not_ok "and no file" test -e "$tmp/a.png"
    exit 0
fi
plan 33

alpha() # alpha FILE: rows of opacities
{
    "$python" "${top_srcdir:?}/tests/cli/png_alpha.py" "$1" 91,127,166
}

pattern() # pattern FILE: '#' where there is ink, repeated rows once, repeated columns once
{
    alpha "$1" | uniq | tr -s ' ' | "$python" -c '
import sys
rows = [line.split() for line in sys.stdin]
columns = [c for i, c in enumerate(zip(*rows)) if i == 0 or c != list(zip(*rows))[i - 1]]
print(";".join("".join("#" if v != "0" else "." for v in row) for row in zip(*columns)))'
}

ok "the original order is drawn" "$ROWCAST" spy "$tmp/a.mtx" -o "$tmp/a.png" --size 20
is "it is the matrix" "$(pattern "$tmp/a.png")" "#..#;.#..;....;#..#;.#.."
is "in its proportion" "$(alpha "$tmp/a.png" | awk 'END { print NF, NR }')" "16 20"
is "every entry has its 4 x 4 pixels at full ink" "$(alpha "$tmp/a.png" | tr ' ' '\n' | sort | uniq -c \
    | awk '{ printf "%s:%s ", $2, $1 }')" "0:224 255:96 "
ok "a policy is drawn" "$ROWCAST" spy "$tmp/a.mtx" -p cta --nw 2 --nt 1 --line 1 -o "$tmp/b.png" --size 20
is "in slot order" "$(pattern "$tmp/b.png")" "....;.#..;#..#" # slots 2 1 4 0 3: equal rows are one here
ok "a policy that leaves rows out" "$ROWCAST" spy "$tmp/a.mtx" -p dcsr -o "$tmp/c.png" --size 16
is "has no room for them" "$(pattern "$tmp/c.png")" "#..#;.#..;#..#;.#.."
ok "pads are empty rows" "$ROWCAST" spy "$tmp/a.mtx" -p lpt --nw 2 --nt 1 -o "$tmp/d.png" --size 18
is "at their slots" "$(pattern "$tmp/d.png")" "#..#;.#..;...." # slots 0 3 1 4 2 -1

# 64 x 64 into 16 x 16: pixel (0, 0) is full, (3, 5) has one entry
"$python" - "$tmp/e.mtx" <<'END'
import sys
entries = [(r, c) for r in range(1, 5) for c in range(1, 5)] + [(14, 22)]
with open(sys.argv[1], "w") as f:
    print("%%MatrixMarket matrix coordinate pattern general", file=f)
    print(64, 64, len(entries), file=f)
    for e in entries:
        print(*e, file=f)
END
ok "a matrix larger than the image" "$ROWCAST" spy "$tmp/e.mtx" -o "$tmp/e.png" --size 16 -f csv
ok "is drawn" test -s "$tmp/e.png"
is "a full pixel and one of a single entry" \
    "$(alpha "$tmp/e.png" | awk '{ for (i = 1; i <= NF; i++) if ($i) printf "%d,%d:%s ", NR - 1, i - 1, $i }')" \
    "0,0:255 3,5:128 "
"$ROWCAST" spy "$tmp/e.mtx" -o "$tmp/e.png" --size 16 -f csv >"$tmp/line"
is "and counted" "$(sed 1d "$tmp/line" | tr -d '\r')" "csr,64,64,17,16,16,2,8.5,16"

ok "the order does not change a plot of one row" "$ROWCAST" spy uniform:n=1,cols=5000 -p warp -o "$tmp/f.png"
is "which is wide and visible" "$(alpha "$tmp/f.png" | awk "END { print NF, NR }")" "256 8"
printf '%%%%MatrixMarket matrix coordinate real general\n0 3 0\n' >"$tmp/none.mtx"
code "a matrix without rows" 0 "$ROWCAST" spy "$tmp/none.mtx" -o "$tmp/g.png" --size 32
is "is an empty image" "$(alpha "$tmp/g.png" | tr ' ' '\n' | sort -u)" "0"
"$ROWCAST" spy "$tmp/a.mtx" -o - --size 20 >"$tmp/stdout.png" 2>"$tmp/err"
ok "to stdout it is the same image" cmp "$tmp/a.png" "$tmp/stdout.png"
ok "and the line is on stderr" grep -q '^csr  *5  *4 ' "$tmp/err"
ok "the stages of an order" "$ROWCAST" spy mesh2d:n=12 -p bandk:srs=4:ssrs=3 --stages -o "$tmp/stages" --size 64 -f csv
"$ROWCAST" spy mesh2d:n=12 -p bandk:srs=4:ssrs=3 -o "$tmp/i.png" --size 64 >/dev/null
ok "end in the plot of the order" cmp "$tmp/i.png" "$tmp/stages/ordered.png"
is "are four" "$(cd "$tmp/stages" && echo *)" "before.png coarse.png coarse_ordered.png ordered.png"
is "the coarse matrix is square and symmetric" "$(alpha "$tmp/stages/coarse_ordered.png" | awk '{ for (i = 1; i <= NF; i++) v[NR, i] = $i }
    END { for (i = 1; i <= NR; i++) for (j = 1; j <= NR; j++) bad += (v[i, j] > 0) != (v[j, i] > 0); print NR == NF, bad + 0 }')" "1 0"
code "an order without stages is an error" 3 "$ROWCAST" spy mesh2d:n=5 -p rcm --stages -o "$tmp/none"
code "stages are no stream" 2 "$ROWCAST" spy mesh2d:n=5 -p bandk --stages -o -
code "a missing output is a usage error" 2 "$ROWCAST" spy "$tmp/a.mtx"
code "so is an unknown policy" 2 "$ROWCAST" spy "$tmp/a.mtx" -o "$tmp/h.png" -p hybrid2-1
ok "that suggests the nearest" grep -q "did you mean 'hybrid2.1'" "$tmp/err"
code "and a size out of range" 2 "$ROWCAST" spy "$tmp/a.mtx" -o "$tmp/h.png" --size 2049
code "a missing matrix is an input error" 3 "$ROWCAST" spy "$tmp/no.mtx" -o "$tmp/h.png"
code "a file that cannot be written is an error" 3 "$ROWCAST" spy "$tmp/a.mtx" -o "$tmp/no/h.png"
is "and nothing is left" "$(find "$tmp" -name '*h.png*' | wc -l)" 0
