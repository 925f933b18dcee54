/* Dividing a matrix over ranks: how many parts, and where they begin.  Shared with the simulation
 * of a sweep. */
#include "config.h"
#include "sweep/worklist.h"

#include <math.h>

int64_t rc_worklist_parts(double cost_s, double lead_s, double share_s, int64_t blocks)
{
    /* the last items to be dealt out are the idle tail, so a part is small beside a rank's share;
     * but what takes less than its own beginnings is not worth a part */
    static const double of_share = 1.0 / 16;
    static const double least_s = 0.25;
    double most = fmax(fmax(share_s * of_share, least_s), lead_s);
    double parts = ceil(cost_s / most);
    if (!(parts > 1) || blocks < 2)
        return 1;
    return parts < (double)blocks ? (int64_t)parts : blocks;
}

int64_t rc_worklist_cut(const double *cost_s, int64_t blocks, int64_t parts, int64_t *first)
{
    double all = 0;
    double before = 0;
    int64_t last = -1;
    int64_t n = 1;
    for (int64_t i = 0; i < blocks; i++)
        all += cost_s[i];
    first[0] = 0;
    for (int64_t i = 0; i < blocks; i++) {
        if (!(cost_s[i] > 0))
            continue;
        /* a block belongs to the part that its middle lies in */
        int64_t part = (int64_t)((before + cost_s[i] / 2) / all * (double)parts);
        if (last >= 0 && part > last)
            first[n++] = i;
        last = part;
        before += cost_s[i];
    }
    first[n] = blocks;
    return n;
}
