package io.malob.monitor;

import io.malob.algorithm.graph.DirectedLink;
import io.malob.module.FieldReader;
import io.malob.module.FieldWriter;
import io.malob.module.IPeerService;
import io.malob.module.InformedPeers;
import io.malob.module.PeerFormat;
import io.malob.module.PeerListener;
import io.malob.module.PeerTopic;
import io.malob.state.network.LinkMeasurements;
import io.malob.state.network.MeasuredLinks;
import io.malob.state.network.Measurement;
import io.malob.state.network.Measurement.Source;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Shares the measurements of links with the other controllers of a cluster: a peer that is reached
 * gets those that have not expired, and new ones from then on. Only own measurements are sent.
 * Between controllers, times are ages, because their clocks differ.
 *
 * <p>All state belongs to the writer, an executor that runs one task at a time.
 */
final class PeerMeasurements implements PeerListener {
  /** The max number of links in a message: a quarter of its max size. */
  private static final int BATCH = 2_500;

  private static final long UNKNOWN_AGE = -1;

  private final InformedPeers peers;
  private final MeasuredLinks links;
  private final LongSupplier nanoTime;
  private final Executor writer;

  private long sentNanos;

  PeerMeasurements(
      IPeerService peers, MeasuredLinks links, LongSupplier nanoTime, Executor writer) {
    this.peers = new InformedPeers(peers, PeerTopic.MEASUREMENTS);
    this.links = links;
    this.nanoTime = nanoTime;
    this.writer = writer;
    sentNanos = nanoTime.getAsLong();
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
    new Format(now).readAll(message).forEach(each -> links.learn(each.getKey(), each.getValue()));
  }

  /** Tells of the measurements since the last call; to be called about once a second. */
  void publish() {
    long now = nanoTime.getAsLong();
    if (!peers.isEmpty()) {
      peers.sendNew(messages(links.ownSince(sentNanos, now), now));
    }
    peers.sendAll(() -> messages(links.own(now), now));
    sentNanos = now;
    links.forgetTold(now);
  }

  private static List<byte[]> messages(Map<DirectedLink, LinkMeasurements> measured, long now) {
    return new Format(now).messages(measured.entrySet(), BATCH);
  }

  /** The messages at a time. */
  private record Format(long now) implements PeerFormat<Map.Entry<DirectedLink, LinkMeasurements>> {
    @Override
    public void write(Map.Entry<DirectedLink, LinkMeasurements> measured, FieldWriter out) {
      DirectedLink link = measured.getKey();
      LinkMeasurements values = measured.getValue();
      out.putSwitch(link.src())
          .putPort(link.srcPort())
          .putSwitch(link.dst())
          .putPort(link.dstPort());
      write(values.latencyNanos(), out);
      write(values.agentThroughputBps(), out);
      write(values.unusedBps(), out);
      write(values.useBps(), out);
    }

    private void write(@Nullable Measurement measured, FieldWriter out) {
      out.putLong(measured == null ? UNKNOWN_AGE : Math.max(0, measured.ageNanos(now)));
      out.putDouble(measured == null ? 0 : measured.value());
    }

    @Override
    public Map.Entry<DirectedLink, LinkMeasurements> read(FieldReader in) {
      return Map.entry(
          new DirectedLink(in.readSwitch(), in.readPort(), in.readSwitch(), in.readPort()),
          new LinkMeasurements(
              read(in, Source.PROBE),
              read(in, Source.AGENT),
              read(in, Source.PORT_STATISTICS),
              read(in, Source.PORT_STATISTICS)));
    }

    private @Nullable Measurement read(FieldReader in, Source source) {
      long age = in.readLong();
      double value = in.readDouble();
      return age < 0 ? null : new Measurement(value, now - age, source);
    }
  }
}
