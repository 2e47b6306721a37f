package io.malob.balancer.proactive;

import io.malob.balancer.bucket.Buckets;
import io.malob.module.SettingReader;
import io.malob.openflow.bucket.BucketSource;
import net.floodlightcontroller.core.module.FloodlightModuleException;

/**
 * The settings of proactive placement, in seconds and numbers of connections.
 *
 * @param move {@code bucketMoveSeconds}, the time that a bucket takes to move, in which connections
 *     that are to stay on their member must send a packet
 * @param hold {@code bucketHoldSeconds}, the time that a bucket rests after a move
 * @param pin {@code bucketPinSeconds}, the idle timeout of connections that stay on the member
 *     before
 * @param autoPerSecond {@code autoPerSecond}, the new connections per second from which automatic
 *     VIPs are proactive
 * @param autoHalfOpen {@code autoHalfOpen}, the half-open connections from which they are
 * @param autoCalm {@code autoCalmSeconds}, the time below half of both after which they are
 *     reactive again
 * @param preferred {@code bucketSource}, the part of packets that chooses a bucket at switches that
 *     accept masks on it, {@code port} or {@code address}
 */
public record ProactiveSettings(
    int move,
    int hold,
    int pin,
    int autoPerSecond,
    int autoHalfOpen,
    int autoCalm,
    BucketSource preferred) {
  private static final int MAX_SECONDS = 3_600;

  /** Reads the settings. */
  public static ProactiveSettings read(SettingReader settings) throws FloodlightModuleException {
    return new ProactiveSettings(
        settings.number("bucketMoveSeconds", 30, 2, MAX_SECONDS),
        settings.number("bucketHoldSeconds", 10, 0, MAX_SECONDS),
        settings.number("bucketPinSeconds", 600, 10, 65_000),
        settings.number("autoPerSecond", 1_000, 1, Integer.MAX_VALUE),
        settings.number("autoHalfOpen", 5_000, 1, Integer.MAX_VALUE),
        settings.number("autoCalmSeconds", 30, 1, MAX_SECONDS),
        source(settings.text("bucketSource", BucketSource.PORT.text())));
  }

  private static BucketSource source(String text) throws FloodlightModuleException {
    for (BucketSource source : BucketSource.values()) {
      if (source.text().equals(text)) {
        return source;
      }
    }
    throw new FloodlightModuleException(
        "The setting bucketSource is \"" + text + "\"; it must be port or address");
  }

  /** The times that packets depend on. */
  public Buckets.Timeouts timeouts(int udpIdleSeconds) {
    return new Buckets.Timeouts(move, hold, pin, udpIdleSeconds);
  }
}
