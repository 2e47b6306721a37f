#define _GNU_SOURCE
#include "direction.h"

#include <sys/mman.h>

/* Untouched memory costs nothing: most links never need all of it. */
Direction *direction_new(uint64_t seed, int64_t handover_ns) {
    Direction *direction = mmap(NULL, sizeof(Direction), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (direction == MAP_FAILED) return NULL;
    direction->parameters.queue_packets = FRAMES;
    direction->random_state = seed * 2 + 1;
    direction->handover_ns = handover_ns;
    for (uint32_t i = 0; i < FRAMES; i++) direction->free_places[i] = (uint16_t)(FRAMES - 1 - i);
    direction->free_count = FRAMES;
    return direction;
}

void direction_free(Direction *direction) {
    munmap(direction, sizeof(Direction));
}

static Entry *entry(Direction *direction, uint32_t index) {
    return &direction->entries[index % FRAMES];
}

/* EtherTypes of 802.1Q and 802.1ad */
static bool is_tag(const unsigned char *type) {
    return (type[0] == 0x81 && type[1] == 0x00) || (type[0] == 0x88 && type[1] == 0xa8);
}

static size_t counted_bytes(const unsigned char *frame, size_t length) {
    size_t header = ETHERNET_HEADER;
    while (header < length && is_tag(frame + header - 2)) header += VLAN_TAG;
    return length > header ? length - header : 0;
}

static int64_t sending_ns(const Direction *direction, const Entry *e) {
    int64_t rate = direction->parameters.rate_bps;
    return rate == 0 ? 0 : e->counted * INT64_C(8000000000) / rate;
}

static int64_t max(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* A shorter delay must not let a frame overtake the one before it. */
static int64_t arrival_ns(const Direction *direction) {
    int64_t wire_ns = max(0, direction->parameters.delay_ns - direction->handover_ns);
    return max(direction->departure_ns + wire_ns, direction->last_due_ns);
}

/* Puts on the wire what has left by now. Whatever waits came before the departure of the frame ahead of it, so
   each begins when the one ahead has left. */
static void advance(Direction *direction, int64_t now_ns) {
    while (direction->sent != direction->accepted && direction->departure_ns <= now_ns) {
        Entry *e = entry(direction, direction->sent++);
        e->due_ns = direction->last_due_ns = arrival_ns(direction);
        if (direction->sent != direction->accepted)
            direction->departure_ns += sending_ns(direction, entry(direction, direction->sent));
    }
}

void direction_set(Direction *direction, const Parameters *parameters, int64_t now_ns) {
    advance(direction, now_ns);
    int64_t before = direction->parameters.rate_bps, after = parameters->rate_bps;
    if (direction->sent != direction->accepted && before != after) {
        double left_ns = (double)(direction->departure_ns - now_ns);
        direction->departure_ns = now_ns + (after == 0 ? 0 : (int64_t)(left_ns * (double)before / (double)after));
    }
    direction->parameters = *parameters;
}

unsigned char *direction_room(Direction *direction) {
    uint32_t count = direction->free_count;
    return direction->frames[count == 0 ? FRAMES : direction->free_places[count - 1]];
}

/* xorshift64*, by Vigna (2016): its upper bits are good enough for losses. */
static bool is_lost(Direction *direction) {
    if (direction->parameters.loss_ppm == 0) return false;
    uint64_t x = direction->random_state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    direction->random_state = x;
    return (int64_t)((x * 0x2545F4914F6CDD1DULL >> 32) * 1000000 >> 32) < direction->parameters.loss_ppm;
}

void direction_accept(Direction *direction, size_t length, int64_t now_ns) {
    advance(direction, now_ns);
    bool idle = direction->sent == direction->accepted;
    if (is_lost(direction)) {
        direction->counters.lost++;
    } else if (!idle && direction_waiting(direction, now_ns) >= direction->parameters.queue_packets) {
        direction->counters.dropped++;
    } else if (direction->free_count == 0) {
        direction->counters.overflowed++;
    } else {
        Entry *e = entry(direction, direction->accepted++);
        e->length = (uint16_t)length;
        e->counted = (uint16_t)counted_bytes(direction_room(direction), length);
        e->place = direction->free_places[--direction->free_count];
        if (idle) direction->departure_ns = now_ns + sending_ns(direction, e);
    }
}

const unsigned char *direction_due(Direction *direction, int64_t now_ns, size_t *length) {
    advance(direction, now_ns);
    if (direction->delivered == direction->sent) return NULL;
    const Entry *e = entry(direction, direction->delivered);
    if (e->due_ns > now_ns) return NULL;
    *length = e->length;
    return direction->frames[e->place];
}

void direction_done(Direction *direction, int64_t now_ns, bool delivered) {
    Entry *e = entry(direction, direction->delivered++);
    Counters *counters = &direction->counters;
    direction->free_places[direction->free_count++] = e->place;
    if (!delivered) {
        counters->undelivered++;
        return;
    }
    counters->packets++;
    counters->bytes += e->counted;
    counters->latest_ns = max(counters->latest_ns, now_ns - e->due_ns);
    if (now_ns - e->due_ns > LATE_NS) counters->late++;
}

int64_t direction_next_ns(const Direction *direction) {
    if (direction->delivered != direction->sent)
        return direction->entries[direction->delivered % FRAMES].due_ns;
    return direction->sent == direction->accepted ? NEVER : arrival_ns(direction);
}

uint32_t direction_waiting(Direction *direction, int64_t now_ns) {
    advance(direction, now_ns);
    uint32_t unsent = direction->accepted - direction->sent;
    return unsent == 0 ? 0 : unsent - 1;
}
