package io.malob.latency;

import java.util.OptionalLong;

/**
 * The control channel of one switch.
 *
 * @param method the current method
 * @param nanos the min round trip of the latest window; empty without an answer in it
 */
public record ControlRoundTrip(ControlMethod method, OptionalLong nanos) {}
