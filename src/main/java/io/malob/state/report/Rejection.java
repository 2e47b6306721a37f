package io.malob.state.report;

import java.util.Locale;

/** Why a report, or a part of it, was dropped. */
public enum Rejection {
  /** More reports from one address than it may send. */
  RATE_LIMITED,
  /** More reports wait than are kept. */
  OVERLOADED,
  OVERSIZED,
  /** Not of the format, or of another version of it. */
  MALFORMED,
  /** No agent of that name, or at that address. */
  UNKNOWN_AGENT,
  /** From an address that is not the agent's own. */
  WRONG_ADDRESS,
  /** Without a signature, which is not allowed. */
  UNSIGNED,
  WRONG_SIGNATURE,
  /** Of links from a server's agent, or the other way round. */
  WRONG_KIND,
  /** A value that cannot be, like a CPU use of 7.3. */
  ABSURD,
  /** Accepted before, or older than an accepted report. */
  REPLAYED,
  /** Held back on its way. */
  STALE,
  /** About a neighbour that no link leads to. */
  UNKNOWN_LINK,
  /** About a neighbour that more than one link leads to. */
  AMBIGUOUS_LINK;

  /** The name in logs and JSON. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
