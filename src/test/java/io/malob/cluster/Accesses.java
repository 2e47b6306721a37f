package io.malob.cluster;

import com.google.common.collect.ImmutableList;
import io.malob.cluster.etcd.EtcdAccess;
import java.net.URI;
import java.util.Optional;

/** Access to servers of etcd for tests. */
public final class Accesses {
  private Accesses() {}

  /** Without TLS and users. */
  public static EtcdAccess to(String prefix, URI... servers) {
    return new EtcdAccess(
        ImmutableList.copyOf(servers),
        prefix,
        EtcdAccess.TIMEOUT,
        Optional.empty(),
        Optional.empty());
  }
}
