package io.malob.capability;

import java.util.OptionalLong;

/**
 * How full a table of a switch is.
 *
 * @param rules of all applications
 * @param maxRules empty if it is unknown
 */
public record TableUse(long rules, OptionalLong maxRules) {
  /** Whether at least this share of the max is used; false if the max is unknown. */
  boolean isAtLeast(int percent) {
    return maxRules.isPresent() && rules * 100 >= maxRules.getAsLong() * percent;
  }
}
