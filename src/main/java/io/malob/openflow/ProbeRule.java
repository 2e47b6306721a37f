package io.malob.openflow;

import java.util.List;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TransportPort;

/**
 * A rule that keeps the probes of link agents on the link that they measure, independent of other
 * rules. It expires unless it is sent again, so that none is left after a failure. Immutable.
 *
 * @param tcpPort of the probe's server
 * @param out where the packets leave the switch
 */
public record ProbeRule(Flow flow, int tcpPort, OFPort out) implements Rule {
  /** The timeout of a rule that is not sent again, in seconds. */
  public static final int LIFE_SECONDS = 100;

  /**
   * The packets of one direction of the probes between two nodes.
   *
   * @param src the node that sends them
   * @param dst the node that they are for
   * @param toServer whether the packets go to the server of the probe
   */
  public record Flow(IPAddress<?> src, IPAddress<?> dst, boolean toServer) {}

  @Override
  public Object key() {
    return flow;
  }

  @Override
  public List<OFMessage> add(OFFactory factory) {
    return List.of(
        rule(factory)
            .add(factory, Cookie.of(CookieKind.PROBE, 0), SwitchRules.forward(factory, out))
            .setHardTimeout(LIFE_SECONDS)
            .build());
  }

  @Override
  public List<OFMessage> remove(OFFactory factory) {
    return List.of(rule(factory).delete(factory));
  }

  private RuleKey rule(OFFactory factory) {
    return new RuleKey(
        FlowLayout.CLASSIFY,
        FlowLayout.PRIORITY_PROBE,
        IpFamily.matchBetween(factory, IpProtocol.TCP, flow.src, flow.dst)
            .setExact(
                flow.toServer ? MatchField.TCP_DST : MatchField.TCP_SRC, TransportPort.of(tcpPort))
            .build());
  }
}
