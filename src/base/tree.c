#include "config.h"
#include "base/tree.h"

int32_t rc_tree_predict(const rc_question_t *node, const double *x)
{
    const rc_question_t *at = node;
    while (at->input >= 0)
        at = &node[x[at->input] <= at->threshold ? at->left : at->right];
    return at->label;
}
