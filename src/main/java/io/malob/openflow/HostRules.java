package io.malob.openflow;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Attachment;
import java.util.List;
import java.util.Set;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowModFlags;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The rules that deliver packets to the hosts of a switch, table {@link FlowLayout#HOSTS}. Pure.
 */
public final class HostRules {
  private HostRules() {}

  /**
   * The rules of one host: by address to its MAC and port, and the same out of the ingress port,
   * which needs a rule of its own. They have an idle timeout, and the switch reports their end.
   */
  public static List<OFMessage> add(
      OFFactory factory, IPAddress<?> address, Attachment at, int idleSeconds) {
    Match anyPort = IpFamily.matchTo(factory, address).build();
    Match samePort =
        IpFamily.matchTo(factory, address).setExact(MatchField.IN_PORT, at.port()).build();
    return ImmutableList.of(
        rule(factory, FlowLayout.PRIORITY_ENTRY, anyPort, at, at.port(), idleSeconds),
        rule(factory, FlowLayout.PRIORITY_SAME_PORT, samePort, at, OFPort.IN_PORT, idleSeconds));
  }

  /** Deletes the rules of a host that was attached to that port. */
  public static List<OFMessage> remove(OFFactory factory, IPAddress<?> address, OFPort port) {
    return ImmutableList.of(
        removeRule(factory, FlowLayout.PRIORITY_ENTRY, IpFamily.matchTo(factory, address).build()),
        removeSamePort(factory, address, port));
  }

  /** Deletes the rule for packets from that port, which is no longer the host's. */
  public static OFMessage removeSamePort(OFFactory factory, IPAddress<?> address, OFPort port) {
    return removeRule(
        factory,
        FlowLayout.PRIORITY_SAME_PORT,
        IpFamily.matchTo(factory, address).setExact(MatchField.IN_PORT, port).build());
  }

  private static OFMessage removeRule(OFFactory factory, int priority, Match match) {
    return factory
        .buildFlowDeleteStrict()
        .setTableId(FlowLayout.HOSTS)
        .setPriority(priority)
        .setOutPort(OFPort.ANY)
        .setMatch(match)
        .build();
  }

  private static OFMessage rule(
      OFFactory factory, int priority, Match match, Attachment at, OFPort out, int idleSeconds) {
    return factory
        .buildFlowAdd()
        .setTableId(FlowLayout.HOSTS)
        .setPriority(priority)
        .setCookie(Cookie.of(Cookie.Kind.HOST, 0))
        .setMatch(match)
        .setIdleTimeout(idleSeconds)
        .setFlags(Set.of(OFFlowModFlags.SEND_FLOW_REM))
        .setInstructions(
            List.of(
                factory
                    .instructions()
                    .applyActions(
                        List.of(
                            factory.actions().setField(factory.oxms().ethDst(at.mac())),
                            factory.actions().output(out, Integer.MAX_VALUE)))))
        .build();
  }
}
