package io.malob.balancer.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableSet;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.graph.Path;
import io.malob.balancer.connection.Connection.State;
import io.malob.balancer.replica.ReplicaEntry.Again;
import io.malob.balancer.replica.ReplicaEntry.Begin;
import io.malob.balancer.replica.ReplicaEntry.End;
import io.malob.balancer.replica.ReplicaEntry.Gone;
import io.malob.balancer.replica.ReplicaEntry.LabelGone;
import io.malob.balancer.replica.ReplicaEntry.Labelled;
import io.malob.balancer.replica.ReplicaEntry.Placed;
import io.malob.module.FieldWriter;
import io.malob.openflow.label.Label;
import io.malob.testing.FuzzCorpus;
import io.malob.testing.Mutator;
import io.malob.testing.Topologies;
import io.malob.testing.WireBytes;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

class ReplicaFormatTest {
  private static final byte VERSION = 3;
  private static final FiveTuple REQUEST = FiveTuple.of(6, -2, 65_535, 0x0a000064, 443);
  private static final String CLIENT = "2001:db8::9";
  private static final String VIP = "2001:db8::64";
  private static final String MEMBER = "2001:db8::b";
  private static final FiveTuple OVER_IPV6 =
      FiveTuple.of(6, IPAddress.of(CLIENT), 65_535, IPAddress.of(VIP), 443);
  private static final Placed PLACED =
      new Placed(
          REQUEST,
          FiveTuple.of(6, 0x0a00000b, 8_443, -2, 65_535),
          4_095,
          65_535,
          true,
          Algorithm.DEFAULT,
          0xfffff,
          State.ENDED,
          true,
          false,
          true,
          31,
          86_400_000,
          at(-1, 0xffff, "ff:fe:fd:fc:fb:fa"),
          at(3, 2, "02:00:00:00:00:0b"),
          Label.MAX_CONNECTION_ID,
          0);
  private static final List<ReplicaEntry> ALL =
      List.of(
          new Begin(ImmutableSet.of(DatapathId.of(1), DatapathId.of(-7))),
          new Labelled(17, Topologies.path(1, 2, 3)),
          new Labelled(18, Path.within(DatapathId.of(1))),
          PLACED,
          new Gone(REQUEST, DatapathId.of(5)),
          new LabelGone(17),
          new End(),
          new Again());

  private static Attachment at(long switchId, int port, String mac) {
    int vlan = port == 0xffff ? 4_094 : 0;
    return new Attachment(DatapathId.of(switchId), OFPort.of(port), MacAddress.of(mac), vlan);
  }

  private static byte[] written(List<ReplicaEntry> entries) {
    FieldWriter out = new FieldWriter(0);
    ReplicaFormat.begin(out);
    entries.forEach(entry -> ReplicaFormat.FORMAT.write(entry, out));
    return out.toBytes();
  }

  private static String problem(byte... message) {
    return assertThrows(
            IllegalArgumentException.class, () -> ReplicaFormat.read(ByteBuffer.wrap(message)))
        .getMessage();
  }

  @Test
  void entries_areReadAsTheyWereWritten() {
    assertEquals(ALL, ReplicaFormat.read(ByteBuffer.wrap(written(ALL))));
  }

  @Test
  void connection_takesFewerThan100Bytes() {
    assertTrue(written(List.of(PLACED)).length < 100);
  }

  /** A key has no meaning to another controller, which may have given it to another address. */
  @Test
  void ipv6Addresses_areWrittenInFull() {
    List<ReplicaEntry> entries = List.of(overIpv6(), new Gone(OVER_IPV6, DatapathId.of(5)));
    byte[] written = written(entries);
    assertEquals(entries, ReplicaFormat.read(ByteBuffer.wrap(written)));
    String hex = HexFormat.of().formatHex(written);
    for (String address : List.of(CLIENT, VIP, MEMBER)) {
      assertTrue(hex.contains(HexFormat.of().formatHex(IPAddress.of(address).getBytes())), hex);
    }
    Map<String, byte[]> corpus = FuzzCorpus.read("replica.txt");
    assertTrue(ReplicaFuzz.isRead(corpus.get("connection_of_ipv6")));
    assertTrue(ReplicaFuzz.isRead(corpus.get("gone_of_ipv6")));
    assertEquals("address family 5", problem(corpus.get("other_family")));
    assertEquals("IPv4 address 240.0.0.1", problem(corpus.get("reserved_address")));
  }

  private static Placed overIpv6() {
    return new Placed(
        OVER_IPV6,
        FiveTuple.of(6, IPAddress.of(MEMBER), 8_443, IPAddress.of(CLIENT), 65_535),
        1,
        2,
        false,
        Algorithm.DEFAULT,
        3,
        State.OPEN,
        false,
        true,
        false,
        0,
        4,
        at(5, 6, "02:00:00:00:00:09"),
        at(7, 8, "02:00:00:00:00:0b"),
        0,
        0);
  }

  @Test
  void unreadableMessage_isRejectedWithTheFieldsName() {
    assertEquals("version 1, not 3", problem((byte) 1));
    assertEquals("kind of entry 99", problem(VERSION, (byte) 99));
    assertEquals("label 0", problem(VERSION, (byte) 4, (byte) 0, (byte) 0, (byte) 0, (byte) 0));
    assertEquals("the message ends within an entry", problem(VERSION, (byte) 2));
    assertEquals("the message ends within an entry", problem());
  }

  @Test
  void damagedMessages_areReadOrRejected() throws Exception {
    FuzzCorpus.run("replica.txt", 20_000, ReplicaFuzz::fuzzerTestOneInput);
  }

  /** Else the run above would not be much of a test. */
  @Test
  void damagedMessages_areOfBothKinds() {
    Mutator mutator = new Mutator(new Random(1), List.of(written(ALL)));
    int read = 0;
    for (int i = 0; i < 1_000; i++) {
      read += ReplicaFuzz.isRead(mutator.next()) ? 1 : 0;
    }
    assertTrue(read > 50 && read < 950, read + " of 1,000");
    assertTrue(ReplicaFuzz.isRead(FuzzCorpus.read("replica.txt").get("all")));
  }

  @Test
  void bytes_areThoseOfTheLastRelease() {
    WireBytes.check("connections", written(ALL));
    WireBytes.check("connections-ipv6", written(List.of(overIpv6())));
    assertEquals(ALL, ReplicaFormat.read(ByteBuffer.wrap(WireBytes.read("connections"))));
  }
}
