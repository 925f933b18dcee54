#!/bin/sh
# jobs/submit.sh with a Slurm that only repeats what it is given: names reach it as they are, arrays fit it, nothing of a job
# that it is called in does, and it waits for the end.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
bash=$(command -v bash) || skip_all "no bash"
plan 44

mkdir "$tmp/bin"
printf '#!/bin/sh\necho "   pmix"\n' >"$tmp/bin/srun"
printf '#!/bin/sh\n:\n' >"$tmp/bin/sleep"
cat >"$tmp/bin/scancel" <<'EOF'
#!/bin/sh
echo "scancel $*" >>"$TOLD.sbatch"
EOF
# of a job the next line of $TOLD.states, the last one for ever
cat >"$tmp/bin/scontrol" <<'EOF'
#!/bin/sh
case "$*" in
*config*) echo "MaxArraySize            = ${MAX_ARRAY:-1001}" ;;
*job*)
    head -n 1 "$TOLD.states"
    [ "$(wc -l <"$TOLD.states")" -eq 1 ] || sed -i 1d "$TOLD.states"
    ;;
esac
EOF
cat >"$tmp/bin/sinfo" <<'EOF'
#!/bin/sh
case "$*" in *%P*) echo 'all*' ;; *%N*) echo 'n1 4 (null)' ;; *) echo infinite ;; esac
EOF
# runs what it is asked to wrap, with a merge that prints its words; refuses its $REFUSE-th call
cat >"$tmp/bin/sbatch" <<'EOF'
#!/bin/sh
echo "$ROWCAST_SLICES_BEFORE of $ROWCAST_SLICES: $*" >>"$TOLD.sbatch"
n=$(wc -l <"$TOLD.sbatch")
[ "$n" -ne "${REFUSE:-0}" ] || exit 1
env >"$TOLD.env"
for word; do [ "$before" != --wrap ] || sh -c "$word" >"$TOLD"; before=$word; done
echo $((6 + n))
EOF
chmod +x "$tmp"/bin/*
cp -r "$top_srcdir/jobs" "$tmp/jobs"
printf '#!/bin/sh\nprintf "<%%s>\\n" "$@"\n' >"$tmp/jobs/merge-slices.sh"
chmod +x "$tmp/jobs/merge-slices.sh"
TOLD=$tmp/told
export TOLD
for name in $(env | sed -n 's/^\(SLURM_[A-Z_]*\|ROWCAST_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done

# call WORD...: submit.sh
call()
{
    : >"$TOLD.sbatch"
    (cd "$tmp" && PATH=$tmp/bin:$PATH ROWCAST=$ROWCAST "$bash" "$tmp/jobs/submit.sh" "$@" </dev/null)
}
few="--limit 1 --orders csr --kernels cstat --k 4"

# submit LOCALE STORE
submit()
{
    # shellcheck disable=SC2086  # a list of options
    LC_ALL=$1 call array --yes --slices 2 "$2" $few
}
for store in größe.h5 "it's a b.h5"; do
    code "an array into $store in the C locale" 0 submit C "$store"
    is "is merged into it" "$(head -n 1 "$tmp/told")" "<$store>"
done

# ------------------------------------------------------------------ arrays and what Slurm takes
# slices: the first and last of each array that was submitted, and which jobs the merge waits for
slices()
{
    sed -n -e 's/^\([0-9]*\) of \([0-9]*\): .*--array=1-\([0-9]*\) .*/\1+\3 of \2/p' -e 's/.*--dependency=\([a-z:0-9]*\) .*/\1/p' \
        "$TOLD.sbatch" | paste -s -d' '
}
while read -r most wanted expected; do
    # shellcheck disable=SC2086
    MAX_ARRAY=$most code "$wanted slices where MaxArraySize is $most" 0 call array --yes --slices "$wanted" a.h5 $few
    is "are submitted as" "$(slices)" "$expected"
