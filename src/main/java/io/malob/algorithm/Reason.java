package io.malob.algorithm;

/**
 * How a rule chooses, in words.
 *
 * @param rule the criterion
 * @param tieBreak the criterion between equals
 */
public record Reason(String rule, String tieBreak) {}
