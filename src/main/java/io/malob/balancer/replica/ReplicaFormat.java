package io.malob.balancer.replica;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.balancer.connection.Connection.State;
import io.malob.balancer.connection.TupleFormat;
import io.malob.balancer.replica.ReplicaEntry.Again;
import io.malob.balancer.replica.ReplicaEntry.Begin;
import io.malob.balancer.replica.ReplicaEntry.End;
import io.malob.balancer.replica.ReplicaEntry.Gone;
import io.malob.balancer.replica.ReplicaEntry.LabelGone;
import io.malob.balancer.replica.ReplicaEntry.Labelled;
import io.malob.balancer.replica.ReplicaEntry.Placed;
import io.malob.openflow.label.Label;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The messages of {@code PeerTopic.CONNECTIONS}: a byte with the version, then entries. An entry
 * begins with a byte for its kind; all numbers are big-endian. Addresses are written in full,
 * because an {@link AddressKey} has a meaning in its own process only. A connection takes about 90
 * bytes over IPv4, and about 130 over IPv6. Pure.
 */
final class ReplicaFormat {
  static final byte VERSION = 2;

  /** The max size of a {@link Placed} or {@link Gone}. */
  static final int MAX_CONNECTION_BYTES = 160;

  private static final byte PLACED = 1;
  private static final byte GONE = 2;
  private static final byte LABELLED = 3;
  private static final byte LABEL_GONE = 4;
  private static final byte BEGIN = 5;
  private static final byte END = 6;
  private static final byte AGAIN = 7;

  private static final int WAS_ENDED = 1;
  private static final int BRIEF = 2;
  private static final int KEEPS_PORT = 4;
  private static final int ANSWERED = 8;

  private static final int MAX_NAME_BYTES = 32;
  private static final int LINK_BYTES = 16;

  /** The states by their numbers in messages. */
  private static final ImmutableList<State> STATES =
      ImmutableList.of(State.OPENING, State.OPEN, State.ENDED, State.DORMANT);

  private ReplicaFormat() {}

  /** A message that cannot be read. */
  static final class UnreadableException extends Exception {
    private static final long serialVersionUID = 1L;

    UnreadableException(String why) {
      super(why);
    }
  }

  /** The max number of bytes that an entry takes. */
  static int maxBytes(ReplicaEntry entry) {
    if (entry instanceof Labelled labelled) {
      return 16 + LINK_BYTES * labelled.path().hops();
    }
    return entry instanceof Begin begin
        ? 5 + Long.BYTES * begin.switches().size()
        : MAX_CONNECTION_BYTES;
  }

  /** Writes an entry to a buffer with enough room. */
  static void write(ReplicaEntry entry, ByteBuffer out) {
    if (entry instanceof Placed placed) {
      write(placed, out);
    } else if (entry instanceof Gone gone) {
      out.put(GONE);
      TupleFormat.write(gone.request(), out);
      out.putLong(gone.clientSwitch().getLong());
    } else if (entry instanceof Labelled labelled) {
      out.put(LABELLED).putInt(labelled.label()).putLong(labelled.path().src().getLong());
      out.putShort((short) labelled.path().hops());
      for (DirectedLink link : labelled.path().links()) {
        out.putInt(link.srcPort().getPortNumber()).putLong(link.dst().getLong());
        out.putInt(link.dstPort().getPortNumber());
      }
    } else if (entry instanceof LabelGone gone) {
      out.put(LABEL_GONE).putInt(gone.label());
    } else if (entry instanceof Begin begin) {
      out.put(BEGIN).putInt(begin.switches().size());
      begin.switches().forEach(switchId -> out.putLong(switchId.getLong()));
    } else {
      out.put(entry instanceof End ? END : AGAIN);
    }
  }

  private static void write(Placed placed, ByteBuffer out) {
    out.put(PLACED);
    TupleFormat.write(placed.request(), out);
    TupleFormat.writeAddress(placed.reply().srcAddress(), out);
    out.putShort((short) placed.reply().srcPort());
    out.putShort((short) placed.vipNumber()).putShort((short) placed.memberNumber());
    out.putInt(placed.generation());
    out.put((byte) STATES.indexOf(placed.state()));
    out.put(
        (byte)
            ((placed.wasEnded() ? WAS_ENDED : 0)
                | (placed.isBrief() ? BRIEF : 0)
                | (placed.keepsPort() ? KEEPS_PORT : 0)
                | (placed.isAnswered() ? ANSWERED : 0)));
    out.put((byte) placed.halfOpenSeconds());
    out.putInt((int) Math.min(Integer.MAX_VALUE, placed.ageMillis()));
    write(placed.client(), out);
    write(placed.member(), out);
    out.putInt(placed.requestLabel()).putInt(placed.replyLabel());
    byte[] name = placed.algorithm().name().getBytes(StandardCharsets.US_ASCII);
    out.put((byte) name.length).put(name);
  }

