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

/** The rules that hand packets to the hosts of a switch, table {@link FlowLayout#HOSTS}. Pure. */
public final class HostRules {
  private HostRules() {}

  /**
   * The rules of one host: by address to its MAC and port, and the same back out of the port that
   * the packet came in from, which a switch does only when told so. They end, and say so, when they
   * have not been used for a while.
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

  /** Takes the rules of a host away that was attached to that port. */
  public static List<OFMessage> remove(OFFactory factory, IPAddress<?> address, OFPort port) {
    return ImmutableList.of(
        removeRule(factory, FlowLayout.PRIORITY_ENTRY, IpFamily.matchTo(factory, address).build()),
        removeSamePort(factory, address, port));
  }

  /** Takes away the rule for packets that come in by that port, which is the host's no more. */
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
