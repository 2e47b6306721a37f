package io.malob.latency;

import java.util.OptionalLong;

/**
 * The control channel of one switch.
 *
 * @param method how it is measured now
 * @param nanos the smallest round trip of the latest window; empty if nothing was answered in it
 */
public record ControlRoundTrip(ControlMethod method, OptionalLong nanos) {}
