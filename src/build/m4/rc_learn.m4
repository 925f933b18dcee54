# RC_LEARN: what the trainers stand on, each one optional: OpenBLAS (networks), XGBoost, LIBSVM.  Sets CBLAS_*, XGBOOST_*, LIBSVM_* and the conditionals HAVE_CBLAS,
# HAVE_XGBOOST, HAVE_LIBSVM; rc_learn_summary says what is missing and what goes with it.
AC_DEFUN([RC_LEARN], [
rc_learn_off=
RC_OPTIONAL([rc_learn_off], [OpenBLAS], [CBLAS], [openblas], [openblas], [cblas.h], [cblas_dgemm],
  [trainers mlp, softmax, regret, mlp-nisa*, ensemble-nisa*], [libopenblas-dev])
RC_OPTIONAL([rc_learn_off], [XGBoost], [XGBOOST], [xgboost], [xgboost], [xgboost/c_api.h], [XGBoosterUpdateOneIter],
  [trainers xgboost-merit-soft, xgboost-nisa], [libxgboost-dev])
RC_OPTIONAL([rc_learn_off], [LIBSVM], [LIBSVM], [libsvm], [svm], [libsvm/svm.h], [svm_train],
  [trainer svm-nisa], [libsvm-dev])
AS_IF([test -z "$rc_learn_off"], [rc_learn_summary="all (OpenBLAS, XGBoost, LIBSVM)"],
  [rc_learn_summary="without$rc_learn_off"])
])
