package io.malob.latency;

import java.util.List;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Targets whose probes are sent to one switch in one write: one system call and one wake-up of the
 * connection's thread for all of them, and for their answers where they come back together.
 *
 * <p>Each probe takes its own time when it is written, and the switch answers the echo, which is
 * the first, before it looks at the packets. What one packet costs the switch delays those behind
 * it, by some tens of microseconds each: so not more than {@link #MAX_TARGETS} go together, and
 * what is left of a delay is below the noise of a control round trip.
 */
record ProbeGroup(DatapathId sender, List<Target> targets) {
  static final int MAX_TARGETS = 8;
}
