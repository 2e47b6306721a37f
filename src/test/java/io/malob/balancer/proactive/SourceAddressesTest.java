package io.malob.balancer.proactive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.algorithm.Server;
import io.malob.balancer.reroute.RulePacer;
import io.malob.capability.FeatureProbes;
import io.malob.openflow.FakeSwitches;
import io.malob.openflow.RuleSender;
import io.malob.openflow.bucket.SourceRules;
import io.malob.state.network.SelfAddresses;
import io.malob.testing.Servers;
import io.malob.testing.SwitchProfile;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

class SourceAddressesTest {
  private static final Server MEMBER = Servers.of(3, 1); // 10.1.0.3
  private static final IPAddress<?> FIRST = IPAddress.of("10.1.0.200");
  private static final IPAddress<?> SECOND = IPAddress.of("10.1.0.201");

  /** These prefer the same address. */
  private static final DatapathId ONE = DatapathId.of(1);

  private static final DatapathId OTHER = DatapathId.of(3);

  private final SourceAddresses sources =
      sources("10.1.0.200/16,10.1.0.201/16,10.2.0.200/16,10.1.0.202/16@7");

  private static SourceAddresses sources(String addresses) {
    RuleSender ruleSender = new FakeSwitches(1, SwitchProfile.OPEN_VSWITCH).ruleSender();
    return new SourceAddresses(
        SelfAddresses.parse(addresses).orElseThrow(),
        address -> address,
        9,
        new Programmed(
            ruleSender,
            new RulePacer(ruleSender, Runnable::run, () -> 0),
            Runnable::run,
            any -> true,
            new FeatureProbes()));
  }

  private void learn(DatapathId switchId, IPAddress<?> address) {
    OFFactory factory = OFFactories.getFactory(OFVersion.OF_13);
    for (OFFlowAdd rule : SourceRules.ofAddress(factory, address, 9)) {
      sources.learn(
          switchId,
          factory
              .buildFlowStatsEntry()
              .setTableId(rule.getTableId())
              .setPriority(rule.getPriority())
              .setMatch(rule.getMatch())
              .build());
    }
  }

  @Test
  void edges_haveDifferentAddresses_inTheSubnetOfTheMember_untilNoneIsLeft() {
    assertEquals(Optional.of(SECOND), sources.of(ONE, MEMBER));
    assertEquals(Optional.of(FIRST), sources.of(OTHER, MEMBER));
    assertEquals(Optional.empty(), sources.of(DatapathId.of(2), MEMBER));

    assertEquals(Optional.of(SECOND), sources.of(ONE, MEMBER));
  }

  @Test
  void edge_hasTheAddressOfItsRules() {
    learn(OTHER, SECOND);

    assertEquals(Optional.of(FIRST), sources.of(ONE, MEMBER));
    assertEquals(Optional.of(SECOND), sources.of(OTHER, MEMBER));
  }

  @Test
  void memberOfAnotherSubnet_seesNone() {
    assertEquals(Optional.empty(), sources("10.2.0.200/16").of(ONE, MEMBER));
  }

  @Test
  void rulesOfAnAddressThatIsNotASourceAddressAnyMore_tellNothing() {
    learn(ONE, IPAddress.of("10.1.0.9"));

    assertEquals(List.of(SECOND), sources.of(ONE, MEMBER).stream().toList());
  }
}
