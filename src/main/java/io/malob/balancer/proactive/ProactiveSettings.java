package io.malob.balancer.proactive;

import com.google.common.collect.ImmutableList;
import io.malob.balancer.bucket.Buckets;
import io.malob.module.Setting;
import io.malob.module.SettingReader;
import io.malob.module.WrongSettingException;
import io.malob.openflow.bucket.BucketSource;

/**
 * The settings of proactive placement, in seconds and numbers of connections.
 *
 * @param move the time that a bucket takes to move
 * @param hold the time that a bucket rests after a move
 * @param pin the idle timeout of connections that stay on the member before
 * @param autoPerSecond the new connections per second from which automatic VIPs are proactive
 * @param autoHalfOpen the half-open connections from which they are
 * @param autoCalm the time below half of both after which they are reactive again
 * @param preferred the part of packets that chooses a bucket at switches that accept masks on it
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

  private static final Setting<Integer> MOVE_SECONDS =
      Setting.number("bucketMoveSeconds", 30, 2, MAX_SECONDS)
          .describedAs(
              "How long in seconds a bucket of a proactive VIP moves from one member to another;"
                  + " connections that are to stay on their member must send a packet meanwhile.");
  private static final Setting<Integer> HOLD_SECONDS =
      Setting.number("bucketHoldSeconds", 10, 0, MAX_SECONDS)
          .describedAs("How long in seconds a bucket rests after a move.");
  private static final Setting<Integer> PIN_SECONDS =
      Setting.number("bucketPinSeconds", 600, 10, 65_000)
          .describedAs(
              "The idle timeout in seconds of connections that stay on the member before.");
  private static final Setting<Integer> AUTO_PER_SECOND =
      Setting.number("autoPerSecond", 1_000, 1, Integer.MAX_VALUE)
          .describedAs(
              "The new connections per second from which buckets place those of a VIP with"
                  + " placement tracked or auto.");
  private static final Setting<Integer> AUTO_HALF_OPEN =
      Setting.number("autoHalfOpen", 5_000, 1, Integer.MAX_VALUE)
          .describedAs(
              "The half-open connections from which a VIP with placement auto is proactive where"
                  + " switches do not track connections.");
  private static final Setting<Integer> AUTO_CALM_SECONDS =
      Setting.number("autoCalmSeconds", 30, 1, MAX_SECONDS)
          .describedAs(
              "How many seconds both must be below half of that until the controller chooses"
                  + " again.");
  private static final Setting<BucketSource> BUCKET_SOURCE =
      Setting.choice("bucketSource", BucketSource.class, "port")
          .describedAs(
              "The part of clients' packets that chooses a bucket; a switch that cannot mask"
                  + " ports takes the address.");

  /** All of them. */
  public static final ImmutableList<Setting<?>> ALL =
      ImmutableList.of(
          MOVE_SECONDS,
          HOLD_SECONDS,
          PIN_SECONDS,
          AUTO_PER_SECOND,
          AUTO_HALF_OPEN,
          AUTO_CALM_SECONDS,
          BUCKET_SOURCE);

  /** Reads the settings. */
  public static ProactiveSettings read(SettingReader settings) throws WrongSettingException {
    return new ProactiveSettings(
        settings.get(MOVE_SECONDS),
        settings.get(HOLD_SECONDS),
        settings.get(PIN_SECONDS),
        settings.get(AUTO_PER_SECOND),
        settings.get(AUTO_HALF_OPEN),
        settings.get(AUTO_CALM_SECONDS),
        settings.get(BUCKET_SOURCE));
  }

  /** The times that packets depend on. */
  public Buckets.Timeouts timeouts(int udpIdleSeconds) {
    return new Buckets.Timeouts(move, hold, pin, udpIdleSeconds);
  }
}
