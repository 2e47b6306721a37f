package io.malob.state.catalog;

import io.malob.algorithm.Algorithm;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the algorithm of a port in the services table. Immutable. */
final class ServiceIndex {
  private final LongTable<Algorithm> byPort;
  private final Algorithm otherwise;

  ServiceIndex(Collection<Service> services) {
    Map<Long, Algorithm> ports = new HashMap<>();
    Algorithm fallback = Algorithm.DEFAULT;
    for (Service service : services) {
      Integer port = service.port();
      if (port == null) {
        fallback = service.algorithm();
      } else {
        ports.put(key(service.protocol(), port), service.algorithm());
      }
    }
    byPort = new LongTable<>(ports);
    otherwise = fallback;
  }

  Algorithm find(Protocol protocol, int port) {
    Algorithm algorithm = byPort.get(key(protocol, port));
    if (algorithm == null) {
      algorithm = byPort.get(key(null, port));
    }
    return algorithm == null ? otherwise : algorithm;
  }

  boolean names(Protocol protocol, int port) {
    return byPort.get(key(protocol, port)) != null || byPort.get(key(null, port)) != null;
  }

  private static long key(@Nullable Protocol protocol, int port) {
    int protocolCode = protocol == null ? 0 : protocol.ipNumber();
    return ((long) protocolCode << 20) | port;
  }
}
