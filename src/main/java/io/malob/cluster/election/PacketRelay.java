package io.malob.cluster.election;

import io.malob.module.FieldReader;
import io.malob.module.FieldWriter;
import io.malob.module.IPeerService;
import io.malob.module.Mastership.RoleChannel;
import io.malob.module.PeerListener;
import io.malob.module.PeerTopic;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Takes packet-ins of switches that are handed over from their master to the next one. A message
 * has the datapath id in its first eight bytes; the OpenFlow message follows. Thread-safe.
 */
final class PacketRelay implements PeerListener {
  private final Map<DatapathId, RoleChannel> channels = new ConcurrentHashMap<>();

  /** Null if there are no streams to other controllers. */
  private volatile @Nullable IPeerService peers;

  /** Uses these streams from now on. */
  void relayOver(IPeerService streams) {
    streams.listen(PeerTopic.PACKETS, this);
    peers = streams;
  }

  void connected(RoleChannel sw) {
    channels.put(sw.id(), sw);
  }

  void disconnected(RoleChannel sw) {
    channels.remove(sw.id(), sw);
  }

  /** Sends packet-ins of a switch to this controller; false if there is no stream to it. */
  Predicate<byte[]> to(String controller, DatapathId id) {
    return message -> {
      @Nullable IPeerService streams = peers;
      return streams != null
          && streams.send(
              controller,
              PeerTopic.PACKETS,
              new FieldWriter(Long.BYTES + message.length)
                  .putSwitch(id)
                  .putBytes(message)
                  .toBytes());
    };
  }

  /** Whether messages reach a controller. */
  boolean reaches(String controller) {
    @Nullable IPeerService streams = peers;
    return streams != null && streams.reached().contains(controller);
  }

  @Override
  public void received(String peer, ByteBuffer message) {
    if (message.remaining() <= Long.BYTES) {
      return;
    }
    FieldReader in = new FieldReader(message);
    @Nullable RoleChannel sw = channels.get(in.readSwitch());
    if (sw != null) {
      sw.takeHandedOn(in.readRest());
    }
  }
}
