# shellcheck shell=bash disable=SC2034  # read by jobs/slurm.sh and jobs/submit.sh
# Site profile: an example of a cluster with modules, an account, and GPU nodes of four.

# Environment modules are loaded in the job; what rowcast was built with must come back.
site_modules()
{
    module purge
    module load gcc/13 openmpi/4.1 cuda/13.0 hdf5/1.14-openmpi
    # Open MPI 4.1 between nodes over TCP: its one-sided component fails there, and is not needed
    export OMPI_MCA_osc=^rdma
    # mpirun gives up a node that was lost without a word after 45 s instead of 480
    export OMPI_MCA_oob_tcp_keepalive_time=30 OMPI_MCA_oob_tcp_keepalive_intvl=5 OMPI_MCA_oob_tcp_keepalive_probes=3
}

site_rowcast=$HOME/rowcast/bin/rowcast

# What `srun --mpi=list` calls the PMIx that this Open MPI was built with.  With the wrong plugin each
# rank believes to be alone; rowcast refuses to start then.
site_mpi=pmix_v4

# Stores live on the parallel file system (new files and rename must be atomic there); a cache of decoded
# matrices belongs on the node's own disk.
site_scratch=/local/$USER

# The account that pays, the partition with GPUs, and a constraint when node types are mixed: times of
# different GPUs are kept apart by their device class, but one campaign should use one type.
site_sbatch=(--account=hpc123 --partition=gpu --constraint=h200)

# --gpus-per-task=1 hides the other GPUs from a rank.  Where a site wants it by node instead:
# site_gpu=--gres=gpu:4   and ranks then take the GPU of their number on the node
site_gpu=--gpus-per-task=1
