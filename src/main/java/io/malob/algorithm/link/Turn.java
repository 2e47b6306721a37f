package io.malob.algorithm.link;

import java.util.List;

/** Whose turn it is, by number. Uplinks may come and go between two turns. For one thread. */
final class Turn {
  private int last;

  /** The next of these after the one whose turn was last; the first again after the last. */
  UplinkLoad next(List<UplinkLoad> candidates) {
    UplinkLoad chosen =
        candidates.stream()
            .filter(each -> each.number() > last)
            .findFirst()
            .orElse(candidates.get(0));
    last = chosen.number();
    return chosen;
  }
}
