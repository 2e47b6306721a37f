package io.malob.rest.live;

import java.util.Map;

/**
 * The values of all graphs at one moment.
 *
 * @param timeMillis the moment on the monitor's clock
 * @param requestsPerSecond all connections that got a server since the sample before, per second
 * @param rejectionsPerSecond all rejected packets, per second
 * @param values by graph, the value of each line; unknown values are absent
 */
record TrafficSample(
    long timeMillis,
    double requestsPerSecond,
    double rejectionsPerSecond,
    Map<TrafficGraph, Map<String, Double>> values) {}
