#!/bin/sh
# The folder of choices of the drop-in (ROWCAST_CACHE): whole, the user's own, bounded, for many processes at once; and
# programs that begin with what an earlier run found.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
# shellcheck source=tests/env.sh.in
. "${top_builddir:?}/tests/env.sh"
# shellcheck source=tests/dropin/fakes.sh
. "${top_srcdir:?}/tests/dropin/fakes.sh"

plan 29
cd "$tmp" || exit 1
choices=$here/choices
umask 022

# fresh: a folder with the choice of one key, whose file is $file
fresh()
{
    rm -rf folder
    "$choices" save folder 1000000 key >/dev/null
    file=$(ls folder/*.choice)
}

is "a choice is written" "$("$choices" save folder 1000000 key)" "1 saved, 0 ignored"
is "and read" "$("$choices" load folder key)" "there, 0 ignored"
is "another one is not there" "$("$choices" load folder key2)" "none, 0 ignored"
is "without a folder nothing is" "$("$choices" load nowhere/far key 2>/dev/null)" "none, 1 ignored"
is "the file is the user's alone" "$(find folder -name '*.choice' -perm 600 | wc -l)" 1

# what is no choice of ours is as good as none
fresh
bytes=$(wc -c <"$file")
bad=0
n=0
while [ $n -lt "$bytes" ]; do
    fresh
    head -c $n "$file" >part
    cat part >"$file"
    [ "$("$choices" load folder key)" = "none, 1 ignored" ] || bad=$((bad + 1))
    n=$((n + 7))
done
is "one that is cut anywhere is ignored" "$bad" 0
bad=0
n=0
while [ $n -lt "$bytes" ]; do
    fresh
    printf '\001' | dd of="$file" bs=1 seek=$n conv=notrunc 2>/dev/null
    [ "$("$choices" load folder key)" = "none, 1 ignored" ] || bad=$((bad + 1))
    n=$((n + 7))
done
is "so is one with a byte that is another" "$bad" 0
fresh
echo more >>"$file"
is "or with more at its end" "$("$choices" load folder key)" "none, 1 ignored"
fresh
head -c 5000 /dev/zero >"$file"
is "or that is too long" "$("$choices" load folder key)" "none, 1 ignored"
fresh
sed -i 's/, library [^ ]*$/, library 0.0.9/' "$file"
is "or of another version" "$("$choices" load folder key)" "none, 1 ignored"
fresh
mv "$file" elsewhere
ln -s "$tmp/elsewhere" "$file"
is "a link is not followed" "$("$choices" load folder key)" "none, 1 ignored"
cp elsewhere kept
"$choices" save folder 1000000 key >/dev/null
is "nor written through" "$(cmp elsewhere kept && [ ! -L "$file" ] && "$choices" load folder key)" "there, 0 ignored"
fresh
ln "$file" second
is "one with a second name is ignored" "$("$choices" load folder key)" "none, 1 ignored"
fresh
chmod g+w "$file"
is "or that others may write to" "$("$choices" load folder key)" "none, 1 ignored"
fresh
rm "$file"
mkfifo "$file"
is "a FIFO is not waited for" "$(timeout 10 "$choices" load folder key)" "none, 1 ignored"
if [ "$(id -u)" = 0 ]; then
    fresh
    chown 12345 "$file"
    is "one of another user is ignored" "$("$choices" load folder key)" "none, 1 ignored"
else
    skip "one of another user is ignored" "not root"
fi
fresh
: >folder/rowcast-old.choice.part-1-0x1
touch -d '2 hours ago' folder/rowcast-old.choice.part-1-0x1
: >folder/notes
"$choices" save folder 1000000 other >/dev/null
is "what a killed process left goes, what is not ours stays" "$(find folder -name '*.part-*' | wc -l) $(ls folder/notes)" \
    "0 folder/notes"

# the bound: 20 files of one block
rm -rf folder
"$choices" save folder 81920 a 100 >/dev/null
is "a folder has no more than it may" "$(find folder -type f | wc -l | awk '{ print ($1 <= 20 && $1 >= 16) }')" 1
is "the newest are there" "$("$choices" load folder a-99)" "there, 0 ignored"
is "one without room gets none" "$("$choices" save small 100 key)" "0 saved, 1 ignored"
: >file
is "a file is no folder" "$("$choices" save file 1000000 key 2>err)" "0 saved, 1 ignored"
is "and a line says so" "$(grep -c '^rowcast: ROWCAST_CACHE=file: ' err) $(wc -l <err)" "1 1"
if localedef -i de_DE -f UTF-8 "$tmp/de_DE.UTF-8" 2>/dev/null; then
    fresh
    is "numbers are read in any language" "$(LOCPATH=$tmp LC_ALL=de_DE.UTF-8 "$choices" load folder key)" "there, 0 ignored"
    cp "$file" kept
    LOCPATH=$tmp LC_ALL=de_DE.UTF-8 "$choices" save folder 1000000 key >/dev/null
    is "and written as they were" "$(cmp "$file" kept)" ""
else
    skip "numbers are read in any language" "no localedef"
    skip "and written as they were" "no localedef"
fi

# many at once
rm -rf folder
for i in 1 2 3 4 5 6; do
    "$choices" save folder 1000000 shared 5 40 >out.$i &
done
bad=0
for i in $(seq 40); do
    case $("$choices" load folder "shared-$((i % 5))") in
    "there, 0 ignored" | "none, 0 ignored") ;;
    *) bad=$((bad + 1)) ;;
    esac
done
wait
is "many processes at once: no half of a file" "$bad $(cat out.? | sort -u) $(find folder -type f | wc -l)" "0 200 saved, 0 ignored 5"

# programs
again()
{
    env LD_LIBRARY_PATH="$here/.libs:$LD_LIBRARY_PATH" LD_PRELOAD="$preloaded" ROWCAST_WAIT=1 ROWCAST_LOG=summary \
        ROWCAST_ENGINE="$here/.libs/fake_engine.so" ROWCAST_CACHE="$tmp/programs,bytes=1M" "$here/economy" again 2>err
}
again >first
again >second
is "a first run finds a plan and a better one" "$(sed -n 's/^# again: //p' first)" "plan in call 4, 2 made, 1 tuned, 0 named"
is "a second one begins with it" "$(sed -n 's/^# again: //p' second; grep -c 'programs: 1 plans from it, [0-9]* choices written, 0 files' err)" \
    "plan in call 1, 1 made, 0 tuned, 1 named
1"
for f in programs/*.choice; do
    sed -i 's/^kernel fake/kernel gone/' "$f"
done
again >third
is "one that is damaged starts anew" "$(sed -n 's/^# again: //p' third)" \
    "plan in call 4, 2 made, 1 tuned, 0 named"

env LD_LIBRARY_PATH="$here/.libs:$LD_LIBRARY_PATH" LD_PRELOAD="$preloaded" ROWCAST_BUDGET=share=1000000 \
    ROWCAST_ENGINE="$here/.libs/fake_engine.so" ROWCAST_CACHE="$tmp/killed" "$here/several" killed "$tmp/killed" >out
is "a program that is killed leaves its choice" "$(cat out)" "ok 1 - a choice is in the folder while the program runs"
