#define _GNU_SOURCE
#include "links.h"

#include "device.h"

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
    link->devices[0] = link->devices[1] = -1;
    bool good = true;
    for (int way = 0; way < 2; way++) {
        snprintf(link->names[way], NAME_BYTES, "%s", names[way]);
        link->ways[way] = good ? direction_new(seed++, handover_ns) : NULL;
        good = good && link->ways[way] != NULL;
    }
    if (good) return link;
    int reason = errno;
    free_link(link);
    errno = reason;
    return NULL;
}

/* Both or none. */
static bool open_devices(Link *link, int (*open_device)(const char *name)) {
    int devices[2] = {open_device(link->names[0]), -1};
    if (devices[0] >= 0) devices[1] = open_device(link->names[1]);
    int reason = errno;
    bool good = devices[1] >= 0;
    if (!good && devices[0] >= 0) close(devices[0]);
    for (int way = 0; good && way < 2; way++) {
        if (link->devices[way] >= 0) close(link->devices[way]);
        link->devices[way] = devices[way];
        link->watched[way] = false;
    }
    errno = reason;
    return good;
}

static Link *known_link(const Links *links, const char *const names[2]) {
    for (int i = 0; i < links->count; i++)
        if (strcmp(links->links[i]->names[0], names[0]) == 0 && strcmp(links->links[i]->names[1], names[1]) == 0)
            return links->links[i];
    return NULL;
}

bool links_join(Links *links, const char *const names[2], int64_t handover_ns, int (*open_device)(const char *name)) {
    errno = ENAMETOOLONG;
    if (strlen(names[0]) >= NAME_BYTES || strlen(names[1]) >= NAME_BYTES) return false;
    Link *known = known_link(links, names);
    if (known != NULL) return open_devices(known, open_device);
    errno = ENOSPC;
    if (links->count == MAX_LINKS) return false;
    Link *link = new_link(names, handover_ns);
    if (link == NULL) return false;
    if (!open_devices(link, open_device)) {
        int reason = errno;
        free_link(link);
        errno = reason;
        return false;
    }
    links->links[links->count++] = link;
    return true;
}

void link_play(Link *link, int way, Trace *trace) {
    trace_free(link->traces[way]);
    link->traces[way] = trace;
}

void link_take_in(Link *link, int way, int64_t now_ns) {
    Direction *direction = link->ways[way];
    for (int i = 0; i < FRAMES_AT_ONCE; i++) {
        ssize_t length = device_read(link->devices[way], direction_room(direction), FRAME_BYTES);
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
