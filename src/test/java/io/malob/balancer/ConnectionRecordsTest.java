package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.malob.balancer.BalancerNetwork.Host;
import io.malob.balancer.api.BalancerActivity;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.packet.Packet;
import io.malob.state.catalog.Catalog;
import io.malob.testing.Frames;
import io.malob.testing.SwitchProfile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * What is recorded of connections, in a network of two switches.
 *
 * <pre>
 *  client 1 --1 s1 2---1 s2 2-- member (m1)
 * </pre>
 */
class ConnectionRecordsTest extends OnEachProfile {
  private static final IPv4Address VIP = IPv4Address.of("10.0.0.100");
  private static final int ACK = Packet.TCP_ACK;

  @TempDir Path directory;

  private BalancerNetwork net;
  private Host client;
  private Host member;

  ConnectionRecordsTest(SwitchProfile profile) {
    super(profile);
  }

  @BeforeEach
  void serve() {
    net = network(Map.of("connectionRecords", file().toString()));
    DatapathId s1 = net.addSwitch(1);
    DatapathId s2 = net.addSwitch(2);
    net.link(s1, 2, s2, 1);
    client = Host.of(s1, 1, "10.0.0.1");
    member = Host.of(s2, 2, "10.0.0.11");
    net.learn(member);
    net.webService(member);
  }

  private Path file() {
    return directory.resolve("records.jsonl");
  }

  private byte[] request(int flags) {
    return Frames.tcp(
        client.mac(), EdgeMac.of(client.switchId()), client.ip(), 40_000, VIP, 80, flags);
  }

  private byte[] reply() {
    return Frames.tcp(member.mac(), client.mac(), member.ip(), 8_080, client.ip(), 40_000, ACK);
  }

  /** The records, when there are so many; they come within a moment. */
  private List<JsonNode> records(int count) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (net.module.activity().records().written() < count && System.nanoTime() < deadline) {
      Thread.sleep(20);
    }
    return records();
  }

  private List<JsonNode> records() throws IOException {
    List<JsonNode> records = new ArrayList<>();
    for (String line : Files.readAllLines(file())) {
      records.add(new ObjectMapper().readTree(line));
    }
    return records;
  }

  @Test
  void idleConnection_isRecordedWithBytesOfBothDirections() throws Exception {
    net.send(client, request(Packet.TCP_SYN));
    for (int i = 0; i < 3; i++) {
      net.send(client, request(ACK));
    }
    for (int i = 0; i < 5; i++) {
      net.send(member, reply());
    }
    net.nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(60));
    net.expire();

    JsonNode record = records(1).get(0);
    assertEquals("idle", record.get("end").asText());
    assertEquals("tcp", record.get("protocol").asText());
    assertEquals("10.0.0.1", record.get("client").asText());
    assertEquals(40_000, record.get("client_port").asInt());
    assertEquals("10.0.0.100", record.get("vip").asText());
    assertEquals(80, record.get("vip_port").asInt());
    assertEquals("m1", record.get("member_id").asText());
    assertEquals("10.0.0.11", record.get("member").asText());
    assertEquals(8_080, record.get("member_port").asInt());
    assertEquals("RR+SPH", record.get("algorithm").asText());
    assertEquals(60.0, record.get("age_s").asDouble());
    assertEquals(3L * request(ACK).length, record.get("request_bytes").asLong());
    assertEquals(5L * reply().length, record.get("reply_bytes").asLong());
    assertEquals(
        "[\"00:00:00:00:00:00:00:01\",\"00:00:00:00:00:00:00:02\"]",
        record.get("request_path").toString());
    assertEquals(2, record.get("reply_path").size());
    assertEquals(1, records().size());
  }

  @Test
  void connection_thatItsClientEnded_saysSo() throws Exception {
    assumeEndsAreTold();
    net.send(client, request(Packet.TCP_SYN));
    net.send(client, request(Packet.TCP_FIN | ACK));
    net.nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(60));
    net.expire();

    assertEquals("client", records(1).get(0).get("end").asText());
  }

  @Test
  void connection_whoseMemberIsDeleted_isRecordedWithItsNameWithoutBytesInTheEnd()
      throws Exception {
    net.send(client, request(Packet.TCP_SYN));
    net.delete(Catalog.MEMBERS, "m1");
    net.pass(16); // its switches do not tell

    JsonNode record = records(1).get(0);
    assertEquals("closed", record.get("end").asText());
    assertEquals("m1", record.get("member_id").asText());
    assertTrue(record.get("request_bytes").isNull(), "" + record);
    assertTrue(record.get("reply_bytes").isNull(), "" + record);
  }

  @Test
  void connection_thatIsReactivated_isRecordedEachTime() throws Exception {
    net.send(client, request(Packet.TCP_SYN));
    for (int i = 0; i < 2; i++) {
      net.nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(60));
      net.expire();
      net.send(client, request(ACK));
    }

    assertEquals(2, records(2).size());
  }

  @Test
  void connection_thatBeginsOnThePortOfOneThatHasEnded_isRecordedForItself() throws Exception {
    assumeEndsAreTold();
    net.send(client, request(Packet.TCP_SYN));
    net.nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(3));
    net.send(client, request(Packet.TCP_FIN | ACK));
    net.nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(2));
    net.send(client, request(Packet.TCP_SYN));
    JsonNode first = records(1).get(0);
    net.send(client, request(ACK));

    net.nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(60));
    net.expire();

    JsonNode second = records(2).get(1);
    assertEquals("client", first.get("end").asText());
    assertEquals(5.0, first.get("age_s").asDouble());
    assertEquals(2, first.get("request_path").size());
    assertTrue(first.get("request_bytes").isNull(), "its rules are another's now: " + first);
    assertEquals("idle", second.get("end").asText());
    assertEquals(60.0, second.get("age_s").asDouble());
    // its SYN went by the controller, which set the rules and their counts anew
    assertEquals(request(ACK).length, second.get("request_bytes").asLong());
  }

  @Test
  void withoutTheSetting_nothingIsRecorded() {
    BalancerNetwork plain = network();
    assertEquals(new BalancerActivity.Records(0, 0), plain.module.activity().records());
  }

  @Test
  void fileThatCannotBeWritten_keepsTheModuleFromStarting() {
    IllegalArgumentException error =
        assertThrows(
            IllegalArgumentException.class,
            () -> network(Map.of("connectionRecords", directory.toString())));
    assertTrue(error.getMessage().contains("connectionRecords"), error.getMessage());
  }
}
