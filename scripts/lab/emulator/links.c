#define _GNU_SOURCE
#include "links.h"

#include "tap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* So many frames at a time, so that one flood does not keep the other links waiting. */
enum { FRAMES_AT_ONCE = 256 };

Link *links_find(const Links *links, const char *name, int *way) {
    for (int i = 0; i < links->count; i++)
        for (*way = 0; *way < 2; ++*way)
            if (strcmp(links->links[i]->names[*way], name) == 0) return links->links[i];
    return NULL;
}

static void free_link(Link *link) {
    for (int way = 0; way < 2; way++) {
        if (link->devices[way] >= 0) close(link->devices[way]);
        if (link->ways[way] != NULL) direction_free(link->ways[way]);
        trace_free(link->traces[way]);
    }
    free(link);
}

static Link *new_link(const char *const names[2], int64_t handover_ns) {
    static uint64_t seed = 1;
    Link *link = calloc(1, sizeof(Link));
    if (link == NULL) return NULL;
    bool good = true;
    for (int way = 0; way < 2; way++) {
        snprintf(link->names[way], NAME_BYTES, "%s", names[way]);
        link->devices[way] = good ? tap_open(names[way]) : -1;
        good = good && link->devices[way] >= 0;
        link->ways[way] = good ? direction_new(seed++, handover_ns) : NULL;
        good = good && link->ways[way] != NULL;
    }
    if (good) return link;
    int reason = errno;
    free_link(link);
    errno = reason;
    return NULL;
}

bool links_add(Links *links, const char *first, const char *second, int64_t handover_ns) {
    errno = ENAMETOOLONG;
    if (strlen(first) >= NAME_BYTES || strlen(second) >= NAME_BYTES) return false;
    errno = ENOSPC;
    if (links->count == MOST_LINKS) return false;
    const char *const names[2] = {first, second};
    Link *link = new_link(names, handover_ns);
    if (link != NULL) links->links[links->count++] = link;
    return link != NULL;
}

void link_play(Link *link, int way, Trace *trace) {
    trace_free(link->traces[way]);
    link->traces[way] = trace;
}

void link_take_in(Link *link, int way, int64_t now_ns) {
    Direction *direction = link->ways[way];
    for (int i = 0; i < FRAMES_AT_ONCE; i++) {
        ssize_t length = read(link->devices[way], direction_room(direction), FRAME_BYTES);
        if (length <= 0) return;
        direction_accept(direction, (size_t)length, now_ns);
    }
}

static void step(Link *link, int way, int64_t now_ns) {
    Trace *trace = link->traces[way];
    while (trace_next_ns(trace) <= now_ns) {
        Parameters parameters = link->ways[way]->parameters;
        int64_t begins_ns = trace_next_ns(trace);
        trace_step(trace, &parameters);
        direction_set(link->ways[way], &parameters, begins_ns);
    }
}

static void deliver(Link *link, int way, int64_t now_ns) {
    const unsigned char *frame;
    size_t length;
    while ((frame = direction_due(link->ways[way], now_ns, &length)) != NULL)
        direction_done(link->ways[way], now_ns, write(link->devices[1 - way], frame, length) == (ssize_t)length);
}

static int64_t earlier(int64_t a, int64_t b) {
    return a < b ? a : b;
}

int64_t links_work(Links *links, int64_t now_ns) {
    int64_t next_ns = NEVER;
    for (int i = 0; i < links->count; i++) {
        Link *link = links->links[i];
        for (int way = 0; way < 2; way++) {
            if (link->traces[way] != NULL) {
                step(link, way, now_ns);
                next_ns = earlier(next_ns, trace_next_ns(link->traces[way]));
            }
            deliver(link, way, now_ns);
            next_ns = earlier(next_ns, direction_next_ns(link->ways[way]));
        }
    }
    return next_ns;
}
