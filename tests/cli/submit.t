#!/bin/sh
# jobs/submit.sh with a Slurm that only repeats what it is given: names reach it as they are.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
bash=$(command -v bash) || skip_all "no bash"
plan 4

mkdir "$tmp/bin"
printf '#!/bin/sh\necho "   pmix"\n' >"$tmp/bin/srun"
printf '#!/bin/sh\n:\n' >"$tmp/bin/scontrol"
cat >"$tmp/bin/sinfo" <<'EOF'
#!/bin/sh
case "$*" in *%P*) echo 'all*' ;; *%N*) echo 'n1 4 (null)' ;; *) echo infinite ;; esac
EOF
# runs what it is asked to wrap, with a merge that prints its words
cat >"$tmp/bin/sbatch" <<'EOF'
#!/bin/sh
for word; do [ "$before" != --wrap ] || sh -c "$word" >"$TOLD"; before=$word; done
echo 7
EOF
chmod +x "$tmp"/bin/*
cp -r "$top_srcdir/jobs" "$tmp/jobs"
printf '#!/bin/sh\nprintf "<%%s>\\n" "$@"\n' >"$tmp/jobs/merge-slices.sh"
chmod +x "$tmp/jobs/merge-slices.sh"
TOLD=$tmp/told
export TOLD

# submit LOCALE STORE
submit()
{
    (
        cd "$tmp" && PATH=$tmp/bin:$PATH LC_ALL=$1 ROWCAST=$ROWCAST "$bash" "$tmp/jobs/submit.sh" array --yes \
            --slices 2 "$2" --limit 1 --policies csr --kernels cstat --k 4
    )
}
for store in größe.h5 "it's a b.h5"; do
    code "an array into $store in the C locale" 0 submit C "$store"
    is "is merged into it" "$(head -n 1 "$tmp/told")" "<$store>"
done
