package io.malob.openflow.bucket;

import io.malob.openflow.CookieField;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.OFMetadata;
import org.projectfloodlight.openflow.types.U64;

/**
 * What the metadata say of requests in table 1: the number of their tracked VIP, as they have its
 * member's address, and whether a bucket has committed them. Those of replies are other numbers.
 * Pure.
 */
final class RequestMetadata {
  private static final long VIP_NUMBER = CookieField.VIP.max();
  private static final long REQUEST = 2 * (VIP_NUMBER + 1);
  private static final long COMMITTED = VIP_NUMBER + 1;

  private RequestMetadata() {}

  /** Precedes the action that looks a request up. */
  static OFAction lookedUp(OFFactory factory, BucketTraffic traffic) {
    return write(factory, REQUEST | traffic.vipNumber());
  }

  /** Precedes the action that adds a connection. */
  static OFAction committed(OFFactory factory, BucketTraffic traffic) {
    return write(factory, ofCommitted(traffic.vipNumber()));
  }

  private static OFAction write(OFFactory factory, long metadata) {
    return factory.actions().setField(factory.oxms().metadata(OFMetadata.of(U64.of(metadata))));
  }

  private static long ofCommitted(int vipNumber) {
    return REQUEST | COMMITTED | vipNumber;
  }

  /** Matches the requests of a VIP. */
  static Match.Builder match(Match.Builder match, BucketTraffic traffic) {
    return match.setMasked(
        MatchField.METADATA,
        OFMetadata.ofRaw(REQUEST | traffic.vipNumber()),
        OFMetadata.ofRaw(~COMMITTED));
  }

  /** Matches those that were to be committed. */
  static Match.Builder matchCommitted(Match.Builder match, int vipNumber) {
    return match.setExact(MatchField.METADATA, OFMetadata.ofRaw(ofCommitted(vipNumber)));
  }
}
