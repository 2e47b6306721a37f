package io.malob.cluster.etcd;

import io.malob.json.JsonInput;
import java.net.URI;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How full the database of one of etcd's servers is.
 *
 * @param bytes the size of its file, which the quota limits
 * @param quota at which etcd takes no changes; without a limit {@link Long#MAX_VALUE}
 * @param isFull whether it has raised the alarm NOSPACE, which an operator must end
 */
public record EtcdSpace(URI server, long bytes, long quota, boolean isFull) {
  /** etcd's default, if the server does not name it. */
  private static final long DEFAULT_QUOTA = 2L << 30;

  private static final Pattern QUOTA =
      Pattern.compile("(?m)^etcd_server_quota_backend_bytes ([-+0-9.eE]+)$");

  /** The share of the quota that is used, in percent; 100 if it is full. */
  public long percent() {
    return isFull ? 100 : Math.min(100, bytes * 100 / quota);
  }

  /**
   * Reads the answers of a server; empty if they are not etcd's.
   *
   * @param status of its gateway's maintenance interface
   * @param metrics which may be empty
   */
  static Optional<EtcdSpace> of(URI server, byte[] status, String metrics) {
    try {
      JsonInput<EtcdException> answer = EtcdMessages.parse(status);
      boolean isFull = false;
      for (JsonInput<EtcdException> error : EtcdMessages.elements(answer.get("errors"))) {
        isFull |= error.text().contains("NOSPACE");
      }
      if (!answer.get("dbSize").isThere()) {
        return Optional.empty();
      }
      long bytes = EtcdMessages.number(answer.get("dbSize"));
      return Optional.of(new EtcdSpace(server, bytes, quota(answer, metrics), isFull));
    } catch (EtcdException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** Version 3.6 has it in the status, earlier ones in their metrics. */
  private static long quota(JsonInput<EtcdException> status, String metrics) throws EtcdException {
    Matcher found = QUOTA.matcher(metrics);
    long named = EtcdMessages.number(status.get("dbSizeQuota"));
    if (named == 0) {
      named = found.find() ? (long) Double.parseDouble(found.group(1)) : DEFAULT_QUOTA;
    }
    return named > 0 ? named : Long.MAX_VALUE;
  }
}
