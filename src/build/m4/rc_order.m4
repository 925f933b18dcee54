# RC_ORDER: libraries that orders stand on, each one optional: METIS, AMD of SuiteSparse.  The installed librowcast
# links them where they are there.  Sets METIS_*, AMD_* and the conditionals HAVE_METIS, HAVE_AMD; rc_order_summary says
# what is missing and what goes with it.
AC_DEFUN([RC_ORDER], [
rc_order_off=
RC_OPTIONAL([rc_order_off], [METIS], [METIS], [metis], [metis], [metis.h], [METIS_PartGraphKway],
  [order metis], [libmetis-dev])
RC_OPTIONAL([rc_order_off], [AMD], [AMD], [amd], [amd], [suitesparse/amd.h], [amd_order],
  [order amd], [libsuitesparse-dev])
AS_IF([test -z "$rc_order_off"], [rc_order_summary="all (METIS, AMD); librowcast links them"],
  [rc_order_summary="without$rc_order_off"])
])
