/* A network switch as a program, for jobs/local-nodes.sh: each node is a network namespace, and the only
 * interface in it is a tap device that this program holds the other end of.  Nothing else is joined, so no
 * frame leaves the machine.  A link can be cut, delayed and made to lose frames while it runs.
 *
 *   switch SOCKET SEED PID...    give each process's network namespace the interface eth0, with the
 *                                address 10.77.0.1, .2, ... in that order, and switch between them; runs
 *                                until it is killed.  SEED is of the frames that are lost.
 *   switch SOCKET ask WORD...    what a running one shall do:
 *       N              tell the state of link N, the first is 1
 *       N up|down      join or cut it; what is on its way through a cut link is lost
 *       N delay MS     each frame takes that much longer, in either direction
 *       N loss PERCENT that share of the frames is lost, in either direction
 * Exit codes: 0, 1 something is wrong with the request or the system, 2 wrong usage. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/if_tun.h>
#include <math.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { links_max = 200, frame_max = 2048, address_bytes = 6, message_max = 512 };
static const size_t queue_max = (size_t)256 << 20; /* bytes of frames on their way */

/* One node's end. */
typedef struct port {
    int fd; /* of the tap device */
    int down;
    int64_t delay_ns;
    double loss; /* fraction of the frames */
    int64_t sent;
    int64_t received;
    int64_t lost;
} port_t;

/* A frame on its way. */
typedef struct frame {
    struct frame *next;
    int64_t due_ns;
    int from;
    int to;
    size_t size;
    unsigned char data[];
} frame_t;

typedef struct hub {
    int ports;
    port_t *port;
    frame_t *first; /* by time, the next first */
    frame_t *last;
    size_t queued;  /* bytes */
    uint64_t random;
    int control; /* socket that is listened on */
} hub_t;

static int complain(const char *what, const char *name)
{
    fprintf(stderr, "switch: %s %s: %s\n", what, name, strerror(errno));
    return -1;
}

