package io.malob.controller.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.controller.channel.OpenFlowEncoder.MessageBatch;
import io.malob.openflow.ConnectionRules;
import io.malob.openflow.ConnectionRules.Translation;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.label.Label;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TransportPort;

class MessageSizesTest {
  /** How much more than on the wire a message may count. */
  private static final int SLACK = 256;

  private final MessageSizes sizes = new MessageSizes();

  static List<OFMessage> messages() {
    OFFactory of = OFFactories.getFactory(OFVersion.OF_13);
    OFAction longest = of.actions().setField(of.oxms().ipv6Dst(IPv6Address.of("2001:db8::1")));
    Translation translation = translation(0);
    Translation tagged = translation(100);
    return List.of(
        of.barrierRequest(),
        ConnectionRules.add(of, translation, Cookie.of(CookieKind.REQUEST, 1, 2, 3), 15, true),
        ConnectionRules.add(of, translation, Cookie.of(CookieKind.REPLY, 1, 2, 3), 17, false),
        ConnectionRules.add(of, tagged, Cookie.of(CookieKind.REQUEST, 1, 2, 3), 15, true),
        ConnectionRules.add(of, toHost(tagged), Cookie.of(CookieKind.REPLY, 1, 2, 3), 17, false),
        ConnectionRules.deliver(of, translation, new byte[60]),
        ConnectionRules.deliver(of, tagged, new byte[60]),
        ConnectionRules.deliver(of, translation, new byte[1_500]),
        of.echoRequest(new byte[60_000]),
        of.buildEchoReply().setData(new byte[1_500]).build(),
        packetOut(of, new byte[1_500], 1),
        packetOut(of, new byte[100], 1_000),
        rule(of, List.of()),
        rule(of, List.of(longest)),
        rule(of, Collections.nCopies(500, longest)));
  }

  private static Translation translation(int vlan) {
    return new Translation(
        FiveTuple.of(6, 0x0a000001, 40_000, 0x0a000064, 80),
        FiveTuple.of(6, 0x0a000001, 40_000, 0x0a00000b, 8080),
        vlan,
        new Label(7),
        new Attachment(DatapathId.of(2), OFPort.of(3), MacAddress.of("02:00:00:00:00:02"), vlan),
        OFPort.of(3));
  }

  /** The same to a host of the same switch. */
  private static Translation toHost(Translation translation) {
    return new Translation(
        translation.incoming(),
        translation.outgoing(),
        translation.vlan(),
        null,
        translation.receiver(),
        translation.out());
  }

  private static OFMessage packetOut(OFFactory of, byte[] data, int ports) {
    return of.buildPacketOut()
        .setBufferId(OFBufferId.NO_BUFFER)
        .setActions(Collections.nCopies(ports, of.actions().output(OFPort.of(1), 0)))
        .setData(data)
        .build();
  }

  private static OFMessage rule(OFFactory of, List<OFAction> actions) {
    return of.buildFlowAdd()
        .setMatch(
            of.buildMatch()
                .setExact(MatchField.ETH_TYPE, EthType.IPv6)
                .setExact(MatchField.IP_PROTO, IpProtocol.TCP)
                .setExact(MatchField.IPV6_SRC, IPv6Address.of("2001:db8::1"))
                .setExact(MatchField.IPV6_DST, IPv6Address.of("2001:db8::2"))
                .setExact(MatchField.TCP_DST, TransportPort.of(80))
                .build())
        .setInstructions(
            List.of(
                of.instructions().applyActions(actions), of.instructions().writeActions(actions)))
        .build();
  }

  private static int onTheWire(OFMessage message) {
    ByteBuf buffer = Unpooled.buffer();
    message.writeTo(buffer);
    return buffer.readableBytes();
  }

  @ParameterizedTest
  @MethodSource("messages")
  void message_countsNotLessThanOnTheWireAndNotMuchMore(OFMessage message) {
    int wire = onTheWire(message);
    int counted = sizes.size(message);
    assertTrue(counted >= wire, counted + " for " + wire + " bytes");
    assertTrue(counted <= wire + wire / 2 + SLACK, counted + " for " + wire + " bytes");
  }

  @Test
  void batch_countsItsMessages() {
    int sum = messages().stream().mapToInt(sizes::size).sum();
    assertEquals(sum, sizes.size(new MessageBatch(messages())));
  }

  @Test
  void buffer_countsItsBytes() {
    assertEquals(77, sizes.size(Unpooled.wrappedBuffer(new byte[77])));
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void messages_ofEachVersion_canBeCounted(OFVersion version) {
    OFFactory of = OFFactories.getFactory(version);
    assertTrue(sizes.size(of.buildFlowDelete().build()) > 0);
    assertTrue(sizes.size(of.buildPacketOut().setData(new byte[9]).build()) > 9);
  }
}
