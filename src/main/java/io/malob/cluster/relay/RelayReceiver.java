package io.malob.cluster.relay;

import com.google.common.collect.ImmutableList;
import com.google.common.util.concurrent.MoreExecutors;
import io.malob.cluster.relay.RelayFormat.Relayed;
import io.malob.module.IPeerService;
import io.malob.module.PeerTopic;
import io.malob.module.Unordered;
import io.malob.openflow.Answers;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Writes other controllers' messages to the switches that this one is master of, in order, and
 * sends answers and errors back. Thread-safe; nothing blocks.
 *
 * <p>It remembers which controller sent a message for the latest 32,768 transaction ids of this
 * controller. A switch reports an error within milliseconds.
 */
final class RelayReceiver implements IOFMessageListener, Unordered<OFType> {
  private static final int REMEMBERED = 1 << 15;

  private final IOFSwitchService switches;
  private final IPeerService peers;

  /** By the lower bits of the transaction id: a later message takes the place of an earlier one. */
  private final AtomicReferenceArray<@Nullable Origin> origins =
      new AtomicReferenceArray<>(REMEMBERED);

  final LongAdder written = new LongAdder();
  final LongAdder refused = new LongAdder();
  final LongAdder errors = new LongAdder();

  /** Where a message came from. */
  private record Origin(long xid, String peer, long senderXid) {}

  RelayReceiver(IOFSwitchService switches, IPeerService peers) {
    this.switches = switches;
    this.peers = peers;
  }

  /** Messages for a switch; those that it cannot write are refused as a whole. */
  void write(String peer, DatapathId switchId, ByteBuffer messages) {
    @Nullable IOFSwitch sw = switches.getActiveSwitch(switchId);
    Optional<ImmutableList<Relayed>> batch =
        sw == null ? Optional.empty() : RelayFormat.readWrite(messages, sw.getOFFactory());
    if (sw == null || batch.isEmpty() || !write(peer, sw, batch.get())) {
      refused.increment();
      send(peer, RelayFormat.refused(switchId));
    } else {
      written.increment();
    }
  }

  private boolean write(String peer, IOFSwitch sw, ImmutableList<Relayed> batch) {
    ImmutableList.Builder<OFMessage> messages = ImmutableList.builder();
    for (Relayed each : batch) {
      long xid = each.message().getXid();
      origins.set(slot(xid), new Origin(xid, peer, each.senderXid()));
      messages.add(each.message());
    }
    return sw.write(messages.build()).isEmpty();
  }

  private static int slot(long xid) {
    return (int) xid & (REMEMBERED - 1);
  }

  /** A barrier after earlier messages for a switch. */
  void barrier(String peer, DatapathId switchId, long number) {
    @Nullable IOFSwitch sw = switches.getActiveSwitch(switchId);
    if (sw == null) {
      send(peer, RelayFormat.answer(number, false));
      return;
    }
    Answers.take(
        sw.writeRequest(sw.getOFFactory().barrierRequest()),
        MoreExecutors.directExecutor(),
        reply -> {
          // a switch answers a slave, too, although it has written nothing
          send(peer, RelayFormat.answer(number, switches.getActiveSwitch(switchId) == sw));
        },
        cause -> send(peer, RelayFormat.answer(number, false)));
  }

  /** Errors about relayed messages concern no listener of this controller. */
  @Override
  public Command receive(IOFSwitch sw, OFMessage error, FloodlightContext context) {
    @Nullable Origin origin = origins.get(slot(error.getXid()));
    if (origin == null || origin.xid() != error.getXid()) {
      return Command.CONTINUE;
    }
    errors.increment();
    send(origin.peer(), RelayFormat.error(sw.getId(), error, origin.senderXid()));
    return Command.STOP;
  }

  /** If there is no stream, the sender counts its barriers as failed. */
  private void send(String peer, byte[] message) {
    var unused = peers.send(peer, PeerTopic.RULES, message);
  }

  @Override
  public String getName() {
    return "relay";
  }

  /** It comes before all others. */
  @Override
  public boolean isCallbackOrderingPostreq(OFType type, String name) {
    return true;
  }
}
