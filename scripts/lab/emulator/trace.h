/* A direction's parameters as they change over time. Read from a plan: what `scripts/lab/shaping/trace.py` makes of
   a trace file that people wrote. */
#ifndef TRACE_H
#define TRACE_H

#include "direction.h"

/* From start_ns of each round on, rate_bps holds; delay_ns and loss_ppm, too, unless they are -1. */
typedef struct {
    int64_t start_ns, rate_bps, delay_ns, loss_ppm;
} Step;

/* Plays round after round of period_ns, the first of which began at began_ns. next: the step to come. */
typedef struct {
    Step *steps;
    size_t count, next;
    int64_t period_ns, began_ns;
} Trace;

/* Reads a plan: the period in nanoseconds, then lines of start, rate, delay and loss. NULL if it cannot be read, or is
   not one: then errno is 0. */
Trace *trace_read(const char *path, int64_t now_ns);
void trace_free(Trace *trace);

/* When the next step begins. */
int64_t trace_next_ns(const Trace *trace);

/* Takes the step that has begun; parameters: what holds so far, and then what holds now. */
void trace_step(Trace *trace, Parameters *parameters);

#endif
