package io.malob.algorithm;

/**
 * How a rule chooses, in words for people.
 *
 * @param rule what it takes
 * @param tieBreak what decides between equals
 */
public record Reason(String rule, String tieBreak) {}
