package io.malob.cluster.etcd;

import java.io.IOException;

/** etcd is unreachable, has no quorum, or has refused a request; the message is for users. */
public final class EtcdException extends IOException {
  private static final long serialVersionUID = 1L;

  public EtcdException(String message, Throwable cause) {
    super(message, cause);
  }
}
