package io.malob.openflow.bucket;

import io.malob.openflow.tracked.ConntrackMatch;
import io.malob.openflow.tracked.Mark;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.types.U32;

/**
 * What switches remember of a connection of a tracked VIP, in both zones: the number of its member
 * in bits 0 to 15, and the ordinal of the path of its replies in bits 16 to 23. Of connections to a
 * member itself, members' edges remember only that, in bit 24, or in bit 25 until the member has
 * accepted them. Pure.
 */
public final class TrackedMark {
  /** The max number of paths of replies between two edges. */
  public static final int MAX_PATHS = 3;

  private static final int MEMBER = 0xffff;
  private static final int PATH_SHIFT = 16;
  private static final int PATH = 0xff << PATH_SHIFT;
  private static final int DIRECT = 1 << 24;
  private static final int ASKED = 1 << 25;

  private TrackedMark() {}

  /**
   * The mark of a connection.
   *
   * @param replyPath the ordinal of the path of its replies, from 1 on; 0 if any will do
   */
  public static Mark of(int memberNumber, int replyPath) {
    return new Mark(value(memberNumber, replyPath));
  }

  private static int value(int memberNumber, int replyPath) {
    return memberNumber | replyPath << PATH_SHIFT;
  }

  /** The number of the member in a mark. */
  static int memberIn(U32 mark) {
    return mark.getRaw() & MEMBER;
  }

  /** The mark of a connection to a member itself. */
  static Mark ofDirect() {
    return new Mark(DIRECT);
  }

  /**
   * The new mark of an ended connection of a VIP, whose addresses and ports one to a member has
   * now.
   */
  static Mark ofOvertaken() {
    return new Mark(DIRECT, DIRECT);
  }

  /**
   * The new mark of a connection, if there is one, whose addresses and ports a SYN to a member has.
   */
  static Mark ofAsked() {
    return new Mark(ASKED, ASKED);
  }

  /** Matches those. */
  static Match.Builder matchAsked(Match.Builder match) {
    return ConntrackMatch.mark(match, ASKED, ASKED);
  }

  /** Matches all but those. */
  static Match.Builder matchNotDirect(Match.Builder match) {
    return ConntrackMatch.mark(match, 0, DIRECT);
  }

  /** Matches ended connections of a member that others have overtaken. */
  static Match.Builder matchOvertaken(Match.Builder match, int memberNumber) {
    return ConntrackMatch.mark(match, DIRECT | memberNumber, DIRECT | MEMBER);
  }

  /** Matches the connections of a member, whatever overtakes them. */
  static Match.Builder match(Match.Builder match, int memberNumber) {
    return ConntrackMatch.mark(match, memberNumber, MEMBER);
  }

  /** Matches those that are not overtaken. */
  static Match.Builder matchCurrent(Match.Builder match, int memberNumber) {
    return ConntrackMatch.mark(match, memberNumber, DIRECT | MEMBER);
  }

  /** Matches those whose replies take a path. */
  static Match.Builder match(Match.Builder match, int memberNumber, int replyPath) {
    return ConntrackMatch.mark(match, value(memberNumber, replyPath), MEMBER | PATH);
  }

  /** Matches the connections of all members whose replies take a path. */
  static Match.Builder matchPath(Match.Builder match, int replyPath) {
    return ConntrackMatch.mark(match, value(0, replyPath), PATH);
  }
}
