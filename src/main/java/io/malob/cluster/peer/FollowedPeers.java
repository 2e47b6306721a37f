package io.malob.cluster.peer;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.net.InetAddresses;
import java.net.InetAddress;
import java.util.Optional;
import java.util.Set;

/**
 * The processes of other controllers that etcd names. Immutable.
 *
 * @param tokens their tokens, by the controllers' names
 * @param hosts their addresses
 */
record FollowedPeers(ImmutableMap<String, String> tokens, ImmutableSet<InetAddress> hosts) {
  static final FollowedPeers NONE = of(Set.of());

  static FollowedPeers of(Set<PeerAddress> peers) {
    return new FollowedPeers(
        peers.stream()
            .collect(
                ImmutableMap.toImmutableMap(PeerAddress::name, PeerAddress::token, (a, b) -> b)),
        peers.stream()
            .map(PeerAddress::host)
            .filter(InetAddresses::isInetAddress)
            .map(InetAddresses::forString)
            .collect(ImmutableSet.toImmutableSet()));
  }

  /** The name of a process among those of all controllers. */
  static String process(String peer, String token) {
    return peer + "/" + token;
  }

  /** The process that etcd names for a controller. */
  Optional<String> processOf(String peer) {
    return Optional.ofNullable(tokens.get(peer)).map(token -> process(peer, token));
  }

  /** Whether the other side of a connection is a process that etcd names. */
  boolean contains(PeerChannel connection) {
    return connection.token().equals(tokens.get(connection.peer()));
  }
}
