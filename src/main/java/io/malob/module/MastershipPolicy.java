package io.malob.module;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** How the switches of a cluster are shared by its controllers. */
public enum MastershipPolicy {
  /** One controller is master of all switches that it can reach. */
  SINGLE,
  /** Each controller is master of some switches, by its weight. */
  SPREAD;

  /** The policy of a name; empty if there is none. */
  public static Optional<MastershipPolicy> named(String name) {
    return Arrays.stream(values()).filter(each -> each.label().equals(name)).findFirst();
  }

  /** Its name in settings, in REST and in etcd. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
