package io.malob.capability;

import com.google.common.collect.Lists;
import com.google.common.collect.Sets;
import io.malob.capability.FeatureProbes.Answer;
import io.malob.capability.SwitchCapability.Source;
import io.malob.module.FieldReader;
import io.malob.module.FieldWriter;
import io.malob.module.IPeerService;
import io.malob.module.InformedPeers;
import io.malob.module.PeerListener;
import io.malob.module.PeerTopic;
import io.malob.openflow.TableLayout;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Shares the capabilities of switches with the other controllers of a cluster. A peer that is
 * reached gets those of all own switches, and new ones from then on. What a peer has sent is not
 * sent on.
 *
 * <p>All state belongs to the writer, an executor that runs one task at a time.
 */
final class PeerCapabilities implements PeerListener {
  /** The max number of switches in a message: less than its max size. */
  private static final int BATCH = 1_000;

  /** Of a description: longer ones are cut, as OpenFlow's own are at 256. */
  private static final int MAX_TEXT = 256;

  private final InformedPeers peers;
  private final Supplier<? extends Map<DatapathId, KnownCapability>> own;
  private final BiConsumer<DatapathId, KnownCapability> receiver;
  private final Executor writer;

  /** What is new since the last message. */
  private final Map<DatapathId, KnownCapability> changed = new LinkedHashMap<>();

  PeerCapabilities(
      IPeerService peers,
      Supplier<? extends Map<DatapathId, KnownCapability>> own,
      BiConsumer<DatapathId, KnownCapability> receiver,
      Executor writer) {
    this.peers = new InformedPeers(peers, PeerTopic.CAPABILITIES);
    this.own = own;
    this.receiver = receiver;
    this.writer = writer;
  }

  @Override
  public void reached(String peer) {
    writer.execute(
        () -> {
          peers.reached(peer);
          publish();
        });
  }

  @Override
  public void lost(String peer) {
    writer.execute(() -> peers.lost(peer));
  }

  /** The capability of an own switch has become known. */
  void changed(DatapathId switchId, KnownCapability capability) {
    writer.execute(() -> changed.put(switchId, capability));
  }

  /** Tells what is new; to be called several times a second, by the writer. */
  void publish() {
    if (!changed.isEmpty()) {
      peers.sendNew(messages(changed));
      changed.clear();
    }
    peers.sendAll(() -> messages(own.get()));
  }

  private static List<byte[]> messages(Map<DatapathId, KnownCapability> capabilities) {
    return Lists.partition(List.copyOf(capabilities.entrySet()), BATCH).stream()
        .map(PeerCapabilities::message)
        .toList();
  }

  private static byte[] message(List<Map.Entry<DatapathId, KnownCapability>> capabilities) {
    FieldWriter out = new FieldWriter(128 * capabilities.size()).putInt(capabilities.size());
    for (Map.Entry<DatapathId, KnownCapability> each : capabilities) {
      SwitchIdentity identity = each.getValue().identity();
      SwitchCapability capability = each.getValue().capability();
      out.putSwitch(each.getKey())
          .putShort(identity.tables())
          .putText(cut(identity.manufacturer()))
          .putText(cut(identity.hardware()))
          .putText(cut(identity.software()))
          .putText(capability.layout().name())
          .putText(capability.source().name())
          .putByte(capability.refused().size());
      capability.refused().forEach(feature -> out.putText(feature.name()));
    }
    // behind the rest, where earlier versions do not look
    if (capabilities.stream().anyMatch(each -> tracking(each.getValue()) != Answer.PENDING)) {
      capabilities.forEach(each -> out.putText(tracking(each.getValue()).name()));
    }
    return out.toBytes();
  }

  private static Answer tracking(KnownCapability known) {
    return known.capability().tracking();
  }

  private static String cut(String text) {
    return text.substring(0, Math.min(text.length(), MAX_TEXT));
  }

  @Override
  public void received(String peer, ByteBuffer message) {
    FieldReader in = new FieldReader(message);
    Map<DatapathId, KnownCapability> read = new LinkedHashMap<>();
    for (int left = in.readInt(); left > 0; left--) {
      read.put(in.readSwitch(), read(in));
    }
    if (in.hasRemaining()) {
      read.replaceAll((switchId, known) -> withTracking(known, Answer.valueOf(in.readText())));
    }
    read.forEach(receiver);
  }

  private static KnownCapability withTracking(KnownCapability known, Answer answer) {
    return new KnownCapability(known.identity(), known.capability().withTracking(answer));
  }

  private static KnownCapability read(FieldReader in) {
    SwitchIdentity identity =
        new SwitchIdentity((short) in.readShort(), in.readText(), in.readText(), in.readText());
    TableLayout layout = TableLayout.valueOf(in.readText());
    Source source = Source.valueOf(in.readText());
    Set<SwitchFeature> refused = EnumSet.noneOf(SwitchFeature.class);
    for (int left = (byte) in.readByte(); left > 0; left--) {
      refused.add(SwitchFeature.valueOf(in.readText()));
    }
    return new KnownCapability(
        identity, new SwitchCapability(layout, source, Sets.immutableEnumSet(refused)));
  }
}
