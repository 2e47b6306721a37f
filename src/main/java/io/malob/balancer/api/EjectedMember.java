package io.malob.balancer.api;

/**
 * A member that is ejected because of its connections or its agent's reports. It still gets
 * connections if otherwise more than half of its pool would be ejected.
 *
 * @param why {@code no_reply}: clients got no answer; {@code refuses}: its agent reports that it
 *     refuses connections
 * @param times how often it was ejected recently, including this time
 * @param nanosLeft the time until it is readmitted
 */
public record EjectedMember(String why, int times, long nanosLeft) {}
