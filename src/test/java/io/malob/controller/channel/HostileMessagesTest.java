package io.malob.controller.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketInReason;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFPortReason;
import org.projectfloodlight.openflow.protocol.OFPortStatsEntry;
import org.projectfloodlight.openflow.protocol.OFPortStatsReply;
import org.projectfloodlight.openflow.protocol.OFPortStatsRequest;
import org.projectfloodlight.openflow.protocol.OFStatsReplyFlags;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;

/** A switch that lies after its handshake. */
class HostileMessagesTest extends EmbeddedSwitch {
  private static final int MAX_PORTS = 4_096;

  @BeforeEach
  void connect() {
    activate();
  }

  private static OFPortDesc port(int number) {
    return FACTORY
        .buildPortDesc()
        .setPortNo(OFPort.of(number))
        .setName("p")
        .setConfig(Set.of())
        .setState(Set.of())
        .setCurr(Set.of())
        .setAdvertised(Set.of())
        .setSupported(Set.of())
        .setPeer(Set.of())
        .build();
  }

  private void says(OFPortReason reason, int number) {
    receive(FACTORY.buildPortStatus().setReason(reason).setDesc(port(number)).build());
  }

  @Test
  void lengthThatCannotBe_closesTheConnection_andIsCounted() {
    receiveBytes(4, 10, 0, 7, 0, 0, 0, 0);
    assertFalse(channel.isOpen());
    assertEquals(List.of("refused STREAM_CORRUPT", "disconnected"), events);
  }

  @Test
  void unknownType_isCounted_andTheConnectionLives() {
    receiveBytes(4, 99, 0, 8, 0, 0, 0, 0);
    assertEquals(List.of("refused MESSAGE_UNREADABLE"), events);
    assertTrue(channel.isOpen());
  }

  @Test
  void packetIn_withoutPort_isUnreadable() {
    receive(
        FACTORY
            .buildPacketIn()
            .setBufferId(OFBufferId.NO_BUFFER)
            .setReason(OFPacketInReason.NO_MATCH)
            .setTableId(TableId.ZERO)
            .setMatch(FACTORY.matchWildcardAll())
            .setData(new byte[60])
            .build());
    assertEquals(List.of("refused MESSAGE_UNREADABLE"), events);
  }

  @Test
  void portsWithoutEnd_areNotTaken_butThoseThatAreThereChangeAndGo() {
    for (int number = 1; number <= MAX_PORTS; number++) {
      says(OFPortReason.ADD, number);
    }
    events.clear();
    says(OFPortReason.ADD, MAX_PORTS + 1);
    assertEquals(List.of("refused PORTS_TOO_MANY"), events);
    assertEquals(MAX_PORTS, sw.getPorts().size());

    events.clear();
    says(OFPortReason.MODIFY, 7);
    says(OFPortReason.DELETE, 8);
    says(OFPortReason.ADD, MAX_PORTS + 1);
    assertFalse(events.contains("refused PORTS_TOO_MANY"), events.toString());
    assertEquals(MAX_PORTS, sw.getPorts().size());
  }

  @ParameterizedTest
  @CsvSource({"10001, 0", "700, 500"})
  void multipartWithoutEnd_failsAtItsLimit_andTheConnectionLives(int parts, int entries) {
    OFPortStatsRequest request =
        FACTORY.buildPortStatsRequest().setXid(4_711).setPortNo(OFPort.ANY).build();
    ListenableFuture<List<OFPortStatsReply>> answer = sw.writeStatsRequest(request);
    OFPortStatsEntry entry = FACTORY.buildPortStatsEntry().setPortNo(OFPort.of(1)).build();
    OFMessage part =
        FACTORY
            .buildPortStatsReply()
            .setXid(request.getXid())
            .setFlags(Set.of(OFStatsReplyFlags.REPLY_MORE))
            .setEntries(Collections.nCopies(entries, entry))
            .build();
    for (int i = 0; i < parts; i++) {
      receive(part);
    }
    ExecutionException failed =
        assertThrows(ExecutionException.class, () -> Futures.getDone(answer));
    assertEquals(
        "The answer has more than 10000 parts or 33554432 bytes", failed.getCause().getMessage());
    assertTrue(channel.isOpen());
  }
}
