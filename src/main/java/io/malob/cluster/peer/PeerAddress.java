package io.malob.cluster.peer;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a controller's process can be reached.
 *
 * @param name of the controller
 * @param token tells the process from any other that may have the port later
 */
public record PeerAddress(String name, String host, int port, String token) {
  private static final Pattern CONTACT = Pattern.compile("(.+):([0-9]{1,5})/([0-9a-f]{32})");

  /** Reads {@code HOST:PORT/TOKEN}; empty if the text has another form. */
  public static Optional<PeerAddress> of(String name, String contact) {
    Matcher parts = CONTACT.matcher(contact);
    return parts.matches()
        ? Optional.of(
            new PeerAddress(name, parts.group(1), Integer.parseInt(parts.group(2)), parts.group(3)))
        : Optional.empty();
  }

  /** The text that {@link #of} reads. */
  String contact() {
    return host + ":" + port + "/" + token;
  }
}
