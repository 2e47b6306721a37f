/* The links of a lab: which devices they join, what crosses them and how. */
#ifndef LINKS_H
#define LINKS_H

#include "direction.h"
#include "trace.h"

enum { MAX_LINKS = 500, NAME_BYTES = 16 };

/* Way 0 is what comes in at device 0 and goes out at device 1, way 1 the other. */
typedef struct {
    char names[2][NAME_BYTES];
    int devices[2];
    bool watched[2]; /* whether the one who waits for frames knows of the descriptor */
    Direction *ways[2];
    Trace *traces[2];
} Link;

typedef struct {
    Link *links[MAX_LINKS];
    int count;
} Links;

/* The link that has a device of that name, NULL if none has, and the way that begins there. */
Link *links_find(const Links *links, const char *name, int *way);

/* Joins two devices, without limits; open_device says where they come from, handover_ns is as in direction_new(). A link that
   is there already keeps all but its devices, which are opened anew: those of before may have gone. False with errno if
   that does not work. */
bool links_join(Links *links, const char *const names[2], int64_t handover_ns, int (*open)(const char *name));

/* Plays a trace; NULL ends the current one. The link owns it from then on. */
void link_play(Link *link, int way, Trace *trace);

/* Takes all frames that have come in at a device. */
void link_take_in(Link *link, int way, int64_t now_ns);

/* Delivers what is due and does the steps of traces. Returns when there is something to do again. */
int64_t links_work(Links *links, int64_t now_ns);

#endif
