package io.malob.openflow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.testing.Wire;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.protocol.OFEchoRequest;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFPort;

class TimedMessagesTest {
  private final AtomicInteger written = new AtomicInteger();

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void packetOut_isWhatOpenflowjReadsAndTellsWhenItIsWritten(OFVersion version) {
    OFFactory factory = OFFactories.getFactory(version);
    byte[] frame = {1, 2, 3};
    TimedPacketOut message =
        new TimedPacketOut(factory, OFPort.of(7), frame, written::incrementAndGet);
    assertEquals(3, message.packetBytes());
    assertEquals(0, written.get());
    OFPacketOut read = (OFPacketOut) Wire.readBack(message);
    assertEquals(1, written.get());
    assertEquals(message.getXid(), read.getXid());
    assertEquals(OFBufferId.NO_BUFFER, read.getBufferId());
    assertEquals(
        OFPort.CONTROLLER,
        version == OFVersion.OF_15 ? read.getMatch().get(MatchField.IN_PORT) : read.getInPort());
    assertEquals(List.of(factory.actions().output(OFPort.of(7), 0xffff)), read.getActions());
    assertArrayEquals(frame, read.getData());
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_13", "OF_14", "OF_15"})
  void echoRequest_isWhatOpenflowjReadsAndTellsWhenItIsWritten(OFVersion version) {
    TimedEchoRequest message =
        new TimedEchoRequest(
            OFFactories.getFactory(version), new byte[] {1, 2}, written::incrementAndGet);
    assertEquals(0, written.get());
    OFEchoRequest read = (OFEchoRequest) Wire.readBack(message);
    assertEquals(1, written.get());
    assertEquals(
        read,
        OFFactories.getFactory(version)
            .buildEchoRequest()
            .setXid(message.getXid())
            .setData(new byte[] {1, 2})
            .build());
    assertArrayEquals(new byte[] {1, 2}, read.getData());
    assertEquals(version, read.getVersion());
  }
}
