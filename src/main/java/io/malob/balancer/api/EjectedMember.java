package io.malob.balancer.api;

/**
 * A member that is out because of what its connections or its agent have shown. It takes
 * connections all the same where more than half of its pool would be out.
 *
 * @param why {@code no_reply}: clients got no answer; {@code refuses}: its agent says so
 * @param times how often it was out lately, this time included
 * @param nanosLeft how long it still is
 */
public record EjectedMember(String why, int times, long nanosLeft) {}
