package io.malob.monitor;

import org.jspecify.annotations.Nullable;

/**
 * The state of a switch's port statistics, since it has become active. Immutable.
 *
 * @param answers how often it has answered
 * @param failures how often it rejected the request, or did not answer in time
 * @param skipped how often a poll was skipped because an answer was pending
 * @param answeredNanos when it answered last, on the steady clock; null if never
 */
public record PollingStats(
    long answers, long failures, long skipped, @Nullable Long answeredNanos) {

  public static final PollingStats NONE = new PollingStats(0, 0, 0, null);

  PollingStats answered(long atNanos) {
    return new PollingStats(answers + 1, failures, skipped, atNanos);
  }

  PollingStats failed() {
    return new PollingStats(answers, failures + 1, skipped, answeredNanos);
  }

  PollingStats leftOut() {
    return new PollingStats(answers, failures, skipped + 1, answeredNanos);
  }
}
