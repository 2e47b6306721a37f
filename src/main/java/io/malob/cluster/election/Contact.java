package io.malob.cluster.election;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where others reach a controller.
 *
 * @param rest its REST interface, as in {@code 10.0.0.1:8080}; empty if not known
 * @param peer its {@link PeerPort}, as {@code HOST:PORT/TOKEN}; empty if it has none
 */
public record Contact(String rest, String peer) {
  private static final Pattern PEER = Pattern.compile("(.+):([0-9]{1,5})/([0-9a-f]{32})");

  /** An open port of a controller's process, and the token that tells it from any other. */
  record Peer(String host, int port, String token) {}

  /** The port of a peer, if it has one. */
  Optional<Peer> parsedPeer() {
    Matcher parts = PEER.matcher(peer);
    return parts.matches()
        ? Optional.of(new Peer(parts.group(1), Integer.parseInt(parts.group(2)), parts.group(3)))
        : Optional.empty();
  }
}
