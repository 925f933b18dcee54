# shellcheck shell=bash disable=SC2034  # read by jobs/slurm.sh and jobs/submit.sh
# Site profile: nothing special.  Copy it to jobs/site/NAME.sh, change it, and say ROWCAST_SITE=NAME;
# example.sh shows each setting in use.

# site_modules: what must be loaded before rowcast runs
site_modules() { :; }

site_rowcast=      # the program; empty: the one in PATH
site_mpi=          # plugin for srun --mpi; empty: the newest pmix that srun has
site_scratch=      # folder on a fast local disk of each node, for sweep --cache; empty: no cache
site_sbatch=()     # further arguments of every sbatch: account, partition, constraint, ...
site_gpu=--gpus-per-task=1 # how a rank gets its GPU
