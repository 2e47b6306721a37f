package io.malob.testing;

import io.malob.openflow.tracked.Nat;
import java.math.BigInteger;
import java.util.Optional;
import java.util.function.Predicate;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;

/**
 * Chooses to what a new connection is translated, as {@code nat_get_unique_tuple} of Open vSwitch
 * 3.1 does: if packets back would look like those of another connection, the client gets another
 * source port, also with a translation of the destination. Where Open vSwitch goes on at random
 * after 128 ports, this goes on in order. Pure.
 */
final class TupleSearch {
  private final ConntrackTuple original;
  private final Nat.Range range;
  private final Predicate<ConntrackTuple> isTaken;

  private TupleSearch(ConntrackTuple original, Nat.Range range, Predicate<ConntrackTuple> isTaken) {
    this.original = original;
    this.range = range;
    this.isTaken = isTaken;
  }

  /** The tuple of packets back; empty if all are taken. */
  static Optional<ConntrackTuple> reply(
      ConntrackTuple original, Nat.Range range, Predicate<ConntrackTuple> isTaken) {
    TupleSearch search = new TupleSearch(original, range, isTaken);
    return range.end() == Nat.End.SOURCE ? search.source() : search.destination();
  }

  private Optional<ConntrackTuple> source() {
    IPAddress<?> address = address();
    ConntrackTuple wanted = original.reversed().to(address, original.srcPort());
    return range.firstPort() == Nat.SAME_PORT
        ? withFreeClientPort(wanted)
        : withClientPort(wanted, startPort(), range.firstPort(), range.lastPort());
  }

  private Optional<ConntrackTuple> destination() {
    IPAddress<?> address = address();
    if (range.firstPort() == Nat.SAME_PORT) {
      return withFreeClientPort(original.reversed().from(address, original.dstPort()));
    }
    int count = range.lastPort() - range.firstPort() + 1;
    ConntrackTuple wanted = original.reversed().from(address, startPort());
    for (int i = 0; i < count; i++) {
      int port = range.firstPort() + (startPort() - range.firstPort() + i) % count;
      ConntrackTuple candidate = original.reversed().from(address, port);
      if (!isTaken.test(candidate)) {
        return Optional.of(candidate);
      }
    }
    return withFreeClientPort(wanted);
  }

  /** Well-known ports remain such. */
  private Optional<ConntrackTuple> withFreeClientPort(ConntrackTuple wanted) {
    int port = original.srcPort();
    int min = port < 512 ? 1 : port < 1024 ? 600 : 1024;
    int max = port < 512 ? 511 : port < 1024 ? 1023 : 65535;
    return withClientPort(wanted, port, min, max);
  }

  private Optional<ConntrackTuple> withClientPort(
      ConntrackTuple wanted, int start, int min, int max) {
    for (int i = 0, port = start; i <= max - min; i++) {
      ConntrackTuple candidate = wanted.to(wanted.dst(), port);
      if (!isTaken.test(candidate)) {
        return Optional.of(candidate);
      }
      port = port >= max || port < min ? min : port + 1;
    }
    return Optional.empty();
  }

  private int startPort() {
    return range.firstPort()
        + Math.floorMod(original.hashCode(), range.lastPort() - range.firstPort() + 1);
  }

  private IPAddress<?> address() {
    BigInteger first = new BigInteger(1, range.first().getBytes());
    BigInteger count =
        new BigInteger(1, range.last().getBytes()).subtract(first).add(BigInteger.ONE);
    byte[] chosen =
        first.add(BigInteger.valueOf(original.src().hashCode()).mod(count)).toByteArray();
    byte[] bytes = new byte[range.first().getBytes().length];
    int length = Math.min(bytes.length, chosen.length); // there may be a byte for the sign
    System.arraycopy(chosen, chosen.length - length, bytes, bytes.length - length, length);
    return bytes.length == 4 ? IPv4Address.of(bytes) : IPv6Address.of(bytes);
  }
}
