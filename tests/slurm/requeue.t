#!/bin/bash
# A job that is asked to end at the worst moments, with commands in the place of Slurm's: before its
# first step, while its ranks start, before its first commit.  It goes back to the queue, and says why.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"
plan 21
jobs_dir=$(cd "$top_srcdir/jobs" && pwd)
mkdir -p "$tmp/bin"
cd "$tmp" || exit 99

# srun --mpi=list, and a step that does what $FAKE_STEP says; script: the id of the job script
cat >bin/srun <<'END'
#!/bin/bash
script=$(cat "$FAKE_DIR/script")
if [[ $* == *--mpi=list* ]]; then
    [[ ${FAKE_STEP:-} != early ]] || kill -USR1 "$script"
    echo pmix
    exit
fi
echo step >>"$FAKE_DIR/said"
echo "$*" >"$FAKE_DIR/words"
case $FAKE_STEP in
dies) # of the signal that is passed on: it has no handler yet
    kill -USR1 "$script"
    exec sleep 100
    ;;
loses) # the first one
    trap '' USR1
    kill -USR1 "$script"
    sleep 1
    trap 'exit 75' USR1
    for ((i = 0; i < 100; i++)); do sleep 0.3; done
    ;;
drains | cancelled)
    trap 'exit 75' USR1
    [[ $FAKE_STEP == drains ]] && kill -USR1 "$script" || kill -TERM "$script"
    for ((i = 0; i < 100; i++)); do sleep 0.3; done
    ;;
completes)
    trap : USR1
    kill -USR1 "$script"
    sleep 1
    exit 0
    ;;
esac
exit 9
END
cat >bin/scontrol <<'END'
#!/bin/bash
echo "scontrol $*" >>"$FAKE_DIR/said"
kill -9 "$(cat "$FAKE_DIR/script")" # as the requeue of a job does
END
printf '#!/bin/sh\nexit 0\n' >bin/rowcast
chmod +x bin/*

# job STEP: run the script; its code is in $job_code, what it said in log
job()
{
    : >said
    # shellcheck disable=SC2016
    PATH=$tmp/bin:$PATH FAKE_DIR=$tmp FAKE_STEP=$1 ROWCAST_JOBS=$jobs_dir ROWCAST='' ROWCAST_SITE=generic \
        SLURM_JOB_ID=7 timeout -k 5 200 bash -c 'echo $$ >"$FAKE_DIR/script"; exec bash "$0" none.h5' \
        "$jobs_dir/sweep.sbatch" >log 2>&1
    job_code=$?
}
for name in $(compgen -e | grep -E '^(SLURM|ROWCAST)_' ); do unset "$name"; done

job early
is "asked before its first step, it goes back to the queue" "$(cat said)" "scontrol requeue 7"
ok "and says so" grep -q 'back to the queue' log
job dies
is "a step that dies of the signal as it starts: back to the queue" "$(cat said)" "step
scontrol requeue 7"
ok "it says that a rank died" grep -q 'a rank died (code 138) after the job was asked to end' log
ok "and where it goes" grep -q 'back to the queue' log
job loses
is "a step that loses the first signal gets it again" "$(cat said)" "step
scontrol requeue 7"
ok "and the job goes back" grep -q 'back to the queue' log
job drains
is "a drain before the first commit: back to the queue" "$(cat said)" "step
scontrol requeue 7"
ok "it counts the cases" grep -q '0 cases are in none.h5 (0 before)' log
export ROWCAST_SHORTEST=0
job drains
is "a start that had its time and finished nothing does not" "$(cat said) $job_code" "step 1"
ok "and says why" grep -q 'the time limit is too short, not requeued' log
job dies
is "one whose rank died does: that tells nothing about the time" "$(cat said)" "step
scontrol requeue 7"
unset ROWCAST_SHORTEST
export ROWCAST_REQUEUES=0
job dies
is "nor one that went back as often as it may" "$(cat said) $job_code" "step 1"
ok "and says so" grep -q 'ROWCAST_REQUEUES=0' log
unset ROWCAST_REQUEUES
job cancelled
is "a cancelled job stays where it is" "$(cat said) $job_code" "step 75"
ok "and says how to go on" grep -q 'submit the same again to go on' log
job completes
is "a step that completes after the signal is complete" "$(cat said) $job_code" "step 0"
ok "and says so" grep -q 'complete: 0 cases' log

export SLURM_CPUS_PER_TASK=3
job completes
ok "a step has the CPUs of its job's tasks" grep -q -e '^--cpus-per-task=3 ' words
unset SLURM_CPUS_PER_TASK
job completes
not_ok "where they were not asked for it says nothing" grep -q cpus-per-task words
export SLURM_ARRAY_JOB_ID=5 SLURM_ARRAY_TASK_ID=2 # of a job that this one was submitted from
job drains
is "what goes back to the queue is the job itself" "$(tail -n 1 said)" "scontrol requeue 7"
