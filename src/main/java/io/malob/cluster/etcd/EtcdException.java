package io.malob.cluster.etcd;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** etcd is unreachable, has no quorum, or has refused a request; the message is for users. */
public final class EtcdException extends IOException {
  private static final long serialVersionUID = 1L;

  private final boolean isRefused;

  public EtcdException(String message, @Nullable Throwable cause) {
    this(message, cause, false);
  }

  private EtcdException(String message, @Nullable Throwable cause, boolean isRefused) {
    super(message, cause);
    this.isRefused = isRefused;
  }

  /** A request that had no effect, and would be refused again. */
  static EtcdException refused(String why) {
    return new EtcdException("etcd refused the request: " + why, null, true);
  }

  /** Whether etcd has refused the request, so that it is no use to repeat it. */
  public boolean isRefused() {
    return isRefused;
  }
}
