#!/bin/sh
# How jobs/campaign.sh deals its time out in the parts tiles and types: programs that only note how they were called stand in for
# mpirun and rowcast.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
command -v bash >/dev/null || skip_all "no bash"
plan 18

mkdir "$tmp/bin"
cat >"$tmp/bin/rowcast" <<'END'
#!/bin/sh
case $1 in
info) echo "gpu: 7 SMs" ;;
generate) echo name ;;
esac
END
# those that name METIS are cut off once
cat >"$tmp/bin/mpirun" <<'END'
#!/bin/sh
echo "$*" >>"$LOG"
case $* in
*metis*) [ "$(grep -cxF -e "$(echo "$*" | sed 's/ --time-budget.*//')" "$LOG.cut" 2>/dev/null)" -gt 0 ] || {
    echo "$*" | sed 's/ --time-budget.*//' >>"$LOG.cut"
    exit 75
} ;;
esac
END
chmod +x "$tmp/bin/rowcast" "$tmp/bin/mpirun"
export LOG="$tmp/log"
campaign() # campaign OPTION... PART
{
    PATH=$tmp/bin:$PATH bash "$top_srcdir/jobs/campaign.sh" -s "$tmp/s.h5" -w "$tmp/w" "$@"
}

code "the part tiles is planned" 0 campaign -n tiles
cp "$tmp/out" "$tmp/whole"
is "without a time no sweep has a limit" "$(grep -c time-budget "$tmp/whole")" 0
code "with one" 0 campaign -n -T 1000 tiles
is "the same sweeps" "$(sed "s/ '--time-budget' '[0-9]*'//" "$tmp/out")" "$(cat "$tmp/whole")"
ok "have a share each" test "$(sed -n "s/.*'--time-budget' '\([0-9]*\)'.*/\1/p" "$tmp/out" | head -n 20 | sort -n | tail -n 1)" -le 200
is "the first of what the paper has" "$(sed -n "1s/.*\(rows >= 10000 && cols >= 10000 && nnz >= 100000\)' '--k' '\([0-9,]*\)'.*/\1 \2/p" "$tmp/out")" \
    "rows >= 10000 && cols >= 10000 && nnz >= 100000 512,1024"
ok "parts of METIS are as many as the multiprocessors" grep -q "metis:parts=7" "$tmp/out"
is "all batches are short" "$(grep -vc "'--case-time' '0.002'" "$tmp/out")" 0
code "another part" 0 campaign -n -T 1000 rs
is "has no shares" "$(sed -n "s/.*'--time-budget' '\([0-9]*\)'.*/\1/p" "$tmp/out" | sort -n | head -n 1 | cut -c1)" 9

code "the part types with a time" 0 campaign -n -T 560 types
is "has shares that are a whole at most" "$(sed "s/.*'--time-budget' '\([0-9]*\)'.*/\1/" "$tmp/out" | awk '{ s += $1 } END { print (NR > 1 && s <= 560) }')" 1
is "complex values at the K of their goal" "$(grep "'c64'" "$tmp/out" | sed "s/.*'--k' '\([0-9,]*\)'.*/\1/" | sort -u)" 8,32,128
is "large matrices of one size each, but for the points of meshes" "$(find "$tmp/w/data/shuffled" -name '*.spec' -exec cat {} + | cut -d: -f1 | sort | uniq -d)" mesh3d

code "it runs" 75 campaign -T 1000 tiles
is "what was cut off comes again before the rest" "$(grep -n -- "--orders metis" "$LOG" | cut -d: -f1 | tail -n 3 | paste -s -d-)" \
    "$(awk '/--k 512,1024,128,32/ { print NR - 3 "-" NR - 2 "-" NR - 1; exit }' "$LOG")"
is "with all the time that is left" "$(grep -- "--orders metis" "$LOG" | tail -n 3 | grep -c -- "--time-budget 9[0-9][0-9]")" 3
is "as it was" "$(grep -- "--orders metis" "$LOG" | sed 's/ --time-budget.*//' | sort | uniq -c | awk '{ print $1 }' | sort -u)" 2
