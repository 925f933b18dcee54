#!/bin/sh
# tests/bound.sh, which every test program runs under: exit codes, limits, and what it leaves behind.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
[ -r /proc/self/environ ] || skip_all "no /proc"
plan 20
unset ROWCAST_REPORT

bound()
{
    sh "$top_srcdir/tests/bound.sh" "$@"
}
# alive: whether what the commands below leave in the background is still there
alive()
{
    id=$(cat "$tmp/id") && [ -r "/proc/$id/stat" ] && ! grep -q ') Z' "/proc/$id/stat"
}
# It leaves its parent and its session, as what a launcher starts may do.
cat >"$tmp/away" <<'END_OF_AWAY'
#!/bin/sh
setsid sh -c 'echo "$$" >"$1/id"; exec sleep 60' - "$1" &
while [ ! -s "$1/id" ]; do sleep 0.02; done
END_OF_AWAY
chmod +x "$tmp/away"

# shellcheck source=tests/process.sh
. "$top_srcdir/tests/process.sh"
is "who looks for what was started does not find itself" "$(HELD=$tmp/held; export HELD; started_by "$tmp/held")" ""
code "the exit code is that of the command" 7 bound 20 sh -c 'exit 7'
code "also of one that is killed" 137 bound 20 sh -c 'kill -9 $$'
is "stdin and stdout are those of the command" "$(echo text | bound 20 cat)" text
code "0 seconds are no limit" 0 bound 0 sleep 0.1

code "a command that takes too long is ended" 124 bound 4 sh -c "'$tmp/away' '$tmp'; sleep 60"
not_ok "with what it has started" alive
ok "which has been shown" grep -q '^# .*sleep 60' "$tmp/err"
ok "as has the limit" grep -q '^# over the limit of 4 s' "$tmp/err"
ok "it had started something" test -s "$tmp/id"
is "in a test it bails out" "$(bound --test 4 sh -c 'echo 1..2; sleep 60' 2>/dev/null)" "1..2
Bail out! over the limit of 4 s"
code "one that ignores being asked is killed" 124 bound 0.5 sh -c "trap '' TERM; while :; do sleep 1; done"

rm "$tmp/id"
code "what a stage leaves running" 0 bound --stage 20 "$tmp/away" "$tmp"
not_ok "is ended" alive
rm "$tmp/id"
code "what a test leaves running" 0 bound --test 20 "$tmp/away" "$tmp"
not_ok "is ended too" alive
cp "$(command -v sleep)" "$tmp/rowcast"
code "and if it is rowcast, that is an error" 125 bound --test 20 sh -c "'$tmp/rowcast' 60 &"
ROWCAST_REPORT=$tmp/report bound 0.5 sleep 60 2>"$tmp/err"
is "a report may go to a file" "$(grep -c 'over the limit' "$tmp/report") $(wc -c <"$tmp/err")" "1 0"
rm "$tmp/id"
sh "$top_srcdir/tests/bound.sh" 20 sh -c "'$tmp/away' '$tmp'; sleep 60" &
bound_id=$!
while [ ! -s "$tmp/id" ]; do sleep 0.02; done
kill "$bound_id"
wait "$bound_id"
is "one that is asked to end says so" "$?" 143
not_ok "when what it has started has ended" alive
