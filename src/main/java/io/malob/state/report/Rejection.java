package io.malob.state.report;

import java.util.Locale;

/** Why a report, or a part of it, was dropped. */
public enum Rejection {
  /** More reports from one address than its limit. */
  RATE_LIMITED,
  /** Too many reports are queued. */
  OVERLOADED,
  OVERSIZED,
  /** Malformed, or in another version of the format. */
  MALFORMED,
  /** No agent with that id, or at that address. */
  UNKNOWN_AGENT,
  /** From an address that is not the agent's own. */
  WRONG_ADDRESS,
  /** Without a signature, although one is required. */
  UNSIGNED,
  WRONG_SIGNATURE,
  /** Of links from a server's agent, or the other way round. */
  WRONG_KIND,
  /** An impossible value, like a CPU utilization of 7.3. */
  ABSURD,
  /** Accepted before, or older than an accepted report. */
  REPLAYED,
  /** Delayed in transit. */
  STALE,
  /** About a neighbour without a link. */
  UNKNOWN_LINK,
  /** About a neighbour with several links. */
  AMBIGUOUS_LINK;

  /** The name in logs and JSON. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
