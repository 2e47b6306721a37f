#define _GNU_SOURCE
#include "control.h"

#include "device.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { MAX_WORDS = 8, CLIENTS_WAITING = 8 };

/* What a request is about. */
typedef struct {
    Links *links;
    Link *link;
    int way;
    char **words; /* after the verb and the device */
    int count;
    int64_t now_ns;
    char *answer;
} Request;

int control_listen(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    umask(S_IRWXG | S_IRWXO);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) < 0) return -1;
    return listen(listener, CLIENTS_WAITING) < 0 ? -1 : listener;
}

static void say(Request *request, const char *words, const char *what) {
    snprintf(request->answer, MESSAGE_BYTES, "%s%s", words, what);
}

/* make DEVICE DEVICE HANDOVER_NS, or attach with the same words */
static void join(Request *request, const char *first, int (*open_device)(const char *name)) {
    if (request->count != 2) {
        say(request, "error expected: DEVICE DEVICE HANDOVER_NS", "");
        return;
    }
    const char *const names[2] = {first, request->words[0]};
    if (!links_join(request->links, names, strtoll(request->words[1], NULL, 10), open_device)) {
        say(request, "error cannot join the devices: ", strerror(errno));
    } else {
        say(request, "ok", "");
    }
}

/* Which parameter NAME=VALUE sets, and its largest value; NULL if there is none of that name. */
static int64_t *parameter(Parameters *parameters, const char *name, int64_t *most) {
    *most = INT64_C(1000000000000);
    if (strcmp(name, "rate_bps") == 0) return &parameters->rate_bps;
    if (strcmp(name, "delay_ns") == 0) return &parameters->delay_ns;
    *most = FRAMES;
    if (strcmp(name, "queue_packets") == 0) return &parameters->queue_packets;
    *most = 1000000;
    return strcmp(name, "loss_ppm") == 0 ? &parameters->loss_ppm : NULL;
}

static bool assign(Parameters *parameters, char *word) {
    char *value = strchr(word, '='), *end;
    if (value == NULL) return false;
    *value++ = '\0';
    int64_t most, *target = parameter(parameters, word, &most);
    errno = 0;
    long long number = strtoll(value, &end, 10);
    value[-1] = '=';
    if (target == NULL || *value == '\0' || *end != '\0' || errno != 0 || number < 0 || number > most) return false;
    *target = number;
    return true;
}

/* set DEVICE NAME=VALUE… : all or none; ends a trace, which would change them */
static void set(Request *request) {
    Direction *direction = request->link->ways[request->way];
    Parameters parameters = direction->parameters;
    for (int i = 0; i < request->count; i++) {
        if (!assign(&parameters, request->words[i])) {
            say(request, "error cannot set ", request->words[i]);
            return;
        }
    }
    link_play(request->link, request->way, NULL);
    direction_set(direction, &parameters, request->now_ns);
    say(request, "ok", "");
}

/* play DEVICE PLAN */
static void play(Request *request) {
    if (request->count != 1) {
        say(request, "error expected: play DEVICE PLAN", "");
        return;
    }
    Trace *trace = trace_read(request->words[0], request->now_ns);
    if (trace == NULL) {
        say(request, "error cannot read the plan: ", errno == 0 ? "it is none" : strerror(errno));
        return;
    }
    link_play(request->link, request->way, trace);
    say(request, "ok", "");
}

/* read DEVICE */
static void read_out(Request *request) {
    Direction *direction = request->link->ways[request->way];
    uint32_t waiting = direction_waiting(direction, request->now_ns);
    const Parameters *p = &direction->parameters;
    const Counters *c = &direction->counters;
    snprintf(request->answer, MESSAGE_BYTES,
             "ok rate_bps=%" PRId64 " delay_ns=%" PRId64 " queue_packets=%" PRId64 " loss_ppm=%" PRId64
             " trace=%d packets=%" PRId64 " bytes=%" PRId64 " dropped=%" PRId64 " lost=%" PRId64 " overflowed=%" PRId64
             " undelivered=%" PRId64 " waiting=%" PRIu32 " late=%" PRId64 " latest_ns=%" PRId64,
             p->rate_bps, p->delay_ns, p->queue_packets, p->loss_ppm, request->link->traces[request->way] != NULL,
             c->packets, c->bytes, c->dropped, c->lost, c->overflowed, c->undelivered, waiting, c->late, c->latest_ns);
}

/* punctual: forgets what was late before */
static void forget_lateness(Links *links) {
    for (int i = 0; i < links->count; i++)
        for (int way = 0; way < 2; way++) {
            Counters *counters = &links->links[i]->ways[way]->counters;
            counters->late = counters->latest_ns = 0;
        }
}

static int split(char *request, char **words) {
    int count = 0;
    char *rest = request, *word;
    while ((word = strsep(&rest, " \n")) != NULL && count < MAX_WORDS)
        if (*word != '\0') words[count++] = word;
    return count;
}

/* Requests about the way that begins at a device. */
static void about_way(Request *request, const char *verb, const char *device) {
    request->link = links_find(request->links, device, &request->way);
    if (request->link == NULL) say(request, "error no such device: ", device);
    else if (strcmp(verb, "set") == 0) set(request);
    else if (strcmp(verb, "play") == 0) play(request);
    else if (strcmp(verb, "read") == 0) read_out(request);
    else say(request, "error no such request: ", verb);
}

void control_answer(Links *links, char *text, char *answer, int64_t now_ns, bool *quit) {
    char *words[MAX_WORDS] = {NULL};
    int count = split(text, words);
    const char *verb = count == 0 ? "" : words[0];
    Request request = {.links = links, .words = words + 2, .count = count - 2, .now_ns = now_ns, .answer = answer};
    snprintf(answer, MESSAGE_BYTES, "ok");
    if (count == 1 && strcmp(verb, "quit") == 0) {
        *quit = true;
    } else if (count == 1 && strcmp(verb, "punctual") == 0) {
        forget_lateness(links);
    } else if (count < 2) {
        say(&request, "error no such request: ", verb);
    } else if (strcmp(verb, "make") == 0) {
        join(&request, words[1], device_make);
    } else if (strcmp(verb, "attach") == 0) {
        join(&request, words[1], device_attach);
    } else {
        about_way(&request, verb, words[1]);
    }
}
