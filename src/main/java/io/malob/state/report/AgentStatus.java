package io.malob.state.report;

/**
 * How an agent was last heard. Immutable.
 *
 * @param accepted how many of its reports counted since the controller's start
 * @param atNanos when the last one came, on the controller's steady clock
 * @param sequence its number; 0 if it was unsigned
 * @param clockSkewMillis the agent's clock less ours, the way of the report included; 0 if it was
 *     unsigned
 */
public record AgentStatus(long accepted, long atNanos, long sequence, long clockSkewMillis) {}
