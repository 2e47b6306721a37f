package io.malob.state.catalog;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the entry of a port in the services table. Immutable. */
final class ServiceIndex {
  private final LongTable<Service> byPort;
  private final Service otherwise;

  ServiceIndex(Collection<Service> services) {
    Map<Long, Service> ports = new HashMap<>();
    Service fallback = Service.defaultEntry();
    for (Service service : services) {
      Integer port = service.port();
      if (port == null) {
        fallback = service;
      } else {
        ports.put(key(service.protocol(), port), service);
      }
    }
    byPort = new LongTable<>(ports);
    otherwise = fallback;
  }

  Service find(Protocol protocol, int port) {
    Service service = byPort.get(key(protocol, port));
    if (service == null) {
      service = byPort.get(key(null, port));
    }
    return service == null ? otherwise : service;
  }

  boolean names(Protocol protocol, int port) {
    return byPort.get(key(protocol, port)) != null || byPort.get(key(null, port)) != null;
  }

  private static long key(@Nullable Protocol protocol, int port) {
    int protocolCode = protocol == null ? 0 : protocol.ipNumber();
    return ((long) protocolCode << 20) | port;
  }
}
