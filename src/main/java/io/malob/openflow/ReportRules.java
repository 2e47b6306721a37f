package io.malob.openflow;

import com.google.common.collect.ImmutableList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFMeterFlags;
import org.projectfloodlight.openflow.protocol.OFMeterMod;
import org.projectfloodlight.openflow.protocol.OFMeterModCommand;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.protocol.meterband.OFMeterBand;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U64;

/**
 * The rules that send agents' reports from the first switch to the controller, and the meter that
 * limits their rate. Pure.
 */
public final class ReportRules {
  /** The meter's number, the same as the port that reports are sent to. */
  private static final long METER = 9_876;

  private ReportRules() {}

  /** Whether this version of OpenFlow has meters as these rules use them: 1.3 and 1.4. */
  public static boolean canMeter(OFFactory factory) {
    return factory.getVersion().compareTo(OFVersion.OF_13) >= 0
        && factory.getVersion().compareTo(OFVersion.OF_15) < 0;
  }

  /**
   * Replaces the meter: the rules that used the former one are deleted with it, so the rules must
   * follow. Switches without meters answer with an error.
   */
  public static List<OFMessage> meter(OFFactory factory, int packetsPerSecond) {
    List<OFMeterBand> bands =
        List.of(
            factory
                .meterBands()
                .buildDrop()
                .setRate(packetsPerSecond)
                .setBurstSize(packetsPerSecond)
                .build());
    OFMeterMod.Builder add =
        factory
            .buildMeterMod()
            .setCommand(OFMeterModCommand.ADD)
            .setMeterId(METER)
            .setFlags(Set.of(OFMeterFlags.PKTPS, OFMeterFlags.BURST));
    OFMeterMod.Builder delete =
        factory.buildMeterMod().setCommand(OFMeterModCommand.DELETE).setMeterId(METER);
    if (factory.getVersion() == OFVersion.OF_13) {
      add.setMeters(bands);
      delete.setMeters(List.of());
    } else {
      add.setBands(bands);
      delete.setBands(List.of());
    }
    return ImmutableList.of(delete.build(), add.build());
  }

  /**
   * Sends UDP to that port of these addresses, and ARP for them, to the controller. No effect if
   * the rules exist.
   *
   * @param metered whether through the meter, which must exist then
   */
  public static List<OFMessage> rules(
      OFFactory factory, Collection<? extends IPAddress<?>> addresses, int port, boolean metered) {
    ImmutableList.Builder<OFMessage> rules = ImmutableList.builder();
    for (IPAddress<?> address : addresses) {
      rules.add(rule(factory, reports(factory, address, port), metered));
      rules.add(rule(factory, IpFamily.matchWhoHas(factory, address).build(), metered));
    }
    return rules.build();
  }

  private static OFFlowAdd rule(OFFactory factory, Match match, boolean metered) {
    RuleKey rule = new RuleKey(FlowLayout.CLASSIFY, FlowLayout.PRIORITY_REPORT, match);
    U64 cookie = Cookie.of(CookieKind.REPORT, 0);
    OFInstruction toController = SwitchRules.toController(factory);
    return metered
        ? rule.add(factory, cookie, factory.instructions().meter(METER), toController).build()
        : rule.add(factory, cookie, toController).build();
  }

  private static Match reports(OFFactory factory, IPAddress<?> address, int port) {
    return IpFamily.matchTo(factory, address)
        .setExact(MatchField.IP_PROTO, IpProtocol.UDP)
        .setExact(MatchField.UDP_DST, TransportPort.of(port))
        .build();
  }
}
