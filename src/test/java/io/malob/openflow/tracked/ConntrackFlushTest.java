package io.malob.openflow.tracked;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.openflow.tracked.ConntrackFlush.Destination;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IpProtocol;

/** The bytes are those that Open vSwitch 3.1's {@code ovs-ofctl ofp-print} reads. */
class ConntrackFlushTest {
  private static String bytesOf(ConntrackFlush flush) {
    ByteBuf out = Unpooled.buffer();
    flush.writeTo(out);
    out.setInt(4, 3); // the transaction id
    return ByteBufUtil.hexDump(out);
  }

  private static ConntrackFlush flush(
      OFFactory factory, IpProtocol protocol, String original, String translated) {
    return new ConntrackFlush(
        factory,
        13,
        protocol,
        new Destination(IPAddress.of(original), 80),
        new Destination(IPAddress.of(translated), 8080));
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void ipv4_isMapped(OFVersion version) {
    assertEquals(
        String.format(Locale.ROOT, "%02x04007000000003", version.getWireVersion())
            + "0000232000000020"
            + "1100000000000000"
            + "00020008000d0000"
            + "0000002800000000"
            + "0001001400000000000000000000ffff0a0a000100000000"
            + "0003000800500000"
            + "0001002800000000"
            + "0000001400000000000000000000ffff0a0a000200000000"
            + "000200081f900000",
        bytesOf(flush(OFFactories.getFactory(version), IpProtocol.UDP, "10.10.0.1", "10.10.0.2")));
  }

  @Test
  void ipv6_isAsItIs() {
    OFFactory factory = OFFactories.getFactory(OFVersion.OF_13);
    assertEquals(
        "0404007000000003"
            + "0000232000000020"
            + "0600000000000000"
            + "00020008000d0000"
            + "0000002800000000"
            + "00010014fd00000000000000000000000000006400000000"
            + "0003000800500000"
            + "0001002800000000"
            + "00000014fd00000000000000000000000000001100000000"
            + "000200081f900000",
        bytesOf(flush(factory, IpProtocol.TCP, "fd00::64", "fd00::11")));
  }

  @Test
  void message_isOfAnExperimenter_andComparesByContent() {
    OFFactory factory = OFFactories.getFactory(OFVersion.OF_13);
    ConntrackFlush one = flush(factory, IpProtocol.TCP, "10.0.0.100", "10.0.0.1");
    assertEquals(OFType.EXPERIMENTER, one.getType());
    assertEquals(
        true, one.equalsIgnoreXid(flush(factory, IpProtocol.TCP, "10.0.0.100", "10.0.0.1")));
    assertEquals(
        false, one.equalsIgnoreXid(flush(factory, IpProtocol.TCP, "10.0.0.100", "10.0.0.2")));
  }
}