  private static void write(Attachment at, ByteBuffer out) {
    long mac = at.mac().getLong();
    out.putLong(at.switchId().getLong()).putInt(at.port().getPortNumber());
    out.putShort((short) (mac >>> Integer.SIZE)).putInt((int) mac);
  }

  /**
   * Reads a message.
   *
   * @throws UnreadableException if it is of another version, cut off, or has a wrong value
   */
  static List<ReplicaEntry> read(ByteBuffer in) throws UnreadableException {
    try {
      int version = in.get();
      if (version != VERSION) {
        throw new UnreadableException("version " + version + ", not " + VERSION);
      }
      List<ReplicaEntry> entries = new ArrayList<>();
      while (in.hasRemaining()) {
        entries.add(readEntry(in));
      }
      return entries;
    } catch (BufferUnderflowException e) {
      throw new UnreadableException("the message ends within an entry");
    } catch (IllegalArgumentException e) { // a port, for example
      throw new UnreadableException(String.valueOf(e.getMessage()));
    }
  }

  private static ReplicaEntry readEntry(ByteBuffer in) throws UnreadableException {
    byte kind = in.get();
    return switch (kind) {
      case PLACED -> readPlaced(in);
      case GONE -> new Gone(TupleFormat.read(in), DatapathId.of(in.getLong()));
      case LABELLED -> new Labelled(readLabel(in, 1), readPath(in));
      case LABEL_GONE -> new LabelGone(readLabel(in, 1));
      case BEGIN -> {
        int count = within("switches", in.getInt(), 0, in.remaining() / Long.BYTES);
        ImmutableSet.Builder<DatapathId> switches = ImmutableSet.builder();
        for (int i = 0; i < count; i++) {
          switches.add(DatapathId.of(in.getLong()));
        }
        yield new Begin(switches.build());
      }
      case END -> new End();
      case AGAIN -> new Again();
      default -> throw new UnreadableException("kind of entry " + kind);
    };
  }

  private static Placed readPlaced(ByteBuffer in) throws UnreadableException {
    FiveTuple request = TupleFormat.read(in);
    int memberAddress = TupleFormat.readAddress(in, request.isIpv6());
    int memberPort = Short.toUnsignedInt(in.getShort());
    int vip = Short.toUnsignedInt(in.getShort());
    int member = Short.toUnsignedInt(in.getShort());
    int generation = in.getInt();
    State state = STATES.get(within("state", in.get(), 0, STATES.size() - 1));
    int flags = in.get();
    int halfOpenSeconds = within("half-open seconds", in.get(), 0, Byte.MAX_VALUE);
    int ageMillis = within("age", in.getInt(), 0, Integer.MAX_VALUE);
    Attachment client = readAttachment(in);
    Attachment at = readAttachment(in);
    int requestLabel = readLabel(in, 0);
    int replyLabel = readLabel(in, 0);
    return new Placed(
        request,
        FiveTuple.of(
            request.protocol(), memberAddress, memberPort, request.srcAddress(), request.srcPort()),
        vip,
        member,
        (flags & KEEPS_PORT) != 0,
        readAlgorithm(in),
        generation,
        state,
        (flags & WAS_ENDED) != 0,
        (flags & ANSWERED) != 0,
        (flags & BRIEF) != 0,
        halfOpenSeconds,
        ageMillis,
        client,
        at,
        requestLabel,
        replyLabel);
  }

  private static Algorithm readAlgorithm(ByteBuffer in) throws UnreadableException {
    byte[] name = new byte[within("length of the algorithm", in.get(), 1, MAX_NAME_BYTES)];
    in.get(name);
    String text = new String(name, StandardCharsets.US_ASCII);
    return Algorithm.named(text)
        .orElseThrow(() -> new UnreadableException("algorithm \"" + text + "\""));
  }

  private static Attachment readAttachment(ByteBuffer in) {
    DatapathId switchId = DatapathId.of(in.getLong());
    OFPort port = OFPort.of(in.getInt());
    long mac = Short.toUnsignedLong(in.getShort()) << Integer.SIZE;
    return new Attachment(switchId, port, MacAddress.of(mac | Integer.toUnsignedLong(in.getInt())));
  }

  private static int readLabel(ByteBuffer in, int min) throws UnreadableException {
    return within("label", in.getInt(), min, Label.MAX_CONNECTION_ID);
  }

  private static Path readPath(ByteBuffer in) throws UnreadableException {
    DatapathId src = DatapathId.of(in.getLong());
    int hops = within("hops", in.getShort(), 0, in.remaining() / LINK_BYTES);
    ImmutableList.Builder<DirectedLink> links = ImmutableList.builder();
    DatapathId at = src;
    for (int i = 0; i < hops; i++) {
      OFPort out = OFPort.of(in.getInt());
      DatapathId next = DatapathId.of(in.getLong());
      links.add(new DirectedLink(at, out, next, OFPort.of(in.getInt())));
      at = next;
    }
    return new Path(src, links.build());
  }

  private static int within(String field, int value, int min, int max) throws UnreadableException {
    if (value < min || value > max) {
      throw new UnreadableException(field + " " + value);
    }
    return value;
  }
}
