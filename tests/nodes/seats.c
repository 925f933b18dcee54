/* Which GPU each rank takes, with simulated descriptors: a rank prints "rank R on HOST: GPU I".
 * GPUS is one word for each host, "node1=4:0": so many are seen there, the first has that number in its
 * UUID.  The exit code is 0, or 1 with the error of the lowest rank that knows why on stderr. */
#include "config.h"
#include "base/error.h"
#include "device/device.h"
#include "sweep/placement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In the place of the one of the library. */
rc_status_t rc_gpu_list(rc_gpu_info_t **list, int *count, rc_err_t *err)
{
    char host[64] = "";
    const char *text = getenv("GPUS");
    int first = 0;
    *count = 0;
    *list = NULL;
    if (gethostname(host, sizeof host - 2) != 0)
        return rc_fail(err, RC_EDEVICE, "no host name");
    host[strlen(host)] = '=';
    const char *word = text ? strstr(text, host) : NULL;
    if (!word || sscanf(word + strlen(host), "%d:%d", count, &first) != 2 || *count < 1)
        return RC_OK;
    *list = calloc((size_t)*count, sizeof **list);
    if (!*list)
        return rc_fail(err, RC_ENOMEM, "no memory for GPUs");
    for (int i = 0; i < *count; i++) {
        (*list)[i].index = i;
        snprintf((*list)[i].uuid, sizeof (*list)[i].uuid, "GPU-%08d", first + i);
    }
    return RC_OK;
}

int main(int argc, char **argv)
{
    rc_session_t s;
    rc_err_t err = {0};
    rc_log_t log = {0};
    int index = -1;
    if (rc_session_open(&argc, &argv, &s, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    rc_status_t st = rc_seat_take(&s, argc > 1, &log, &index, &err);
    int knows = st < 0 && !strstr(err.text, "another rank");
    int first = rc_session_first(&s, knows);
    if (st == RC_OK)
        printf("rank %d on %s: GPU %d\n", s.rank, s.host, index);
    else if (s.rank == first)
        fprintf(stderr, "seats: %s\n", err.text);
    fflush(stdout);
    rc_session_close(&s);
    return st < 0;
}