done <<'END'
1001 1000 0+1000 of 1000 afterany:7
1001 1001 0+1000 of 1001 1000+1 of 1001 afterany:7:8
5 10 0+4 of 10 4+4 of 10 8+2 of 10 afterany:7:8:9
4 9 0+3 of 9 3+3 of 9 6+3 of 9 afterany:7:8:9
END
ok "which the plan says" grep -q "9 tasks .*as 3 arrays (MaxArraySize is 4)" "$tmp/out"
# shellcheck disable=SC2086
MAX_ARRAY=1 code "without arrays" 3 call array --yes --slices 2 a.h5 $few
# shellcheck disable=SC2086
MAX_ARRAY=5 REFUSE=2 code "a part that is refused" 1 call array --yes --slices 10 a.h5 $few
is "takes those before it back" "$(grep -v sweep-array "$TOLD.sbatch")" "scancel 7"
ok "and says so" grep -q "refused the slices from 5 on; the jobs before them are cancelled: 7" "$tmp/err"

# ------------------------------------------------------------------ from inside a job
inside()
{
    (
        export SLURM_CONF=/none SLURM_JOB_ID=3 SLURM_ARRAY_TASK_ID=4 SLURM_MEM_PER_CPU=1 SLURM_RESTART_COUNT=9
        export SLURM_CPUS_PER_TASK=2 SLURMD_NODENAME=n PMIX_RANK=0 PMI_RANK=0
        # shellcheck disable=SC2086
        call sweep --yes b.h5 $few
    )
}
code "submitted from inside a job" 0 inside
is "only where Slurm is comes along" "$(grep -E '^(SLURM|PMI)' "$TOLD.env")" "SLURM_CONF=/none"

# ------------------------------------------------------------------ --wait
# waited STATE...: the code, and the last word, of a wait that sees these states; "-": no answer; STATE/0: it may not be requeued
waited()
{
    for state; do
        case $state in
        -) echo "slurm_load_jobs error: Unable to contact slurm controller" ;;
        gone) echo "slurm_load_jobs error: Invalid job id specified" ;;
        *) echo "JobId=7 JobName=x Requeue=$(case $state in */0) echo 0 ;; *) echo 1 ;; esac) Restarts=1 JobState=${state%/*} ExitCode=$(
            case $state in FAILED) echo 4 ;; *) echo 0 ;; esac):0 StdErr=none" ;;
        esac
    done >"$TOLD.states"
    # shellcheck disable=SC2086
    call sweep --yes --wait w.h5 $few >"$tmp/out" 2>"$tmp/err"
    echo "$? $(sed -n 's/^job 7: \([A-Z_a-z]*\),.*/\1/p' "$tmp/out")"
}
is "a job that was preempted comes back" "$(waited RUNNING PREEMPTED PENDING RUNNING COMPLETED)" "0 COMPLETED"
is "so does one whose node failed" "$(waited RUNNING NODE_FAIL COMPLETING PENDING RUNNING FAILED)" "4 FAILED"
is "or did not start" "$(waited BOOT_FAIL PENDING COMPLETED)" "0 COMPLETED"
is "and a controller" "$(waited RUNNING - - RUNNING COMPLETED)" "0 COMPLETED"
is "one that may not be requeued does not" "$(waited RUNNING NODE_FAIL/0 COMPLETED)" "1 NODE_FAIL"
is "nor one that Slurm has forgotten" "$(waited RUNNING gone COMPLETED)" "1 unknown"
ROWCAST_COMEBACK=0
export ROWCAST_COMEBACK
is "nor one that stays away" "$(waited RUNNING PREEMPTED COMPLETED)" "1 PREEMPTED"
unset ROWCAST_COMEBACK

# ------------------------------------------------------------------ what is refused before anything is asked or submitted
while read -r words; do
    : >"$TOLD.sbatch"
    code "submit.sh $words" 2 eval "call $words"
    is "is refused in one line, and submits nothing" "$(wc -l <"$tmp/err" | tr -d ' ') $(cat "$TOLD.sbatch")" "1 "
done <<'END'
sweep --yes ''
train --yes s.h5 ''
sweep --yes --partition '' s.h5
sweep --yes --time '' s.h5
sweep --yes --site '' s.h5
sweep --yes --nodes '' s.h5
sweep --yes s.h5 --bogus
sweep --yes s.h5 --k
array --yes s.h5 --k x
END
