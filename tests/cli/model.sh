# shellcheck shell=sh
# Sourced by tests that need a model whose predictions can be worked out by hand.

# write_model OUTPUT [null]: two inputs, three classes, one layer: log of the time in ns is 6.9 for
# csr, 7.5 for dcsr and 8.9 - log(1 + longest row) for lpt; setup takes 100 ns, 1000 ns and 20000 ns
# whatever the matrix, with null it is not known; features take 5000 ns.  Fitted at K = 8, 32 and n,
# layout row; dcsr is said not to be deterministic
write_model()
{
    times='[{"class": "csr", "min_log_ns": 0, "max_log_ns": 20, "weights": [4.6051701859880918, 0, 0]},
  {"class": "dcsr", "min_log_ns": 0, "max_log_ns": 20, "weights": [6.9077552789821368, 0, 0]},
  {"class": "lpt", "min_log_ns": 0, "max_log_ns": 20, "weights": [9.9034875525361272, 0, 0]}]'
    cat <<END
{"format": "rowcast-model", "version": 2, "kind": "byhand", "kind_version": 3,
 "task": "order", "output": "$1", "device": "a device, \\"class\\" 7",
 "domain": {"k": [8, 32, "n"], "c_order": "original"},
 "features": {"set": "mehrabi", "version": 1,
  "geometry": {"fp32": {"nw": 32, "nt": 32, "line": 32}, "fp64": null}},
 "inputs": [
  {"name": "nnz_per_row_max", "transform": "log1p", "mean": 0, "scale": 1, "min": 1, "max": 500},
  {"name": "k", "transform": "none", "mean": 0, "scale": 1, "min": 1, "max": 64}],
 "classes": [
  {"name": "csr", "policy": "csr", "policy_version": 1, "kernel": "gsub:lanes=8", "kernel_version": 1,
   "layout": "row", "deterministic": "yes", "memory": 1.5},
  {"name": "dcsr", "policy": "dcsr", "policy_version": 1, "kernel": "gsub:lanes=8", "kernel_version": 1,
   "layout": "row", "deterministic": "no", "memory": null},
  {"name": "lpt", "policy": "lpt", "policy_version": 1, "kernel": "gsub:lanes=8", "kernel_version": 1,
   "layout": "row", "deterministic": "yes", "memory": null}],
 "baseline": "csr",
 "training": {"data_digest": "0123abcd"},
 "setup": ${2:-$times},
 "featurise": {"min_log_ns": 0, "max_log_ns": 20, "weights": [8.5171931914162382, 0, 0]},
 "predictor": {"kind": "network", "version": 1, "state": {"nets": [{"layers": [
  {"in": 2, "out": 3, "weight": [0, 0, -1, 0, 0, 0], "bias": [6.9, 7.5, 8.9]}]}]}}}
END
}
