package io.malob.state.network;

/**
 * The values that agents measure on servers, besides connections. Reports are parsed by this list,
 * and REST and the page's stream show all of it. Values that algorithms use are also in {@link
 * io.malob.algorithm.ServerLoad}.
 */
public enum ServerValue {
  /** CPU utilization over the agent's last interval, from 0 to 1. */
  CPU("cpu", 1, 1, 1),
  /** The response time of its service, measured by the agent, in nanoseconds. */
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

  /** The factor from the field's unit to the internal unit. */
  public double unit() {
    return unit;
  }

  /** The factor from the metric's unit to the internal unit. */
  public double metricUnit() {
    return metricUnit;
  }

  /** The max plausible value of the field; the min is 0. */
  public double max() {
    return max;
  }

  /** Converts a value of the field to the internal unit; whole if that is smaller. */
  public double ofField(double value) {
    return unit == 1 ? value : Math.rint(value * unit);
  }
}
