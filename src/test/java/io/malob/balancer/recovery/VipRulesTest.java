package io.malob.balancer.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.openflow.SwitchRules;
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

  @Test
  void switchesOfOneVersionShareTheRules() {
    List<OFMessage> first = rules.add(OPENFLOW_13, ADDRESS);

    assertEqualRules(SwitchRules.addVip(OPENFLOW_13, ADDRESS), first);
    assertSame(first, rules.add(OPENFLOW_13, ADDRESS));
    assertEqualRules(SwitchRules.addVip(OPENFLOW_15, ADDRESS), rules.add(OPENFLOW_15, ADDRESS));
  }

  @Test
  void tcpFlagsHaveNewTransactionIds() {
    List<OFMessage> first = rules.addTcpFlags(OPENFLOW_13, ADDRESS);
    List<OFMessage> second = rules.addTcpFlags(OPENFLOW_13, ADDRESS);

    assertEqualRules(SwitchRules.addTcpFlags(OPENFLOW_13, ADDRESS, true), first);
    assertEqualRules(first, second);
    Set<Long> ids = new HashSet<>();
    first.forEach(rule -> assertTrue(ids.add(rule.getXid())));
    second.forEach(rule -> assertTrue(ids.add(rule.getXid())));
  }

  @Test
  void tcpFlagsWithoutEnds() {
    assertEqualRules(
        SwitchRules.addTcpFlags(OPENFLOW_13, ADDRESS, false),
        new VipRules(false).addTcpFlags(OPENFLOW_13, ADDRESS));
  }

  @Test
  void forgetsTheRulesOfOtherAddresses() {
    IPAddress<?> other = IPAddress.of("fd00::1");
    List<OFMessage> kept = rules.add(OPENFLOW_13, ADDRESS);
    List<OFMessage> forgotten = rules.add(OPENFLOW_13, other);

    rules.retain(Set.of(ADDRESS));

    assertSame(kept, rules.add(OPENFLOW_13, ADDRESS));
    assertNotSame(forgotten, rules.add(OPENFLOW_13, other));
  }

  private static void assertEqualRules(List<OFMessage> expected, List<OFMessage> actual) {
    assertNotEquals(0, expected.size());
    assertEquals(expected.size(), actual.size());
    for (int i = 0; i < expected.size(); i++) {
      assertTrue(expected.get(i).equalsIgnoreXid(actual.get(i)), actual.get(i)::toString);
    }
  }
}
