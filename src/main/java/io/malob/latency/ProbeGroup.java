package io.malob.latency;

import java.util.List;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Targets whose probes are sent to one switch in one write: one system call and one activation of
 * the connection's thread for all of them, and for their answers if they arrive together.
 *
 * <p>Each probe takes its own time when it is written, and the switch answers the echo, which is
 * the first, before it handles the packets. Each packet delays those behind it by some tens of
 * microseconds in the switch: so max {@link #MAX_TARGETS} are sent together, and the remaining
 * delay is below the noise of a control round trip.
 */
record ProbeGroup(DatapathId sender, List<Target> targets) {
  static final int MAX_TARGETS = 8;
}
