package io.malob.openflow;

import java.util.List;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TransportPort;

/**
 * The rules that keep the probes of link agents on the link that they measure. They expire unless
 * they are sent again, so that no rule is left after a failure. Pure.
 */
public final class ProbeRules {
  /** The timeout of a rule that is not sent again, in seconds. */
  public static final int LIFE_SECONDS = 100;

  private ProbeRules() {}

  /**
   * The packets of one direction of the probes between two nodes, at one switch.
   *
   * @param src the node that sends them
   * @param dst the node that they are for
   * @param toServer whether the packets go to the server of the probe
   */
  public record Flow(IPAddress<?> src, IPAddress<?> dst, boolean toServer) {}

  /**
   * Sends the packets out of a port, independent of other rules.
   *
   * @param tcpPort of the probe's server
   */
  public static OFMessage add(OFFactory factory, Flow flow, int tcpPort, OFPort out) {
    return rule(factory.buildFlowAdd(), factory, flow, tcpPort)
        .setHardTimeout(LIFE_SECONDS)
        .setInstructions(
            List.of(
                factory
                    .instructions()
                    .applyActions(List.of(factory.actions().output(out, Integer.MAX_VALUE)))))
        .build();
  }

  /** Takes that away. */
  public static OFMessage remove(OFFactory factory, Flow flow, int tcpPort) {
    return rule(factory.buildFlowDeleteStrict(), factory, flow, tcpPort).build();
  }

  private static OFFlowMod.Builder rule(
      OFFlowMod.Builder rule, OFFactory factory, Flow flow, int tcpPort) {
    return rule.setTableId(FlowLayout.CLASSIFY)
        .setPriority(FlowLayout.PRIORITY_PROBE)
        .setCookie(Cookie.of(Cookie.Kind.PROBE, 0))
        .setMatch(match(factory, flow, tcpPort));
  }

  private static Match match(OFFactory factory, Flow flow, int tcpPort) {
    return IpFamily.matchBetween(factory, IpProtocol.TCP, flow.src(), flow.dst())
        .setExact(
            flow.toServer() ? MatchField.TCP_DST : MatchField.TCP_SRC, TransportPort.of(tcpPort))
        .build();
  }
}
