package io.malob.agent;

import com.google.common.io.ByteArrayDataOutput;
import com.google.common.io.ByteStreams;
import io.malob.module.IPeerService;
import io.malob.module.PeerListener;
import io.malob.module.PeerTopic;
import io.malob.state.report.ReportIntake;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * Shares accepted reports with the other controllers of a cluster, as the agents have sent them:
 * each controller checks the signature, and none accepts the report a second time. A peer that is
 * reached gets the last report of each agent. What a peer has told is not told again. Thread-safe.
 */
final class PeerReports implements PeerListener, ReportIntake.Accepted {
  private final IPeerService peers;
  private final ReportIntake intake;
  private final LongSupplier nanoTime;
  private final Executor writer;

  /** The last report of each agent that this controller has received itself. */
  private final Map<String, Received> last = new ConcurrentHashMap<>();

  private record Received(Bytes report, @Nullable IPAddress<?> source, long atNanos) {}

  private static final class Bytes {
    final byte[] content;

    Bytes(byte[] content) {
      this.content = content;
    }
  }

  /**
   * Shared reports of this intake.
   *
   * @param writer runs one task at a time, and may take a lock
   */
  PeerReports(IPeerService peers, ReportIntake intake, LongSupplier nanoTime, Executor writer) {
    this.peers = peers;
    this.intake = intake;
    this.nanoTime = nanoTime;
    this.writer = writer;
  }

  @Override
  public void accepted(String agent, byte[] report, @Nullable IPAddress<?> source, long atNanos) {
    Received received = new Received(new Bytes(report), source, atNanos);
    last.put(agent, received);
    Set<String> reached = peers.reached();
    if (!reached.isEmpty()) {
      byte[] message = message(received);
      reached.forEach(peer -> peers.send(peer, PeerTopic.REPORTS, message));
    }
  }

  /** Forgets all other agents, so that the memory is bounded. */
  void retain(Collection<String> agents) {
    last.keySet().retainAll(agents);
  }

  @Override
  public void reached(String peer) {
    last.values().forEach(report -> peers.send(peer, PeerTopic.REPORTS, message(report)));
  }

  @Override
  public void received(String peer, ByteBuffer message) {
    long now = nanoTime.getAsLong();
    long age = Math.max(0, message.getLong());
    byte[] address = new byte[Byte.toUnsignedInt(message.get())];
    message.get(address);
    byte[] report = new byte[message.remaining()];
    message.get(report);
    @Nullable IPAddress<?> source =
        address.length == 0 ? null : IPAddress.of(new String(address, StandardCharsets.US_ASCII));
    writer.execute(() -> intake.takeForwarded(report, source, now, age));
  }

  @Override
  public void lost(String peer) {}

  private byte[] message(Received received) {
    IPAddress<?> source = received.source();
    byte[] address =
        source == null ? new byte[0] : source.toString().getBytes(StandardCharsets.US_ASCII);
    ByteArrayDataOutput out = ByteStreams.newDataOutput();
    out.writeLong(nanoTime.getAsLong() - received.atNanos());
    out.writeByte(address.length);
    out.write(address);
    out.write(received.report().content);
    return out.toByteArray();
  }
}
