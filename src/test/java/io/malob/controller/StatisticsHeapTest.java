package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.testing.ScriptedSwitch;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFFlowStatsReply;
import org.projectfloodlight.openflow.protocol.OFFlowStatsRequest;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFStatsReplyFlags;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U64;

/**
 * The largest answers of several switches, on the heap that is shipped, in a process of its own.
 */
class StatisticsHeapTest {
  private static final int SWITCHES = 1;
  private static final int CLIENTS = 2;
  private static final int ENTRIES = 600;

  /** 30 MiB in all; the bound is 32. */
  private static final int PARTS = 480;

  private static final int SHOWN = 200;

  private final HttpClient client = HttpClient.newHttpClient();

  @TempDir private Path directory;

  @Test
  void flowsOfAllSwitches_asLargeAsTheyMayBe_fitIntoTheHeap() throws Exception {
    List<ScriptedSwitch> switches = new ArrayList<>();
    ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    try (SmallHeap controller = new SmallHeap(directory)) {
      for (int id = 1; id <= SWITCHES; id++) {
        ScriptedSwitch sw = new ScriptedSwitch(id, 2).answer(StatisticsHeapTest::answer);
        switches.add(sw.connect(controller.openFlowPort()).awaitHandshake());
      }
      // a switch has its last message of the handshake before the controller knows it
      for (int id = 1; id <= SWITCHES; id++) {
        controller.await("/wm/core/switch/" + id + "/desc/json");
      }
      URI uri = controller.uri("/wm/core/switch/all/flow/json");
      Callable<Flows> asking = () -> flows(uri);
      for (Future<Flows> asked : clients.invokeAll(Collections.nCopies(CLIENTS, asking))) {
        Flows flows = asked.get();
        assertEquals((long) SWITCHES * PARTS * ENTRIES, flows.count(), flows::ends);
      }
      assertTrue(controller.isAlive(), controller::said);
    } finally {
      clients.shutdownNow();
      switches.forEach(ScriptedSwitch::close);
    }
  }

  /** The rules of an answer, and how it began and ended: errors of the switches are there. */
  private record Flows(long count, String ends) {}

  /** Counts rules without keeping them, by the y of byte_count, priority and eth_type. */
  private Flows flows(URI uri) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(uri).build();
    try (InputStream in = client.send(request, BodyHandlers.ofInputStream()).body()) {
      byte[] buffer = in.readNBytes(SHOWN);
      String start = new String(buffer, StandardCharsets.UTF_8);
      String end = "";
      long found = 0;
      for (; buffer.length > 0; buffer = in.readNBytes(64 * 1024)) {
        for (byte each : buffer) {
          found += each == 'y' ? 1 : 0;
        }
        int shown = Math.min(SHOWN, buffer.length);
        end = new String(buffer, buffer.length - shown, shown, StandardCharsets.UTF_8);
      }
      return new Flows(found / 3, start + " ... " + end);
    }
  }

  private static List<OFMessage> answer(OFMessage request) {
    if (!(request instanceof OFFlowStatsRequest)) {
      return null;
    }
    OFFlowStatsReply last =
        ScriptedSwitch.FACTORY
            .buildFlowStatsReply()
            .setXid(request.getXid())
            .setEntries(Collections.nCopies(ENTRIES, entry()))
            .build();
    OFMessage part = last.createBuilder().setFlags(Set.of(OFStatsReplyFlags.REPLY_MORE)).build();
    List<OFMessage> parts = new ArrayList<>(Collections.nCopies(PARTS - 1, part));
    parts.add(last);
    return parts;
  }

  private static OFFlowStatsEntry entry() {
    OFFactory factory = ScriptedSwitch.FACTORY;
    return factory
        .buildFlowStatsEntry()
        .setCookie(U64.of(0x1234))
        .setPriority(49_000)
        .setMatch(
            factory
                .buildMatch()
                .setExact(MatchField.ETH_TYPE, EthType.IPv4)
                .setExact(MatchField.IP_PROTO, IpProtocol.TCP)
                .setExact(MatchField.IPV4_SRC, IPv4Address.of("10.0.0.1"))
                .setExact(MatchField.IPV4_DST, IPv4Address.of("10.0.0.100"))
                .setExact(MatchField.TCP_SRC, TransportPort.of(40_000))
                .setExact(MatchField.TCP_DST, TransportPort.of(80))
                .build())
        .build();
  }
}
