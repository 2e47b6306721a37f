package io.malob.cluster.etcd;

import com.google.common.collect.ImmutableList;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/**
 * Where a cluster's etcd is, and how to be let in. Immutable.
 *
 * @param endpoints its servers, as {@code http://HOST:PORT} or {@code https://HOST:PORT}; at least
 *     one
 * @param prefix the beginning of all keys of this cluster, such as {@code /malob/}
 * @param timeout how long a call waits for an answer, all servers together
 * @param tls for https, as it is now; empty: the authorities that Java knows, and no certificate of
 *     our own
 * @param login if etcd has users
 */
public record EtcdAccess(
    ImmutableList<URI> endpoints,
    String prefix,
    Duration timeout,
    Optional<Supplier<SSLContext>> tls,
    Optional<Login> login) {

  /** The time to wait for an answer unless set otherwise. */
  public static final Duration TIMEOUT = Duration.ofSeconds(2);

  /** A user and its password, which is never shown. */
  public record Login(String user, String password) {
    @Override
    public String toString() {
      return user;
    }
  }

  /** The servers, for messages. */
  public String shown() {
    return String.join(",", endpoints.stream().map(URI::toString).toList());
  }
}
