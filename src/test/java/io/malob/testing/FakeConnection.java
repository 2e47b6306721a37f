package io.malob.testing;

import io.malob.openflow.tracked.ConntrackMatch;
import io.malob.openflow.tracked.Mark;
import io.malob.openflow.tracked.Nat;
import java.util.Optional;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.U16;

/**
 * An entry of a {@link FakeConntrack}. The states of TCP are those of Open vSwitch 3.1's {@code
 * lib/conntrack-tcp.c}, without its check of sequence numbers and windows. Not safe for use by
 * several threads.
 */
final class FakeConnection {
  private static final int FIN = 1;
  private static final int SYN = 2;
  private static final int RST = 4;
  private static final int PSH = 8;
  private static final int ACK = 16;
  private static final int URG = 32;

  /** What one end of a connection of TCP has sent; ordered. */
  private enum TcpState {
    CLOSED,
    SYN_SENT,
    ESTABLISHED,
    CLOSING,
    FIN_WAIT,
    TIME_WAIT
  }

  /** What a packet means for a connection. */
  enum Update {
    /** Belongs to it, which has been answered. */
    ESTABLISHED,
    /** Belongs to it, which has not been answered. */
    STILL_NEW,
    INVALID,
    /** Begins the next one of the same addresses and ports. */
    NEXT
  }

  private final ConntrackTuple original;
  private final ConntrackTuple reply;
  private final Optional<Nat.End> translatedEnd;
  private int mark;
  private long label;
  private boolean isAnswered;
  private TcpState client = TcpState.SYN_SENT;
  private TcpState server = TcpState.CLOSED;
  private long usedAtNanos;
  private boolean hasEnded;

  /**
   * A connection after its first packet.
   *
   * @param reply what packets back look like: not just the original reversed, if there is an end
   */
  FakeConnection(
      ConntrackTuple original,
      ConntrackTuple reply,
      Optional<Nat.End> translatedEnd,
      long nowNanos) {
    this.original = original;
    this.reply = reply;
    this.translatedEnd = translatedEnd;
    this.usedAtNanos = nowNanos;
  }

  ConntrackTuple original() {
    return original;
  }

  ConntrackTuple reply() {
    return reply;
  }

  int mark() {
    return mark;
  }

  void set(Mark change) {
    mark = (mark & ~change.mask()) | change.value();
  }

  long label() {
    return label;
  }

  void setLabel(long value) {
    label = value;
  }

  boolean isAnswered() {
    return isAnswered;
  }

  /** The next connection of the same addresses and ports has begun. */
  void end() {
    hasEnded = true;
  }

  boolean hasEnded() {
    return hasEnded;
  }

  boolean isIdle(long nowNanos, long maxIdleNanos) {
    return nowNanos - usedAtNanos >= maxIdleNanos;
  }

  /** Takes note of a packet. */
  Update update(MutableFrame frame, boolean isReply, long nowNanos) {
    usedAtNanos = nowNanos;
    if (original.protocol() == ConntrackTuple.TCP) {
      return updateTcp(flags(frame), isReply);
    }
    isAnswered |= isReply;
    return isAnswered ? Update.ESTABLISHED : Update.STILL_NEW;
  }

  /** Any segment without SYN counts as of a known connection, as if it had been answered before. */
  private Update updateTcp(int flags, boolean isReply) {
    if (areInvalid(flags)) {
      return Update.INVALID;
    }
    TcpState sender = isReply ? server : client;
    TcpState receiver = isReply ? client : server;
    if ((flags & (SYN | ACK)) == SYN) {
      if (sender.compareTo(TcpState.FIN_WAIT) >= 0 && receiver.compareTo(TcpState.FIN_WAIT) >= 0) {
        return Update.NEXT;
      }
      if (sender.compareTo(TcpState.SYN_SENT) <= 0) {
        remember(isReply, TcpState.SYN_SENT, receiver);
        return Update.STILL_NEW;
      }
    }
    if ((flags & SYN) != 0
        && sender.compareTo(TcpState.FIN_WAIT) >= 0
        && receiver.compareTo(TcpState.FIN_WAIT) >= 0) {
      return Update.INVALID; // of another connection, with other sequence numbers
    }
    if (sender == TcpState.CLOSED) {
      sender = TcpState.SYN_SENT;
    }
    if ((flags & FIN) != 0 && sender.compareTo(TcpState.CLOSING) < 0) {
      sender = TcpState.CLOSING;
    }
    if ((flags & ACK) != 0) {
      receiver =
          switch (receiver) {
            case SYN_SENT -> TcpState.ESTABLISHED;
            case CLOSING -> TcpState.FIN_WAIT;
            default -> receiver;
          };
    }
    if ((flags & RST) != 0) {
      sender = TcpState.TIME_WAIT;
      receiver = TcpState.TIME_WAIT;
    }
    remember(isReply, sender, receiver);
    isAnswered |= isReply;
    return Update.ESTABLISHED;
  }

  private void remember(boolean isReply, TcpState sender, TcpState receiver) {
    client = isReply ? receiver : sender;
    server = isReply ? sender : receiver;
  }

  /** Whether a packet may be the first that is seen of a connection; it may be from its middle. */
  static boolean mayBegin(ConntrackTuple tuple, MutableFrame frame) {
    if (tuple.protocol() != ConntrackTuple.TCP) {
      return tuple.mayBegin();
    }
    int flags = flags(frame);
    return !areInvalid(flags) && (flags & (SYN | ACK)) != (SYN | ACK);
  }

  private static int flags(MutableFrame frame) {
    return frame.get(MatchField.TCP_FLAGS) instanceof U16 flags ? flags.getValue() : 0;
  }

  private static boolean areInvalid(int flags) {
    boolean isSyn = (flags & SYN) != 0;
    return (isSyn && (flags & (RST | FIN)) != 0)
        || (!isSyn && (flags & (ACK | RST)) == 0)
        || ((flags & ACK) == 0 && (flags & (FIN | PSH | URG)) != 0);
  }

  /** What packets look like after they have been translated in a direction. */
  ConntrackTuple translated(boolean isReply) {
    return isReply ? original.reversed() : reply.reversed();
  }

  /** The bit of a packet's state that says which end was translated; 0 if none was. */
  int translation(boolean isReply) {
    if (translatedEnd.isEmpty()) {
      return 0;
    }
    return (translatedEnd.get() == Nat.End.SOURCE) != isReply
        ? ConntrackMatch.SOURCE_TRANSLATED
        : ConntrackMatch.DESTINATION_TRANSLATED;
  }
}
