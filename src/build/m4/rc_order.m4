# RC_ORDER: libraries that orders stand on, each one optional: METIS, AMD of SuiteSparse, igraph.  The
# installed librowcast links METIS and AMD where they are there, never igraph.  Sets METIS_*, AMD_*, IGRAPH_* and the conditionals
# HAVE_METIS, HAVE_AMD, HAVE_IGRAPH; rc_order_summary says what is missing and what goes with it.
AC_DEFUN([RC_ORDER], [
rc_order_off=
RC_OPTIONAL([rc_order_off], [METIS], [METIS], [metis], [metis], [metis.h], [METIS_PartGraphKway],
  [order metis], [libmetis-dev])
RC_OPTIONAL([rc_order_off], [AMD], [AMD], [amd], [amd], [suitesparse/amd.h], [amd_order],
  [order amd], [libsuitesparse-dev])
RC_OPTIONAL([rc_order_off], [igraph], [IGRAPH], [igraph], [igraph], [igraph.h],
  [igraph_vector_int_list_init], [order leiden], [libigraph-dev])
AS_IF([test -z "$rc_order_off"], [rc_order_summary="all (METIS, AMD, igraph); librowcast links METIS and AMD"],
  [rc_order_summary="without$rc_order_off librowcast links METIS and AMD where they are there"])
])
