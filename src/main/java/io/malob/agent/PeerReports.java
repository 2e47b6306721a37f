package io.malob.agent;

import io.malob.module.FieldReader;
import io.malob.module.FieldWriter;
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
import java.util.function.Supplier;
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

  /** The message about the last report of each agent that this controller has received itself. */
  private final Map<String, Supplier<byte[]>> last = new ConcurrentHashMap<>();

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
    last.put(agent, () -> message(report, source, atNanos));
    Set<String> reached = peers.reached();
    if (!reached.isEmpty()) {
      byte[] message = message(report, source, atNanos);
      reached.forEach(peer -> peers.send(peer, PeerTopic.REPORTS, message));
    }
  }

  /** Forgets all other agents, so that the memory is bounded. */
  void retain(Collection<String> agents) {
    last.keySet().retainAll(agents);
  }

  @Override
  public void reached(String peer) {
    last.values().forEach(report -> peers.send(peer, PeerTopic.REPORTS, report.get()));
  }

  @Override
  public void received(String peer, ByteBuffer message) {
    long now = nanoTime.getAsLong();
    FieldReader in = new FieldReader(message);
    long age = Math.max(0, in.readLong());
    byte[] address = in.readShortBytes();
    byte[] report = in.readRest();
    @Nullable IPAddress<?> source =
        address.length == 0 ? null : IPAddress.of(new String(address, StandardCharsets.US_ASCII));
    writer.execute(() -> intake.takeForwarded(report, source, now, age));
  }

  private byte[] message(byte[] report, @Nullable IPAddress<?> source, long atNanos) {
    byte[] address =
        source == null ? new byte[0] : source.toString().getBytes(StandardCharsets.US_ASCII);
    return new FieldWriter(1_024)
        .putLong(nanoTime.getAsLong() - atNanos)
        .putShortBytes(address)
        .putBytes(report)
        .toBytes();
  }
}
