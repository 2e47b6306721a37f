package io.malob.openflow.bucket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Server;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.FoundRule;
import io.malob.openflow.FoundRules;
import io.malob.openflow.IpFamily;
import io.malob.openflow.TableLayout;
import io.malob.testing.Servers;
import io.malob.testing.Wire;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFMatchV3;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.protocol.oxm.OFOxm;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.TransportPort;

/** Rules as switches read them from the wire. */
class FragmentRulesTest {
  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);
  private static final short LATER = 44;

  private static BucketTraffic traffic(String vip) {
    return new BucketTraffic(8, IPAddress.of(vip), 0, IpProtocol.UDP, 53, 9);
  }

  private static Server member(String address, int number) {
    Server any = Servers.of(number, 1);
    return new Server(number, AddressKey.of(IPAddress.of(address)), 5300, 1, any.at(), any.load());
  }

  private static List<OFFlowAdd> all(String vip, String address) {
    BucketTraffic traffic = traffic(vip);
    Server member = member(address, 3);
    return Stream.of(
            FragmentRules.toVip(FACTORY, traffic.address(), 0, 9),
            FragmentRules.toClients(FACTORY, traffic.family(), 9),
            FragmentRules.open(FACTORY, traffic, List.of(member, member), List.of(member)),
            FragmentRules.ofMember(FACTORY, traffic, member))
        .flatMap(List::stream)
        .toList();
  }

  private static boolean isOfFragments(Match match) {
    boolean isLater = IpProtocol.of(LATER).equals(match.get(MatchField.IP_PROTO));
    TransportPort none = TransportPort.of(0);
    return isLater
        || match.isExact(MatchField.ICMPV6_TYPE)
        || (none.equals(match.get(MatchField.UDP_SRC))
            && none.equals(match.get(MatchField.UDP_DST)))
        || (none.equals(match.get(MatchField.TCP_SRC))
            && none.equals(match.get(MatchField.TCP_DST)));
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.100, 10.0.0.3", "fd00::64, fd00::3"})
  void matchFragmentsOnly_andAreRecognized(String vip, String address) {
    List<OFFlowAdd> rules = all(vip, address);
    FoundRules parser = new FoundRules(TableLayout.FOUR_TABLES, Map.of());

    for (OFFlowAdd sent : rules) {
      OFFlowMod rule = (OFFlowMod) Wire.readBack(sent);
      assertEquals(sent.getMatch(), rule.getMatch());
      assertTrue(isOfFragments(rule.getMatch()), rule.toString());
      assertTrue(
          parser.parse(
                  FACTORY
                      .buildFlowStatsEntry()
                      .setTableId(rule.getTableId())
                      .setPriority(rule.getPriority())
                      .setCookie(rule.getCookie())
                      .setMatch(rule.getMatch())
                      .setInstructions(rule.getInstructions())
                      .build())
              instanceof FoundRule.Proactive,
          rule.toString());
    }
    assertEquals(rules.size(), rules.stream().map(OFFlowMod::getMatch).distinct().count());
  }

  /** Otherwise, a datagram to another port would reach the members' service. */
  @ParameterizedTest
  @CsvSource({"10.0.0.100, 10.0.0.3", "fd00::64, fd00::3"})
  void firstFragment_opensByThePortThatWasFound(String vip, String address) {
    Server member = member(address, 3);
    List<Match> first =
        FragmentRules.open(FACTORY, traffic(vip), List.of(member, member), List.of()).stream()
            .map(OFFlowMod::getMatch)
            .filter(match -> TransportPort.of(53).equals(foundPort(match)))
            .toList();

    assertEquals(2, first.size());
  }

  /** openflowj has this field for TCP only. */
  private static @Nullable TransportPort foundPort(Match match) {
    @Nullable OFOxm<TransportPort> oxm =
        ((OFMatchV3) match).getOxmList().get(MatchField.CONN_TRACKING_TP_DST);
    return oxm == null ? null : oxm.getValue();
  }

  /** Rules for later ones of IPv6 would take those of other protocols without their first ones. */
  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.3", "fd00::3"})
  void membersLaterFragments_goWithTheFirstOfTheirProtocol(String address) {
    IpFamily family = IpFamily.of(IPAddress.of(address));
    String vip = family == IpFamily.IPV4 ? "10.0.0.100" : "fd00::64";
    List<IpProtocol> protocols =
        FragmentRules.ofMember(FACTORY, traffic(vip), member(address, 3)).stream()
            .filter(rule -> rule.getTableId().equals(FlowLayout.CLASSIFY))
            .map(rule -> Objects.requireNonNull(rule.getMatch().get(MatchField.IP_PROTO)))
            .toList();

    assertTrue(protocols.contains(IpProtocol.UDP));
    boolean isIpv6 = family == IpFamily.IPV6;
    for (IpProtocol each : List.of(IpProtocol.of(LATER), IpProtocol.TCP, IpProtocol.IPv6_ICMP)) {
      assertEquals(isIpv6, protocols.contains(each), each.toString());
    }
  }
}
