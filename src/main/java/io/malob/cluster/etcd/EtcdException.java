package io.malob.cluster.etcd;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** etcd is unreachable, has no quorum, or has refused a request; the message is for users. */
public final class EtcdException extends IOException {
  private static final long serialVersionUID = 1L;

  private final boolean isRefused;
  private final boolean isFull;

  public EtcdException(String message, @Nullable Throwable cause) {
    this(message, cause, false, false);
  }

  private EtcdException(
      String message, @Nullable Throwable cause, boolean isRefused, boolean isFull) {
    super(message, cause);
    this.isRefused = isRefused;
    this.isFull = isFull;
  }

  /** A request that had no effect, and would be refused again. */
  static EtcdException refused(String why) {
    return new EtcdException("etcd refused the request: " + why, null, true, false);
  }

  /** A change that had no effect, because of etcd's quota. */
  static EtcdException full() {
    return new EtcdException(
        "etcd's database has reached its quota, and takes no changes (NOSPACE)", null, false, true);
  }

  /** Whether etcd has refused the request, so that it is no use to repeat it. */
  public boolean isRefused() {
    return isRefused;
  }

  /** Whether the request had no effect because etcd's database is full. */
  public boolean isFull() {
    return isFull;
  }
}
