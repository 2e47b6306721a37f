package io.malob.latency;

import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** What probes measure. */
sealed interface Target permits MeasuredLink, MeasuredSwitch {
  /** The switch that probes are sent to. */
  DatapathId sender();

  /** The port that it sends them from. */
  OFPort senderPort();

  /** The method of its next probe. */
  ControlMethod method();

  /** Whether probes return from this port. */
  boolean isReceiver(DatapathId switchId, OFPort port);
}
