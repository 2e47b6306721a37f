package io.malob.openflow.tracked;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.MacAddress;

/** The bytes are those of Open vSwitch 3.1: NXM_NX_CT_STATE, CT_ZONE and CT_MARK. */
class ConntrackMatchTest {
  private static Match.Builder ipv4(OFFactory factory) {
    return factory.buildMatch().setExact(MatchField.ETH_TYPE, EthType.IPv4);
  }

  private static String fields(Match match) {
    ByteBuf bytes = Unpooled.buffer();
    match.writeTo(bytes);
    int length = bytes.getUnsignedShort(2);
    return ByteBufUtil.hexDump(bytes, 4, length - 4).replaceFirst("80000a020800", "");
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void fields_areThoseOfOpenVSwitch_andAreReadBack(OFVersion version) throws Exception {
    OFFactory factory = OFFactories.getFactory(version);
    Match beginning =
        ConntrackMatch.mark(ConntrackMatch.beginning(ipv4(factory)), 0x1, 0xff).build();
    assertEquals("0001d30800000021000000210001d70800000001000000ff", fields(beginning));
    Match old =
        ConntrackMatch.mark(
                ConntrackMatch.zone(
                    ConntrackMatch.state(
                        ipv4(factory),
                        ConntrackMatch.ESTABLISHED | ConntrackMatch.TRACKED,
                        ConntrackMatch.NEW),
                    7),
                0x15)
            .build();
    assertEquals("0001d30800000022000000230001d40200070001d60400000015", fields(old));
    assertEquals(
        "0001d3080000000000000020", fields(ConntrackMatch.untracked(ipv4(factory)).build()));
    assertEquals(
        "0001d3080000002200000022", fields(ConntrackMatch.established(ipv4(factory)).build()));
    Match kept =
        ConntrackMatch.sender(ipv4(factory), MacAddress.of("02:00:00:00:00:01"), 100).build();
    assertEquals("0001d81000000000000000000064020000000001", fields(kept));
    assertEquals(MacAddress.of("02:00:00:00:00:01"), ConntrackMatch.senderIn(kept).orElseThrow());
    for (Match match : new Match[] {beginning, old, kept}) {
      ByteBuf bytes = Unpooled.buffer();
      factory.buildFlowAdd().setMatch(match).build().writeTo(bytes);
      assertEquals(match, ((OFFlowAdd) OFFactories.getGenericReader().readFrom(bytes)).getMatch());
    }
  }

  @Test
  void bitThatIsSetAndNot_isRefused() {
    Match.Builder match = ipv4(OFFactories.getFactory(OFVersion.OF_13));
    assertThrows(IllegalArgumentException.class, () -> ConntrackMatch.state(match, 33, 1));
  }
}
