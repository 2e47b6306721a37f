package io.malob.controller.access;

import java.util.Arrays;
import java.util.Optional;

/** The permissions of a principal of the REST interface. */
public enum Role {
  /** GET and HEAD: the state, the page, metrics. */
  READ_ONLY("read-only"),
  /** Everything. */
  ADMIN("admin");

  private final String label;

  Role(String label) {
    this.label = label;
  }

  /** Its name in files and logs. */
  public String label() {
    return label;
  }

  /** The role of this name; empty if there is none. */
  public static Optional<Role> named(String label) {
    return Arrays.stream(values()).filter(role -> role.label.equals(label)).findFirst();
  }
}
