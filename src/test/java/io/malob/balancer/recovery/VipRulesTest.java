package io.malob.balancer.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.openflow.SwitchRules;
import io.malob.openflow.VipPlace;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.IPAddress;

final class VipRulesTest {
  private static final OFFactory OPENFLOW_13 = OFFactories.getFactory(OFVersion.OF_13);
  private static final OFFactory OPENFLOW_15 = OFFactories.getFactory(OFVersion.OF_15);
  private static final IPAddress<?> ADDRESS = IPAddress.of("10.0.0.100");

  private final VipRules rules = new VipRules(true);

  private static final VipPlace PLACE = VipPlace.inAllVlans(ADDRESS);

  /** What adds the rules of an address, if the VIPs have these addresses. */
  private List<OFMessage> add(OFFactory factory, VipPlace vip, VipPlace... vips) {
    return rules.of(Set.of(vips)).get(vip).add(factory);
  }

  @Test
  void switchesOfOneVersionShareTheRules() {
    List<OFMessage> first = add(OPENFLOW_13, PLACE, PLACE);

    assertEqualRules(SwitchRules.addVip(OPENFLOW_13, ADDRESS), first);
    assertSame(first, add(OPENFLOW_13, PLACE, PLACE));
    assertEqualRules(SwitchRules.addVip(OPENFLOW_15, ADDRESS), add(OPENFLOW_15, PLACE, PLACE));
  }

  @Test
  void tcpFlagsHaveNewTransactionIds() {
    rules.of(Set.of(PLACE));
    List<OFMessage> first = rules.addTcpFlags(OPENFLOW_13, PLACE);
    List<OFMessage> second = rules.addTcpFlags(OPENFLOW_13, PLACE);

    assertEqualRules(SwitchRules.addTcpFlags(OPENFLOW_13, ADDRESS, true), first);
    assertEqualRules(first, second);
    Set<Long> ids = new HashSet<>();
    first.forEach(rule -> assertTrue(ids.add(rule.getXid())));
    second.forEach(rule -> assertTrue(ids.add(rule.getXid())));
  }

  @Test
  void tcpFlagsWithoutEnds() {
    VipRules withoutEnds = new VipRules(false);
    withoutEnds.of(Set.of(PLACE));

    assertEqualRules(
        SwitchRules.addTcpFlags(OPENFLOW_13, ADDRESS, false),
        withoutEnds.addTcpFlags(OPENFLOW_13, PLACE));
  }

  @Test
  void forgetsTheRulesOfOtherAddresses() {
    VipPlace other = VipPlace.inAllVlans(IPAddress.of("fd00::1"));
    List<OFMessage> kept = add(OPENFLOW_13, PLACE, PLACE, other);
    List<OFMessage> forgotten = add(OPENFLOW_13, other, PLACE, other);

    assertSame(kept, add(OPENFLOW_13, PLACE, PLACE));
    assertNotSame(forgotten, add(OPENFLOW_13, other, PLACE, other));
  }

  private static void assertEqualRules(List<OFMessage> expected, List<OFMessage> actual) {
    assertNotEquals(0, expected.size());
    assertEquals(expected.size(), actual.size());
    for (int i = 0; i < expected.size(); i++) {
      assertTrue(expected.get(i).equalsIgnoreXid(actual.get(i)), actual.get(i)::toString);
    }
  }
}
