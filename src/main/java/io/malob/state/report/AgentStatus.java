package io.malob.state.report;

/**
 * The last report of an agent. Immutable.
 *
 * @param accepted how many of its reports were accepted since the controller's start
 * @param atNanos when the last one arrived, on the controller's steady clock
 * @param sequence its number; 0 if it was unsigned
 * @param clockSkewMillis the agent's clock minus the controller's, including the report's delay; 0
 *     if it was unsigned
 */
public record AgentStatus(long accepted, long atNanos, long sequence, long clockSkewMillis) {}
