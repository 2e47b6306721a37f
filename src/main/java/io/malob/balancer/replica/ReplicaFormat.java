package io.malob.balancer.replica;

import static io.malob.module.FieldReader.within;

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
import io.malob.module.FieldReader;
import io.malob.module.FieldWriter;
import io.malob.module.PeerFormat;
import io.malob.openflow.label.Label;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The messages of {@code PeerTopic.CONNECTIONS}: a byte with the version, then entries. An entry
 * begins with a byte for its kind. Addresses are written in full, because an {@link AddressKey} has
 * a meaning in its own process only. A connection takes about 90 bytes over IPv4, and about 130
 * over IPv6. Pure.
 */
final class ReplicaFormat implements PeerFormat<ReplicaEntry> {
  static final ReplicaFormat FORMAT = new ReplicaFormat();

  private static final int MAX_VLAN = 4_094;
  private static final int VERSION = 3;

  private static final int PLACED = 1;
  private static final int GONE = 2;
  private static final int LABELLED = 3;
  private static final int LABEL_GONE = 4;
  private static final int BEGIN = 5;
  private static final int END = 6;
  private static final int AGAIN = 7;

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

  /** Begins a message. */
  static void begin(FieldWriter out) {
    out.putByte(VERSION);
  }

  /**
   * Reads a message.
   *
   * @throws IllegalArgumentException if it is of another version, cut off, or has a wrong value
   */
  static List<ReplicaEntry> read(ByteBuffer message) {
    int version = new FieldReader(message).readByte();
    if (version != VERSION) {
      throw new IllegalArgumentException("version " + version + ", not " + VERSION);
    }
    return FORMAT.readAll(message);
  }

  @Override
  public void write(ReplicaEntry entry, FieldWriter out) {
    if (entry instanceof Placed placed) {
      write(placed, out);
    } else if (entry instanceof Gone gone) {
      out.putByte(GONE);
      TupleFormat.write(gone.request(), out);
      out.putSwitch(gone.clientSwitch());
    } else if (entry instanceof Labelled labelled) {
      out.putByte(LABELLED).putInt(labelled.label()).putSwitch(labelled.path().src());
      out.putShort(labelled.path().hops());
      for (DirectedLink link : labelled.path().links()) {
        out.putPort(link.srcPort()).putSwitch(link.dst()).putPort(link.dstPort());
      }
    } else if (entry instanceof LabelGone gone) {
      out.putByte(LABEL_GONE).putInt(gone.label());
    } else if (entry instanceof Begin begin) {
      out.putByte(BEGIN).putInt(begin.switches().size());
      begin.switches().forEach(out::putSwitch);
    } else {
      out.putByte(entry instanceof End ? END : AGAIN);
    }
  }

  private static void write(Placed placed, FieldWriter out) {
    out.putByte(PLACED);
    TupleFormat.write(placed.request(), out);
    TupleFormat.writeAddress(placed.reply().srcAddress(), out);
    out.putShort(placed.reply().srcPort());
    out.putShort(placed.vipNumber()).putShort(placed.memberNumber());
    out.putInt(placed.generation()).putByte(STATES.indexOf(placed.state()));
    out.putByte(
        (placed.wasEnded() ? WAS_ENDED : 0)
            | (placed.isBrief() ? BRIEF : 0)
            | (placed.keepsPort() ? KEEPS_PORT : 0)
            | (placed.isAnswered() ? ANSWERED : 0));
    out.putByte(placed.halfOpenSeconds());
    out.putInt((int) Math.min(Integer.MAX_VALUE, placed.ageMillis()));
    write(placed.client(), out);
    write(placed.member(), out);
    out.putInt(placed.requestLabel()).putInt(placed.replyLabel());
    out.putShortBytes(placed.algorithm().name().getBytes(StandardCharsets.US_ASCII));
  }

  private static void write(Attachment at, FieldWriter out) {
    long mac = at.mac().getLong();
    out.putSwitch(at.switchId()).putPort(at.port());
    out.putShort((int) (mac >>> Integer.SIZE)).putInt((int) mac).putShort(at.vlan());
  }

  @Override
  public ReplicaEntry read(FieldReader in) {
    int kind = in.readByte();
    return switch (kind) {
      case PLACED -> readPlaced(in);
      case GONE -> new Gone(TupleFormat.read(in), in.readSwitch());
      case LABELLED -> new Labelled(readLabel(in, 1), readPath(in));
      case LABEL_GONE -> new LabelGone(readLabel(in, 1));
      case BEGIN -> {
        int count = within("switches", in.readInt(), 0, in.remaining() / Long.BYTES);
        ImmutableSet.Builder<DatapathId> switches = ImmutableSet.builder();
        for (int i = 0; i < count; i++) {
          switches.add(in.readSwitch());
        }
        yield new Begin(switches.build());
      }
      case END -> new End();
      case AGAIN -> new Again();
      default -> throw new IllegalArgumentException("kind of entry " + kind);
    };
  }

  private static Placed readPlaced(FieldReader in) {
    FiveTuple request = TupleFormat.read(in);
    int memberAddress = TupleFormat.readAddress(in, request.isIpv6());
    int memberPort = in.readShort();
    int vip = in.readShort();
    int member = in.readShort();
    int generation = in.readInt();
    State state = STATES.get(within("state", in.readByte(), 0, STATES.size() - 1));
    int flags = in.readByte();
    int halfOpenSeconds = within("half-open seconds", in.readByte(), 0, Byte.MAX_VALUE);
    int ageMillis = within("age", in.readInt(), 0, Integer.MAX_VALUE);
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

  private static Algorithm readAlgorithm(FieldReader in) {
    int length = within("length of the algorithm", in.readByte(), 1, MAX_NAME_BYTES);
    String name = new String(in.readBytes(length), StandardCharsets.US_ASCII);
    return Algorithm.named(name)
        .orElseThrow(() -> new IllegalArgumentException("algorithm \"" + name + "\""));
  }

  private static Attachment readAttachment(FieldReader in) {
    DatapathId switchId = in.readSwitch();
    OFPort port = in.readPort();
    long mac = (long) in.readShort() << Integer.SIZE;
    MacAddress whole = MacAddress.of(mac | Integer.toUnsignedLong(in.readInt()));
    return new Attachment(switchId, port, whole, within("VLAN", in.readShort(), 0, MAX_VLAN));
  }

  private static int readLabel(FieldReader in, int min) {
    return within("label", in.readInt(), min, Label.MAX_CONNECTION_ID);
  }

  private static Path readPath(FieldReader in) {
    DatapathId src = in.readSwitch();
    int hops = within("hops", in.readShort(), 0, in.remaining() / LINK_BYTES);
    ImmutableList.Builder<DirectedLink> links = ImmutableList.builder();
    DatapathId at = src;
    for (int i = 0; i < hops; i++) {
      OFPort out = in.readPort();
      DatapathId next = in.readSwitch();
      links.add(new DirectedLink(at, out, next, in.readPort()));
      at = next;
    }
    return new Path(src, links.build());
  }
}
