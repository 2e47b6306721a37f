package io.malob.balancer.reroute;

import com.google.common.collect.ImmutableList;
import io.malob.module.Setting;
import io.malob.module.SettingReader;
import io.malob.module.WrongSettingException;
import java.util.concurrent.TimeUnit;

/**
 * The settings for rerouting long flows.
 *
 * @param pollNanos the interval between polls; 0 for no polls
 * @param bytes the bytes that a long flow must have carried
 * @param gain the factor by which the share on another path must be larger
 * @param movesPerSecond the max number of moves per second
 * @param maxRules the max number of rules of a switch that is polled
 */
public record LongFlowSettings(
    long pollNanos, long bytes, double gain, int movesPerSecond, int maxRules) {
  private static final Setting<Integer> POLL_SECONDS =
      Setting.number("elephantSeconds", 3, 0, 3_600)
          .describedAs(
              "The interval in seconds between two polls for long flows with high throughput,"
                  + " which are rerouted; 0: no polls.");
  private static final Setting<Integer> MEGABYTES =
      Setting.number("elephantMegabytes", 10, 1, 1_000_000)
          .describedAs(
              "The megabytes that a flow must have carried to be rerouted, or a tenth of its"
                  + " bottleneck in two polls.");
  private static final Setting<Integer> GAIN_PERCENT =
      Setting.number("moveGainPercent", 150, 101, 10_000)
          .describedAs(
              "The share that another path must offer to a long flow, in percent of the current"
                  + " one.");
  private static final Setting<Integer> MOVES_PER_SECOND =
      Setting.number("movesPerSecond", 5, 1, 1_000)
          .describedAs("The max number of long flows rerouted per second.");
  private static final Setting<Integer> MAX_RULES =
      Setting.number("elephantMaxRules", 5_000, 1, 1_000_000)
          .describedAs("The max number of connections of a switch that is polled for long flows.");

  /** All of them. */
  public static final ImmutableList<Setting<?>> ALL =
      ImmutableList.of(POLL_SECONDS, MEGABYTES, GAIN_PERCENT, MOVES_PER_SECOND, MAX_RULES);

  /** Reads the settings. */
  public static LongFlowSettings read(SettingReader settings) throws WrongSettingException {
    return new LongFlowSettings(
        TimeUnit.SECONDS.toNanos(settings.get(POLL_SECONDS)),
        settings.get(MEGABYTES) * 1_000_000L,
        settings.get(GAIN_PERCENT) / 100.0,
        settings.get(MOVES_PER_SECOND),
        settings.get(MAX_RULES));
  }
}
