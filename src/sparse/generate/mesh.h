/** \file sparse/generate/mesh.h  What the generators of meshes share; inner header of the room. */
#ifndef RC_SPARSE_GENERATE_MESH_H
#define RC_SPARSE_GENERATE_MESH_H

#include "rowcast.h"

/** Generate a mesh of dof unknowns per node: side[0] x side[1] x side[2] nodes, neighbours along
 *  the axes, or with `corners` also over edges and corners.
 *  \return RC_OK; RC_ERANGE: more than 2^31 - 1 unknowns; RC_ENOMEM.  Cost as rc_rows_build. */
rc_status_t rc_mesh_build(
    const int64_t side[3], int corners, int64_t dof, uint64_t seed, rc_csr_t *out, rc_err_t *err);

#endif
