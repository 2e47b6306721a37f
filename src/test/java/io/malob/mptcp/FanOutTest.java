package io.malob.mptcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.json.RejectedException;
import io.malob.openflow.subflow.Fan.Tagging;
import io.malob.testing.Topologies;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

class FanOutTest {
  private static FanOut fanOut(int links) {
    ImmutableListMultimap.Builder<DatapathId, DirectedLink> core = ImmutableListMultimap.builder();
    for (int i = 0; i < links; i++) {
      core.put(DatapathId.of(1), Topologies.link(1, i + 2));
    }
    return new FanOut(core.build());
  }

  private static Host host(String id, String address, int prefixLength, String... aliases) {
    return new Host(
        id,
        IPAddress.of(address),
        prefixLength,
        new Attachment(DatapathId.of(1), OFPort.of(100), MacAddress.of("02:00:00:00:00:01")),
        false,
        0,
        Tagging.NONE,
        Stream.of(aliases)
            .<IPAddress<?>>map(IPAddress::of)
            .collect(ImmutableList.toImmutableList()),
        "eth0");
  }

  private static List<String> addresses(Member member) {
    return member.addresses().stream().map(IPAddress::toString).toList();
  }

  @Test
  void aliases_areTenTwentyMore_oneForEachCoreLink() throws RejectedException {
    Member member =
        fanOut(3).members(List.of(host("h", "10.0.0.1", 24)), Map.of(), List.of()).get(0);
    assertEquals(List.of("10.0.0.1", "10.0.0.11", "10.0.0.21"), addresses(member));
    assertEquals(
        List.of(Topologies.link(1, 2), Topologies.link(1, 3), Topologies.link(1, 4)),
        member.homes());
  }

  @Test
  void aliases_thatOthersHave_areTakenFromTheEnd() throws RejectedException {
    List<Member> members =
        fanOut(3)
            .members(
                List.of(host("a", "10.0.0.1", 24), host("b", "10.0.0.11", 24)),
                Map.of(),
                List.of(IPAddress.of("10.0.0.254")));
    assertEquals(List.of("10.0.0.1", "10.0.0.253", "10.0.0.21"), addresses(members.get(0)));
    assertEquals(List.of("10.0.0.11", "10.0.0.252", "10.0.0.31"), addresses(members.get(1)));
  }

  @Test
  void aliases_stayWithinTheNetwork() throws RejectedException {
    Member member =
        fanOut(3).members(List.of(host("h", "10.0.0.250", 24)), Map.of(), List.of()).get(0);
    assertEquals(List.of("10.0.0.250", "10.0.0.254", "10.0.0.253"), addresses(member));
  }

  @Test
  void aliasesOfIpv6_areTenTwentyMore_andOtherwiseBelowTheAnycastAddresses()
      throws RejectedException {
    List<Member> members =
        fanOut(3)
            .members(
                List.of(host("a", "fd00::1", 64), host("b", "fd00::ffff:ffff:ffff:ff78", 64)),
                Map.of(),
                List.of(IPAddress.of("fd00::b"), IPAddress.of("fd00::ffff:ffff:ffff:ff7e")));
    assertEquals(
        List.of("fd00::1", "fd00::ffff:ffff:ffff:ff7f", "fd00::15"), addresses(members.get(0)));
    assertEquals(
        List.of(
            "fd00::ffff:ffff:ffff:ff78", "fd00::ffff:ffff:ffff:ff7d", "fd00::ffff:ffff:ffff:ff7c"),
        addresses(members.get(1)));
  }

  @Test
  void aliasesOfIpv6_carryIntoTheUpperHalf() throws RejectedException {
    Member member =
        fanOut(2)
            .members(List.of(host("h", "2001:db8::ffff:ffff:ffff:ffff", 32)), Map.of(), List.of())
            .get(0);
    assertEquals(List.of("2001:db8::ffff:ffff:ffff:ffff", "2001:db8:0:1::9"), addresses(member));
  }

  @Test
  void smallestNetworkOfIpv6_hasNoLowestAddressAndNoAnycastAddresses() {
    HostRange range = HostRange.of(IPAddress.of("fd00::7f").withMaskOfLength(120));
    assertEquals("fd00::1", range.address(range.first()).toString());
    assertEquals("fd00::7f", range.address(range.last()).toString());
  }

  @Test
  void network_withoutRoom_isNamed() {
    RejectedException refused =
        assertThrows(
            RejectedException.class,
            () -> fanOut(3).members(List.of(host("h", "10.0.0.1", 30)), Map.of(), List.of()));
    assertEquals("hosts.h.address", refused.field().orElseThrow());
    assertTrue(String.valueOf(refused.getMessage()).contains("10.0.0.0/30"));
  }

  @Test
  void givenAddresses_thatAreTooFew_areNamed() {
    RejectedException refused =
        assertThrows(
            RejectedException.class,
            () ->
                fanOut(3)
                    .members(List.of(host("h", "10.0.0.1", 24, "10.0.0.50")), Map.of(), List.of()));
    assertEquals(RejectedException.Reason.UNPROCESSABLE, refused.reason());
    assertEquals("hosts.h.addresses", refused.field().orElseThrow());
    assertTrue(String.valueOf(refused.getMessage()).contains("needs 2 addresses"));
  }

  @Test
  void addressOfTwoHosts_isNamed() {
    RejectedException refused =
        assertThrows(
            RejectedException.class,
            () ->
                fanOut(2)
                    .members(
                        List.of(host("a", "10.0.0.1", 24), host("b", "10.0.0.1", 24)),
                        Map.of(),
                        List.of()));
    assertEquals("hosts.b.address", refused.field().orElseThrow());
  }

  @Test
  void moreThanEightLinks_areUsedByHostsInTurn() throws RejectedException {
    List<Member> members =
        fanOut(10)
            .members(
                List.of(host("a", "10.0.0.1", 24), host("b", "10.0.0.2", 24)), Map.of(), List.of());
    assertEquals(8, members.get(0).addresses().size());
    assertEquals(2, members.get(0).merged().size());
    Set<DirectedLink> used = new HashSet<>(members.get(0).homes());
    used.addAll(members.get(1).homes());
    assertEquals(10, used.size());
  }

  @Test
  void membersOfBefore_keepTheirAddresses() throws RejectedException {
    Host host = host("h", "10.0.0.1", 24);
    Member before =
        new Member(
            host,
            ImmutableList.of(IPAddress.of("10.0.0.1"), IPAddress.of("10.0.0.77")),
            ImmutableList.of(),
            ImmutableList.of());
    Member member = fanOut(3).members(List.of(host), Map.of("h", before), List.of()).get(0);
    assertEquals(List.of("10.0.0.1", "10.0.0.77", "10.0.0.21"), addresses(member));
  }

  @Test
  void hostWithoutCoreLinks_hasItsAddressAlone() throws RejectedException {
    Member member =
        fanOut(0).members(List.of(host("h", "10.0.0.1", 24)), Map.of(), List.of()).get(0);
    assertEquals(List.of("10.0.0.1"), addresses(member));
    assertEquals(List.of(), member.homes());
  }
}
