package io.malob.openflow.bucket;

import io.malob.algorithm.Server;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.PacketOuts;
import io.malob.openflow.RuleKey;
import io.malob.openflow.SwitchRules;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;

/**
 * The rule that sends the first packets of a tracked VIP's connections to the controller, before
 * they meet their buckets, and the controller's answer. The rule ends by itself, so that buckets
 * place connections if the controller is lost. Pure.
 */
public final class OpeningRule {
  /** In the lowest bits of the cookie. */
  private static final int CODE = 5;

  private OpeningRule() {}

  /**
   * The rule.
   *
   * @param seconds until it ends
   */
  public static OFFlowAdd of(OFFactory factory, BucketTraffic traffic, int seconds) {
    return key(factory, traffic)
        .add(factory, cookie(traffic), SwitchRules.toController(factory))
        .setHardTimeout(seconds)
        .build();
  }

  /** Leaves the first packets of connections to their buckets. */
  public static OFMessage remove(OFFactory factory, BucketTraffic traffic) {
    return key(factory, traffic).delete(factory, cookie(traffic));
  }

  private static RuleKey key(OFFactory factory, BucketTraffic traffic) {
    Match.Builder match = BucketRules.requests(factory, traffic);
    TrackedRules.openingOnly(factory, traffic, match);
    return new RuleKey(FlowLayout.REQUESTS, FlowLayout.PRIORITY_OPENING, match.build());
  }

  private static U64 cookie(BucketTraffic traffic) {
    return Cookie.of(CookieKind.PROACTIVE, traffic.vipNumber(), 0, CODE);
  }

  /** Whether a packet came, or a rule was found, with such a rule's cookie. */
  public static boolean is(U64 cookie) {
    return Cookie.is(cookie, CookieKind.PROACTIVE)
        && Cookie.memberNumber(cookie) == 0
        && Cookie.generation(cookie) == CODE;
  }

  /**
   * Opens the connection of a packet that came by the rule, and sends the packet on.
   *
   * @param replyPath the ordinal of the path of its replies, from 1 on
   */
  public static OFMessage open(
      OFFactory factory,
      BucketTraffic traffic,
      Server member,
      int replyPath,
      OFPort inPort,
      byte[] frame) {
    return PacketOuts.of(
        factory, inPort, frame, TrackedRules.commitActions(factory, traffic, member, replyPath));
  }
}
