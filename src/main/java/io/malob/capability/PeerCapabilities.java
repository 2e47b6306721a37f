package io.malob.capability;

import com.google.common.collect.Lists;
import com.google.common.collect.Sets;
import com.google.common.io.ByteArrayDataInput;
import com.google.common.io.ByteArrayDataOutput;
import com.google.common.io.ByteStreams;
import io.malob.capability.SwitchCapability.Source;
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
 * reached gets those of all own switches, and new ones from then on. What a peer has told is not
 * told again.
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
  private final BiConsumer<DatapathId, KnownCapability> told;
  private final Executor writer;

  /** What is new since the last message. */
  private final Map<DatapathId, KnownCapability> changed = new LinkedHashMap<>();

  PeerCapabilities(
      IPeerService peers,
      Supplier<? extends Map<DatapathId, KnownCapability>> own,
      BiConsumer<DatapathId, KnownCapability> told,
      Executor writer) {
    this.peers = new InformedPeers(peers, PeerTopic.CAPABILITIES);
    this.own = own;
    this.told = told;
    this.writer = writer;
  }

  @Override
  public void reached(String peer) {
    writer.execute(
        () -> {
          peers.reached(peer);
          tell();
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
  void tell() {
    if (!changed.isEmpty()) {
      peers.tellNew(messages(changed));
      changed.clear();
    }
    peers.tellAll(() -> messages(own.get()));
  }

  private static List<byte[]> messages(Map<DatapathId, KnownCapability> capabilities) {
    return Lists.partition(List.copyOf(capabilities.entrySet()), BATCH).stream()
        .map(PeerCapabilities::message)
        .toList();
  }

  private static byte[] message(List<Map.Entry<DatapathId, KnownCapability>> capabilities) {
    ByteArrayDataOutput out = ByteStreams.newDataOutput();
    out.writeInt(capabilities.size());
    for (Map.Entry<DatapathId, KnownCapability> each : capabilities) {
      SwitchIdentity identity = each.getValue().identity();
      SwitchCapability capability = each.getValue().capability();
      out.writeLong(each.getKey().getLong());
      out.writeShort(identity.tables());
      writeText(out, identity.manufacturer());
      writeText(out, identity.hardware());
      writeText(out, identity.software());
      out.writeUTF(capability.layout().name());
      out.writeUTF(capability.source().name());
      out.writeByte(capability.refused().size());
      capability.refused().forEach(feature -> out.writeUTF(feature.name()));
    }
    return out.toByteArray();
  }

  private static void writeText(ByteArrayDataOutput out, String text) {
    out.writeUTF(text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) : text);
  }

  @Override
  public void received(String peer, ByteBuffer message) {
    byte[] bytes = new byte[message.remaining()];
    message.get(bytes);
    Map<DatapathId, KnownCapability> read = new LinkedHashMap<>();
    try {
      ByteArrayDataInput in = ByteStreams.newDataInput(bytes);
      for (int left = in.readInt(); left > 0; left--) {
        read.put(DatapathId.of(in.readLong()), read(in));
      }
    } catch (IllegalStateException e) {
      throw new IllegalArgumentException("truncated", e);
    }
    read.forEach(told);
  }

  private static KnownCapability read(ByteArrayDataInput in) {
    SwitchIdentity identity =
        new SwitchIdentity(in.readShort(), in.readUTF(), in.readUTF(), in.readUTF());
    TableLayout layout = TableLayout.valueOf(in.readUTF());
    Source source = Source.valueOf(in.readUTF());
    Set<SwitchFeature> refused = EnumSet.noneOf(SwitchFeature.class);
    for (int left = in.readByte(); left > 0; left--) {
      refused.add(SwitchFeature.valueOf(in.readUTF()));
    }
    return new KnownCapability(
        identity, new SwitchCapability(layout, source, Sets.immutableEnumSet(refused)));
  }
}