static int64_t now_ns(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* 0 <= x < 1, splitmix64 */
static double draw(hub_t *h)
{
    uint64_t z = h->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* -------------------------------------------------------------------- frames */

static void deliver(hub_t *h, const frame_t *f)
{
    if (h->port[f->from].down || h->port[f->to].down) {
        h->port[f->to].lost++;
        return;
    }
    /* a device whose queue is full loses it, as a wire does */
    if (write(h->port[f->to].fd, f->data, f->size) == (ssize_t)f->size)
        h->port[f->to].received++;
    else
        h->port[f->to].lost++;
}

static void send_to(hub_t *h, int from, int to, const unsigned char *data, size_t size)
{
    const port_t *a = &h->port[from];
    port_t *b = &h->port[to];
    frame_t *f = NULL;
    int lost = a->down || b->down || draw(h) >= (1 - a->loss) * (1 - b->loss);
    if (!lost && h->queued + size <= queue_max)
        f = malloc(sizeof *f + size);
    if (!f) {
        b->lost++;
        return;
    }
    *f = (frame_t){.due_ns = now_ns() + a->delay_ns + b->delay_ns, .from = from, .to = to, .size = size};
    memcpy(f->data, data, size);
    frame_t **at = h->last && h->last->due_ns <= f->due_ns ? &h->last->next : &h->first;
    while (*at && (*at)->due_ns <= f->due_ns)
        at = &(*at)->next;
    f->next = *at;
    *at = f;
    if (!f->next)
        h->last = f;
    h->queued += size;
}

static void deliver_due(hub_t *h)
{
    while (h->first && h->first->due_ns <= now_ns()) {
        frame_t *f = h->first;
        h->first = f->next;
        if (!h->first)
            h->last = NULL;
        h->queued -= f->size;
        deliver(h, f);
        free(f);
    }
}

/* The last byte of a port's address is its number, see set_up(). */
static void receive_from(hub_t *h, int from)
{
    unsigned char data[frame_max];
    ssize_t n;
    for (int turn = 0; turn < 64 && (n = read(h->port[from].fd, data, sizeof data)) > 0; turn++) {
        h->port[from].sent++;
        int to = data[address_bytes - 1] - 1;
        int to_all = data[0] & 1;
        for (int i = 0; i < h->ports; i++)
            if (i != from && (to_all || i == to))
                send_to(h, from, i, data, (size_t)n);
    }
}

/* ------------------------------------------------------------------- control */

/* A number of the form that strtod reads, all of it; else -1. */
static double number(const char *text)
{
    char *end;
    double x = text ? strtod(text, &end) : -1;
    return text && *text && !*end && isfinite(x) ? x : -1;
}

/* Change a link as the words after its number say; 0 when they make no sense. */
static int change(port_t *p, const char *what, const char *value)
{
    double x = number(value);
    if (strcmp(what, "up") == 0 && !value)
        p->down = 0;
    else if (strcmp(what, "down") == 0 && !value)
        p->down = 1;
    else if (strcmp(what, "delay") == 0 && x >= 0 && x <= 600000)
        p->delay_ns = (int64_t)(x * 1e6);
    else if (strcmp(what, "loss") == 0 && x >= 0 && x <= 100)
        p->loss = x / 100;
    else
        return 0;
    return 1;
}

/* Do what is asked, and write the answer; it begins with '+' or '-'. */
static void obey(hub_t *h, char *text, char *answer, size_t size)
{
    char *rest = NULL;
    char *which = strtok_r(text, " ", &rest);
    char *what = which ? strtok_r(NULL, " ", &rest) : NULL;
    char *value = what ? strtok_r(NULL, " ", &rest) : NULL;
    double n = number(which);
    if (n < 1 || n > h->ports || n != floor(n)) {
        snprintf(answer, size, "-there is no link %s", which ? which : "");
        return;
    }
    port_t *p = &h->port[(int)n - 1];
    if (what && !change(p, what, value)) {
        snprintf(answer, size, "-expected up, down, delay MS or loss PERCENT, found %s %s", what, value ? value : "");
        return;
    }
    snprintf(answer, size,
        "+link %d %s delay %g ms loss %g %% sent %" PRId64 " received %" PRId64 " lost %" PRId64, (int)n,
        p->down ? "down" : "up", (double)p->delay_ns * 1e-6, p->loss * 100, p->sent, p->received, p->lost);
}

static void answer_one(hub_t *h)
{
    char text[message_max];
    char answer[message_max];
    int fd = accept4(h->control, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return;
    struct timeval limit = {.tv_sec = 1};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ssize_t n = recv(fd, text, sizeof text - 1, 0);
    if (n > 0) {
        text[n] = '\0';
        obey(h, text, answer, sizeof answer);
        (void)send(fd, answer, strlen(answer), MSG_NOSIGNAL);
    }
    close(fd);
}

static int open_socket(const char *path, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if ((size_t)snprintf(address->sun_path, sizeof address->sun_path, "%s", path) >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return complain("socket", path);
    }
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    return fd < 0 ? complain("socket", path) : fd;
}

static int ask(const char *path, int words, char **word)
{
    struct sockaddr_un address;
    char text[message_max] = "";
    for (int i = 0; i < words; i++) {
        size_t at = strlen(text);
        snprintf(text + at, sizeof text - at, "%s%s", i ? " " : "", word[i]);
    }
    int fd = open_socket(path, &address);
    if (fd < 0)
        return 1;
    ssize_t n = -1;
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0 && send(fd, text, strlen(text), MSG_NOSIGNAL) > 0)
        n = recv(fd, text, sizeof text - 1, 0);
    if (n < 1) {
        complain("no answer from", path);
        close(fd);
        return 1;
    }
    text[n] = '\0';
    fprintf(text[0] == '+' ? stdout : stderr, "%s\n", text + 1);
    close(fd);
    return text[0] == '+' ? 0 : 1;
}

/* ------------------------------------------------------------------- set-up */

static struct sockaddr inet(const char *text)
{
    struct sockaddr_in in = {.sin_family = AF_INET};
    struct sockaddr out;
    inet_pton(AF_INET, text, &in.sin_addr);
    memcpy(&out, &in, sizeof out);
    return out;
}

static int bring_up(int s, const char *name)
{
    struct ifreq r = {0};
    snprintf(r.ifr_name, sizeof r.ifr_name, "%s", name);
    if (ioctl(s, SIOCGIFFLAGS, &r) != 0)
        return -1;
    r.ifr_flags |= IFF_UP | IFF_RUNNING;
    return ioctl(s, SIOCSIFFLAGS, &r);
}

/* The interface of a node, in the current network namespace: hardware address 02:00:00:00:00:N. */
static int set_up(int n, int *fd)
{
    char text[32];
    struct ifreq r = {0};
    *fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (*fd < 0)
        return complain("cannot open", "/dev/net/tun");
    snprintf(r.ifr_name, sizeof r.ifr_name, "eth0");
    r.ifr_flags = IFF_TAP | IFF_NO_PI;
    if (ioctl(*fd, TUNSETIFF, &r) != 0)
        return complain("cannot make", "eth0");
    int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (s < 0)
        return complain("socket", "");
    r.ifr_hwaddr = (struct sockaddr){.sa_family = ARPHRD_ETHER, .sa_data = {2, 0, 0, 0, 0, (char)n}};
    int bad = ioctl(s, SIOCSIFHWADDR, &r) != 0;
    snprintf(text, sizeof text, "10.77.0.%d", n);
    r.ifr_addr = inet(text);
    bad = bad || ioctl(s, SIOCSIFADDR, &r) != 0;
    r.ifr_netmask = inet("255.255.255.0");
    bad = bad || ioctl(s, SIOCSIFNETMASK, &r) != 0 || bring_up(s, "eth0") != 0 || bring_up(s, "lo") != 0;
    if (bad)
        complain("cannot set up", "eth0");
    close(s);
    return bad ? -1 : 0;
}

static int join(hub_t *h, int i, const char *pid, int home)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%.20s/ns/net", pid);
    int there = open(path, O_RDONLY | O_CLOEXEC);
    if (there < 0 || setns(there, CLONE_NEWNET) != 0)
        return complain("cannot enter", path);
    close(there);
    int st = set_up(i + 1, &h->port[i].fd);
    return setns(home, CLONE_NEWNET) != 0 ? complain("cannot leave", path) : st;
}

static int listen_at(const char *path)
{
    struct sockaddr_un address;
    int fd = open_socket(path, &address);
    if (fd < 0)
        return fd;
    (void)unlink(path);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 16) != 0)
        return complain("cannot listen at", path);
    return fd;
}

