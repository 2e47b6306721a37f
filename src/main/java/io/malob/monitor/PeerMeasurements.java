package io.malob.monitor;

import com.google.common.collect.Lists;
import com.google.common.io.ByteArrayDataOutput;
import com.google.common.io.ByteStreams;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.module.IPeerService;
import io.malob.module.InformedPeers;
import io.malob.module.PeerListener;
import io.malob.module.PeerTopic;
import io.malob.state.network.LinkMeasurements;
import io.malob.state.network.LinkTracker;
import io.malob.state.network.Measurement;
import io.malob.state.network.Measurement.Source;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Shares the measurements of links with the other controllers of a cluster: a peer that is reached
 * gets those that have not expired, and new ones from then on. Only own measurements are told.
 * Between controllers, times are ages, because their clocks differ.
 *
 * <p>All state belongs to the writer, an executor that runs one task at a time.
 */
final class PeerMeasurements implements PeerListener {
  /** The max number of links in a message: a quarter of its max size. */
  private static final int BATCH = 2_500;

  private static final long UNKNOWN_AGE = -1;

  private final InformedPeers peers;
  private final LinkTracker links;
  private final LongSupplier nanoTime;
  private final Executor writer;

  private long toldNanos;

  PeerMeasurements(IPeerService peers, LinkTracker links, LongSupplier nanoTime, Executor writer) {
    this.peers = new InformedPeers(peers, PeerTopic.MEASUREMENTS);
    this.links = links;
    this.nanoTime = nanoTime;
    this.writer = writer;
    toldNanos = nanoTime.getAsLong();
  }

  @Override
  public void reached(String peer) {
    writer.execute(() -> peers.reached(peer));
  }

  @Override
  public void lost(String peer) {
    writer.execute(() -> peers.lost(peer));
  }

  @Override
  public void received(String peer, ByteBuffer message) {
    long now = nanoTime.getAsLong();
    Map<DirectedLink, LinkMeasurements> measured = new LinkedHashMap<>();
    while (message.hasRemaining()) {
      DirectedLink link =
          new DirectedLink(
              DatapathId.of(message.getLong()),
              OFPort.of(message.getInt()),
              DatapathId.of(message.getLong()),
              OFPort.of(message.getInt()));
      measured.put(
          link,
          new LinkMeasurements(
              read(message, now, Source.PROBE),
              read(message, now, Source.AGENT),
              read(message, now, Source.PORT_STATISTICS),
              read(message, now, Source.PORT_STATISTICS)));
    }
    measured.forEach(links::told);
  }

  private static @Nullable Measurement read(ByteBuffer message, long now, Source source) {
    long age = message.getLong();
    double value = message.getDouble();
    return age < 0 ? null : new Measurement(value, now - age, source);
  }

  /** Tells of the measurements since the last call; to be called about once a second. */
  void tell() {
    long now = nanoTime.getAsLong();
    if (!peers.isEmpty()) {
      peers.tellNew(messages(links.ownSince(toldNanos, now), now));
    }
    peers.tellAll(() -> messages(links.own(now), now));
    toldNanos = now;
    links.forgetTold(now);
  }

  private static List<byte[]> messages(Map<DirectedLink, LinkMeasurements> measured, long now) {
    return Lists.partition(List.copyOf(measured.entrySet()), BATCH).stream()
        .map(batch -> message(batch, now))
        .toList();
  }

  private static byte[] message(
      List<Map.Entry<DirectedLink, LinkMeasurements>> measured, long now) {
    ByteArrayDataOutput out = ByteStreams.newDataOutput();
    for (Map.Entry<DirectedLink, LinkMeasurements> each : measured) {
      DirectedLink link = each.getKey();
      LinkMeasurements values = each.getValue();
      out.writeLong(link.src().getLong());
      out.writeInt(link.srcPort().getPortNumber());
      out.writeLong(link.dst().getLong());
      out.writeInt(link.dstPort().getPortNumber());
      write(out, values.latencyNanos(), now);
      write(out, values.agentThroughputBps(), now);
      write(out, values.unusedBps(), now);
      write(out, values.useBps(), now);
    }
    return out.toByteArray();
  }

  private static void write(ByteArrayDataOutput out, @Nullable Measurement measured, long now) {
    out.writeLong(measured == null ? UNKNOWN_AGE : Math.max(0, measured.ageNanos(now)));
    out.writeDouble(measured == null ? 0 : measured.value());
  }
}
