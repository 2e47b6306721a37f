#include "trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_STEPS = 100000 };

static bool read_step(FILE *file, const Trace *trace, Step *step) {
    if (fscanf(file, "%" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64, &step->start_ns, &step->rate_bps,
               &step->delay_ns, &step->loss_ppm) != 4)
        return false;
    int64_t after = trace->count == 0 ? -1 : trace->steps[trace->count - 1].start_ns;
    return step->start_ns > after && step->start_ns < trace->period_ns && step->rate_bps >= 0;
}

static bool read_all(FILE *file, Trace *trace) {
    Step step;
    if (fscanf(file, "%" SCNd64, &trace->period_ns) != 1) return false;
    while (read_step(file, trace, &step)) {
        if (trace->count == MAX_STEPS) return false;
        Step *more = realloc(trace->steps, (trace->count + 1) * sizeof(Step));
        if (more == NULL) return false;
        trace->steps = more;
        trace->steps[trace->count++] = step;
    }
    return feof(file) && trace->count > 0 && trace->steps[0].start_ns == 0;
}

Trace *trace_read(const char *path, int64_t now_ns) {
    FILE *file = fopen(path, "re");
    if (file == NULL) return NULL;
    Trace *trace = calloc(1, sizeof(Trace));
    if (trace != NULL) {
        trace->began_ns = now_ns;
        if (!read_all(file, trace)) {
            trace_free(trace);
            trace = NULL;
            errno = 0;
        }
    }
    fclose(file);
    return trace;
}

void trace_free(Trace *trace) {
    if (trace != NULL) free(trace->steps);
    free(trace);
}

int64_t trace_next_ns(const Trace *trace) {
    return trace->began_ns + trace->steps[trace->next].start_ns;
}

void trace_step(Trace *trace, Parameters *parameters) {
    const Step *step = &trace->steps[trace->next];
    parameters->rate_bps = step->rate_bps;
    if (step->delay_ns >= 0) parameters->delay_ns = step->delay_ns;
    if (step->loss_ppm >= 0) parameters->loss_ppm = step->loss_ppm;
    if (++trace->next == trace->count) {
        trace->next = 0;
        trace->began_ns += trace->period_ns;
    }
}
