/* One direction of a link: a bounded queue, a sender with a rate, and a wire with a delay. No I/O, no clock. */
#ifndef DIRECTION_H
#define DIRECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FRAME_BYTES = 1600,      /* the longest frame that fits: 1500 bytes, Ethernet header, VLAN tags */
    ETHERNET_HEADER = 14,    /* a link counts IP packets: a frame without this, and without VLAN tags */
    VLAN_TAG = 4,
    FRAMES = 8192,           /* waiting and on the wire together; a power of two */
};

#define NEVER INT64_MAX
#define LATE_NS 2000000 /* a delivery that comes more than this after its time counts as late */

/* rate_bps 0: no limit. loss_ppm: packets per million that are lost before the queue. */
typedef struct {
    int64_t rate_bps;
    int64_t delay_ns;
    int64_t queue_packets;
    int64_t loss_ppm;
} Parameters;

/* packets, bytes: delivered, bytes as the link counts them. dropped: the queue was full. lost: by loss_ppm.
   overflowed: FRAMES was not enough. undelivered: the device at the end did not take it. */
typedef struct {
    int64_t packets, bytes, dropped, lost, overflowed, undelivered;
    int64_t late, latest_ns;
} Counters;

/* A frame of length bytes in frames[place], of which a part counts. due_ns: when it reaches the other end, once it is on the wire. */
typedef struct {
    int64_t due_ns;
    uint16_t length, counted;
    uint16_t place;
} Entry;

/* entries[delivered .. sent) are on the wire, entries[sent .. accepted) wait, the first of them being sent until
   departure_ns. Indices run on for ever and are taken modulo FRAMES. free_places is a stack, so that little memory
   is touched as long as little is needed. */
typedef struct {
    Parameters parameters;
    Counters counters;
    uint64_t random_state;
    int64_t handover_ns;
    int64_t departure_ns;
    int64_t last_due_ns;
    uint32_t delivered, sent, accepted;
    uint32_t free_count;
    uint16_t free_places[FRAMES];
    Entry entries[FRAMES];
    unsigned char frames[FRAMES + 1][FRAME_BYTES]; /* the last one is for a frame that is dropped */
} Direction;

/* A new direction without limits; NULL without memory. seed: of its losses. handover_ns: how much of its delay the
   devices at its ends take already, which is taken off. */
Direction *direction_new(uint64_t seed, int64_t handover_ns);
void direction_free(Direction *direction);

/* From now_ns on. What is on the wire stays there as long as it would have; the frame that is being sent
   goes on at the new rate. */
void direction_set(Direction *direction, const Parameters *parameters, int64_t now_ns);

/* Where to put the next frame, FRAME_BYTES long. */
unsigned char *direction_room(Direction *direction);

/* Takes the frame that was put there. */
void direction_accept(Direction *direction, size_t length, int64_t now_ns);

/* The next frame that is due, NULL if none is. */
const unsigned char *direction_due(Direction *direction, int64_t now_ns, size_t *length);

/* Tells that the frame of direction_due() has been delivered, or could not be. */
void direction_done(Direction *direction, int64_t now_ns, bool delivered);

/* When the next frame will be due, NEVER if there is none. */
int64_t direction_next_ns(const Direction *direction);

/* The number of queued frames, without the frame that is being sent. */
uint32_t direction_waiting(Direction *direction, int64_t now_ns);

#endif
