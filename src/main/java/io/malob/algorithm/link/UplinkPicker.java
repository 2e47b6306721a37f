package io.malob.algorithm.link;

import java.util.List;

/** Chooses the uplink of each new flow. Used by one thread at a time. */
public interface UplinkPicker {
  /**
   * Chooses for one flow, which is then placed there.
   *
   * @param usable the uplinks that can carry flows now, at least one, in the order of their numbers
   * @return one of them
   */
  UplinkLoad pick(List<UplinkLoad> usable);
}
