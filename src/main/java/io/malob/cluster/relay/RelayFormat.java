package io.malob.cluster.relay;

import com.google.common.collect.ImmutableList;
import io.malob.module.FieldWriter;
import io.malob.module.IPeerService;
import io.malob.openflow.EncodedMessage;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The messages between controllers about rules. Each begins with a byte for its kind; then follow a
 * switch, a number, or both, of eight bytes each, and whole OpenFlow messages.
 */
final class RelayFormat {
  /** Switch; OpenFlow messages for it. */
  static final int WRITE = 1;

  /** Switch; number of the barrier. */
  static final int BARRIER = 2;

  /** Number of the barrier; a byte that is 1 if the switch has answered it. */
  static final int ANSWER = 3;

  /** Switch; its error, with the transaction id of the controller that sent the message. */
  static final int ERROR = 4;

  /** Switch; messages for it were not written. */
  static final int REFUSED = 5;

  private static final int XID_OFFSET = 4;
  private static final int MAX_MESSAGE_BYTES = 0xffff;

  /** Room for one more OpenFlow message must be left. */
  private static final int FULL_BYTES = IPeerService.MAX_MESSAGE - MAX_MESSAGE_BYTES;

  private RelayFormat() {}

  /** An OpenFlow message that was relayed, and the transaction id that its sender gave it. */
  record Relayed(EncodedMessage message, long senderXid) {}

  /**
   * The messages to a switch's master that contain these OpenFlow messages: one, unless they are
   * very long.
   *
   * @throws RuntimeException if a message cannot be encoded
   */
  static List<byte[]> write(DatapathId switchId, Iterable<OFMessage> messages) {
    List<byte[]> batches = new ArrayList<>(1);
    FieldWriter batch = new FieldWriter(512);
    for (OFMessage message : messages) {
      if (batch.size() > FULL_BYTES) {
        batches.add(batch.toBytes());
        batch.clear();
      }
      if (batch.size() == 0) {
        batch.putByte(WRITE).putSwitch(switchId);
      }
      batch.putMessage(message);
    }
    if (batch.size() > 0) {
      batches.add(batch.toBytes());
    }
    return batches;
  }

  static byte[] barrier(DatapathId switchId, long number) {
    return new FieldWriter(17).putByte(BARRIER).putSwitch(switchId).putLong(number).toBytes();
  }

  static byte[] answer(long number, boolean done) {
    return new FieldWriter(10).putByte(ANSWER).putLong(number).putByte(done ? 1 : 0).toBytes();
  }

  static byte[] refused(DatapathId switchId) {
    return new FieldWriter(9).putByte(REFUSED).putSwitch(switchId).toBytes();
  }

  /** An error of a switch, as if it had answered the sender itself. */
  static byte[] error(DatapathId switchId, OFMessage error, long senderXid) {
    FieldWriter out = new FieldWriter(128).putByte(ERROR).putSwitch(switchId);
    int start = out.size();
    return out.putMessage(error).setInt(start + XID_OFFSET, (int) senderXid).toBytes();
  }

  /**
   * Reads relayed OpenFlow messages, each with a transaction id of this controller. Empty if one is
   * damaged, has another version than the switch, or does more than to change rules and send
   * packets: a controller must not change another one's role, for example.
   */
  static Optional<ImmutableList<Relayed>> readWrite(ByteBuffer messages, OFFactory factory) {
    ImmutableList.Builder<Relayed> read = ImmutableList.builder();
    while (messages.hasRemaining()) {
      int start = messages.position();
      if (messages.remaining() < EncodedMessage.HEADER_BYTES) {
        return Optional.empty();
      }
      int version = messages.get() & 0xff;
      Optional<OFType> type = typeOf(messages.get());
      int length = messages.getShort() & 0xffff;
      long xid = messages.getInt() & 0xffff_ffffL;
      int end = start + length;
      if (version != factory.getVersion().getWireVersion()
          || type.isEmpty()
          || length < EncodedMessage.HEADER_BYTES
          || end > messages.limit()) {
        return Optional.empty();
      }
      ByteBuffer body = messages.slice(messages.position(), end - messages.position());
      read.add(new Relayed(new EncodedMessage(factory, type.get(), body), xid));
      messages.position(end);
    }
    return Optional.of(read.build());
  }

  /** The numbers of types are the same from OpenFlow 1.3 to 1.5. */
  private static Optional<OFType> typeOf(byte number) {
    return switch (number) {
      case 13 -> Optional.of(OFType.PACKET_OUT);
      case 14 -> Optional.of(OFType.FLOW_MOD);
      case 15 -> Optional.of(OFType.GROUP_MOD);
      default -> Optional.empty();
    };
  }
}
