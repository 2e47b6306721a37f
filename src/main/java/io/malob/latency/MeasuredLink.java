package io.malob.latency;

import io.malob.algorithm.estimate.LatencyEstimator;
import io.malob.algorithm.graph.DirectedLink;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * One direction of a link, with its estimator, which only the thread of the schedule uses.
 *
 * @param first the switch that sends
 * @param second the switch that receives
 */
record MeasuredLink(
    DirectedLink link, MeasuredSwitch first, MeasuredSwitch second, LatencyEstimator estimator)
    implements Target {

  @Override
  public DatapathId sender() {
    return link.src();
  }

  @Override
  public OFPort senderPort() {
    return link.srcPort();
  }

  @Override
  public ControlMethod method() {
    return ControlMethod.PACKET;
  }

  @Override
  public boolean isReceiver(DatapathId switchId, OFPort port) {
    return link.dst().equals(switchId) && link.dstPort().equals(port);
  }
}
