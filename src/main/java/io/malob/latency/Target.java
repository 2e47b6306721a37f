package io.malob.latency;

import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** What probes measure. */
sealed interface Target permits MeasuredLink, MeasuredSwitch {
  /** The switch that probes are sent to. */
  DatapathId sender();

  /** The port that it puts them out at. */
  OFPort senderPort();

  /** Whether this is where they come back from. */
  boolean isReceiver(DatapathId switchId, OFPort port);
}
