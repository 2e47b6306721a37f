package io.malob.state.network;

/**
 * What agents measure of servers, besides their connections. Reports are read by this list, and
 * REST and the page's stream tell all of it. What an algorithm goes by, {@link
 * io.malob.algorithm.ServerLoad} takes over, too.
 */
public enum ServerValue {
  /** Use of its processors over the agent's last interval, from 0 to 1. */
  CPU("cpu", 1, 1, 1),
  /** How long its service takes to answer, as the agent has tried it, in nanoseconds. */
  RESPONSE("response_ms", 1e6, 1e9, 600_000);

  private final String field;
  private final double unit;
  private final double metricUnit;
  private final double max;

  ServerValue(String field, double unit, double metricUnit, double max) {
    this.field = field;
    this.unit = unit;
    this.metricUnit = metricUnit;
    this.max = max;
  }

  /** Its name in reports and in REST, with the unit there. */
  public String field() {
    return field;
  }

  /** What one of the field is in the unit that is calculated with. */
  public double unit() {
    return unit;
  }

  /** What one of its metric is in the unit that is calculated with. */
  public double metricUnit() {
    return metricUnit;
  }

  /** The largest value of the field that is believed; the smallest is 0. */
  public double max() {
    return max;
  }

  /** What a value of the field is in the unit that is calculated with; whole if that is smaller. */
  public double ofField(double value) {
    return unit == 1 ? value : Math.rint(value * unit);
  }
}
