/* Links of an emulated network: each joins two network devices, with a rate, a delay, a bounded queue and losses of its own
   for each direction. One process and one thread carry all links of a lab.

   A packet of n bytes occupies a link of r bit/s for 8n/r seconds: it departs at max(its arrival, departure of the one
   before) + 8n/r, and arrives its delay later. Packets are counted without their Ethernet headers.

   usage: link-emulator SOCKET */
#define _GNU_SOURCE
#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* On average it runs at most once per GRAIN_NS, and then handles all pending packets: a wake-up for each
   packet would cost more than its handling. BURST wake-ups may come at any distance, so that a few packets are on time. */
enum { GRAIN_NS = 400000, BURST = 8, EVENTS = 64, MAX_CLIENTS = 16 };

/* What an event is about: a client's descriptor, or a device as 2 * link + way. */
typedef enum { TIMER, LISTENER, CLIENT, DEVICE } Kind;

typedef struct {
    Links links;
    int epoll, timer, listener, clients;
    int64_t armed_ns;
    bool quit;
} Emulator;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static struct timespec timespec_of(int64_t ns) {
    return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

static void check(bool good, const char *what) {
    if (good) return;
    fprintf(stderr, "link-emulator: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void watch(Emulator *emulator, int descriptor, uint32_t events, Kind kind, int number) {
    struct epoll_event event = {.events = events, .data.u64 = (uint64_t)kind << 32 | (uint32_t)number};
    check(epoll_ctl(emulator->epoll, EPOLL_CTL_ADD, descriptor, &event) == 0, "cannot watch a descriptor");
}

static void watch_new_devices(Emulator *emulator) {
    for (int i = 0; i < emulator->links.count; i++)
        for (int way = 0; way < 2; way++) {
            Link *link = emulator->links.links[i];
            if (!link->watched[way]) watch(emulator, link->devices[way], EPOLLIN, DEVICE, 2 * i + way);
            link->watched[way] = true;
        }
}

static void welcome(Emulator *emulator) {
    int client = accept4(emulator->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (client < 0) return;
    if (emulator->clients == MAX_CLIENTS) {
        close(client);
        return;
    }
    emulator->clients++;
    watch(emulator, client, EPOLLIN, CLIENT, client);
}

static void serve(Emulator *emulator, int client) {
    char request[MESSAGE_BYTES], answer[MESSAGE_BYTES];
    ssize_t length = recv(client, request, sizeof request - 1, 0);
    if (length > 0) {
        request[length] = '\0';
        control_answer(&emulator->links, request, answer, now(), &emulator->quit);
        watch_new_devices(emulator);
        /* only a client that sends requests without reading has no room for its answer */
        if (send(client, answer, strlen(answer), MSG_NOSIGNAL) >= 0) return;
    }
    close(client);
    emulator->clients--;
}

static void handle(Emulator *emulator, const struct epoll_event *event, int64_t now_ns) {
    int number = (int)(uint32_t)event->data.u64;
    switch ((Kind)(event->data.u64 >> 32)) {
        case TIMER: break;
        case LISTENER: welcome(emulator); break;
        case CLIENT: serve(emulator, number); break;
        case DEVICE: link_take_in(emulator->links.links[number / 2], number % 2, now_ns); break;
    }
}

static void arm(Emulator *emulator, int64_t at_ns) {
    if (at_ns == emulator->armed_ns) return;
    emulator->armed_ns = at_ns;
    struct itimerspec when = {.it_value = timespec_of(at_ns == NEVER ? 0 : at_ns)};
    timerfd_settime(emulator->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

static void sleep_until(int64_t at_ns) {
    struct timespec time = timespec_of(at_ns);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static void run(Emulator *emulator) {
    struct epoll_event events[EVENTS];
    int64_t paid_until_ns = 0;
    while (!emulator->quit) {
        arm(emulator, links_work(&emulator->links, now()));
        int count = epoll_wait(emulator->epoll, events, EVENTS, -1);
        int64_t now_ns = now();
        for (int i = 0; i < count; i++) handle(emulator, &events[i], now_ns);
        links_work(&emulator->links, now());
        paid_until_ns = (paid_until_ns > now_ns ? paid_until_ns : now_ns) + GRAIN_NS;
        if (paid_until_ns - BURST * GRAIN_NS > now_ns) sleep_until(paid_until_ns - BURST * GRAIN_NS);
    }
}

/* Keeps idle processors out of deep sleep states, whose exit takes longer than a packet may be late: a packet activates
   a process at each hop. In force while the descriptor is open, however this process ends. */
static void keep_processors_awake(void) {
    int32_t max_us = 0;
    int latency = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
    if (latency < 0 || write(latency, &max_us, sizeof max_us) != sizeof max_us)
        fprintf(stderr, "link-emulator: processors may sleep: %s\n", strerror(errno));
}

/* Other programs must not keep packets waiting; this one needs little and always sleeps in between. */
static void be_punctual(void) {
    keep_processors_awake();
    prctl(PR_SET_TIMERSLACK, 1);
    struct sched_param priority = {.sched_priority = 2};
    if (sched_setscheduler(0, SCHED_RR, &priority) != 0)
        fprintf(stderr, "link-emulator: no real-time priority: %s\n", strerror(errno));
}

int main(int count, char **arguments) {
    static Emulator emulator;
    if (count != 2) {
        fprintf(stderr, "usage: link-emulator SOCKET\n");
        return 2;
    }
    check((emulator.epoll = epoll_create1(EPOLL_CLOEXEC)) >= 0, "cannot wait for events");
    check((emulator.timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) >= 0, "no timer");
    check((emulator.listener = control_listen(arguments[1])) >= 0, arguments[1]);
    watch(&emulator, emulator.timer, EPOLLIN | EPOLLET, TIMER, 0);
    watch(&emulator, emulator.listener, EPOLLIN, LISTENER, 0);
    be_punctual();
    run(&emulator);
    unlink(arguments[1]);
    return 0;
}
