package io.malob.openflow;

import io.malob.openflow.label.Label;
import java.util.List;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;

/**
 * A rule that drops, at a port on a segment of legacy switches, what these flood and what is for
 * their own tables. It is made for the layout of the switch; {@link RuleCompiler} leaves it as it
 * is. Immutable.
 *
 * @param in the port
 * @param which the packets that are dropped
 * @param layout the layout of the switch's tables
 */
public record SegmentRule(OFPort in, Packets which, TableLayout layout) implements Rule {
  /** Of announcements: IEEE 802's second experimental type, which no host acts on. */
  public static final int ETHERTYPE = 0x88b6;

  private static final int HEADER_BYTES = 14;
  private static final int FRAME_BYTES = 60;

  /** Packets that a rule matches. */
  public sealed interface Packets {}

  /** Frames that only tell legacy switches where an address is. */
  public record Announcements() implements Packets {}

  /** Packets with a label that has no rule on the switch. */
  public record Copies() implements Packets {}

  /** Packets with a label whose path leads over the switch, and not into this port. */
  public record Strays(Label label) implements Packets {}

  /**
   * The frame that tells all legacy switches of a segment where an address is. A broadcast, because
   * others would not reach all of them.
   */
  public static byte[] announcement(MacAddress address) {
    byte[] frame = new byte[FRAME_BYTES];
    System.arraycopy(MacAddress.BROADCAST.getBytes(), 0, frame, 0, 6);
    System.arraycopy(address.getBytes(), 0, frame, 6, 6);
    frame[HEADER_BYTES - 2] = (byte) (ETHERTYPE >>> 8);
    frame[HEADER_BYTES - 1] = (byte) ETHERTYPE;
    return frame;
  }

  /** Whether a switch of that layout can match these packets. */
  public static boolean fits(Packets which, TableLayout layout) {
    return layout.translates() || !(which instanceof Copies);
  }

  @Override
  public List<OFMessage> add(OFFactory factory) {
    return List.of(place(factory).add(factory, Cookie.of(CookieKind.SEGMENT, 0)).build());
  }

  @Override
  public List<OFMessage> remove(OFFactory factory) {
    return List.of(place(factory).delete(factory, Cookie.of(CookieKind.SEGMENT, 0)));
  }

  private RuleKey place(OFFactory factory) {
    boolean isOne = layout != TableLayout.FOUR_TABLES;
    TableId labels = isOne ? FlowLayout.CLASSIFY : FlowLayout.LABELS;
    Match.Builder match = factory.buildMatch().setExact(MatchField.IN_PORT, in);
    if (which instanceof Announcements) {
      match.setExact(MatchField.ETH_TYPE, EthType.of(ETHERTYPE));
      return new RuleKey(FlowLayout.CLASSIFY, FlowLayout.PRIORITY_ANNOUNCEMENT, match.build());
    }
    if (which instanceof Strays strays) {
      match.setExact(MatchField.ETH_DST, strays.label.mac());
      return new RuleKey(
          labels,
          isOne ? FlowLayout.PRIORITY_ONE_TABLE_STRAY : FlowLayout.PRIORITY_STRAY,
          match.build());
    }
    match.setMasked(MatchField.ETH_DST, Label.PREFIX, Label.PREFIX_MASK);
    return new RuleKey(
        labels,
        isOne ? FlowLayout.PRIORITY_ONE_TABLE_COPY : FlowLayout.PRIORITY_COPY,
        match.build());
  }
}