static int serve(hub_t *h)
{
    struct pollfd *p = calloc((size_t)h->ports + 1, sizeof *p);
    if (!p)
        return complain("memory", "");
    for (int i = 0; i < h->ports; i++)
        p[i] = (struct pollfd){.fd = h->port[i].fd, .events = POLLIN};
    p[h->ports] = (struct pollfd){.fd = h->control, .events = POLLIN};
    for (;;) {
        int64_t wait = h->first ? h->first->due_ns - now_ns() : -1;
        struct timespec t = {.tv_sec = wait / 1000000000, .tv_nsec = wait % 1000000000};
        int n = h->first && wait <= 0 ? poll(p, (nfds_t)h->ports + 1, 0)
                                      : ppoll(p, (nfds_t)h->ports + 1, h->first ? &t : NULL, NULL);
        if (n < 0 && errno != EINTR)
            return complain("poll", "");
        deliver_due(h);
        for (int i = 0; n > 0 && i < h->ports; i++)
            if (p[i].revents)
                receive_from(h, i);
        if (n > 0 && p[h->ports].revents)
            answer_one(h);
    }
}

int main(int argc, char **argv)
{
    if (argc > 3 && strcmp(argv[2], "ask") == 0)
        return ask(argv[1], argc - 3, argv + 3);
    if (argc < 4 || argc - 3 > links_max || number(argv[2]) < 0) {
        fprintf(stderr, "usage: switch SOCKET SEED PID... | SOCKET ask WORD...\n");
        return 2;
    }
    hub_t h = {.ports = argc - 3, .random = strtoull(argv[2], NULL, 10)};
    h.port = calloc((size_t)h.ports, sizeof *h.port);
    /* a network of its own, which it can come back to */
    int home = unshare(CLONE_NEWNET) == 0 ? open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC) : -1;
    if (!h.port || home < 0) {
        complain("cannot start", "");
        return 1;
    }
    for (int i = 0; i < h.ports; i++)
        if (join(&h, i, argv[3 + i], home) < 0)
            return 1;
    /* ranks that wait for a message keep the CPUs busy; without root it is only slower */
    (void)setpriority(PRIO_PROCESS, 0, -10);
    h.control = listen_at(argv[1]);
    return h.control < 0 || serve(&h) < 0;
}
