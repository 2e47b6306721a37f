package io.malob.balancer.connection;

import io.malob.algorithm.FiveTuple;
import java.security.SecureRandom;

/**
 * Hashes of five-tuples, of 32 bits. The factors are odd.
 *
 * <p>Multiply-shift hashing (Dietzfelbinger et al., "A reliable randomized algorithm for the
 * closest-pair problem", 1997, section 2.2): the upper bits of a product. With secret factors, no
 * client can choose ports or addresses that make one chain long. The ports of a client and the
 * addresses of a network are arithmetic progressions, and one product keeps them so: with unlucky
 * factors, it would put them into a few buckets. The second product breaks the progressions.
 */
record TupleHash(long addressFactor, long portFactor, long mixFactor) {
  /** That of this process. */
  static final TupleHash SECRET = secret(new SecureRandom());

  private static TupleHash secret(SecureRandom random) {
    return new TupleHash(random.nextLong() | 1, random.nextLong() | 1, random.nextLong() | 1);
  }

  /** The hash of a five-tuple. */
  int of(FiveTuple tuple) {
    return mixed(tuple.addresses() * addressFactor + tuple.protocolAndPorts() * portFactor);
  }

  /** The hash of the client's side of a five-tuple: an address, a port and the protocol. */
  int ofClient(int address, int port, int protocol) {
    return mixed(address * addressFactor + ((long) protocol << Short.SIZE | port) * portFactor);
  }

  private int mixed(long product) {
    return (int) (((product ^ product >>> Integer.SIZE) * mixFactor) >>> Integer.SIZE);
  }
}
