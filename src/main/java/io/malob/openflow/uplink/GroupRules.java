package io.malob.openflow.uplink;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.projectfloodlight.openflow.protocol.OFBucket;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFGroupMod;
import org.projectfloodlight.openflow.protocol.OFGroupType;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.OFGroup;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The select group by which the switch itself distributes flows over uplinks, with a bucket for
 * each. The switch chooses the bucket of a flow: OpenFlow 1.3 does not define how, and Open
 * vSwitch, from 2.10 on, hashes addresses, protocol and ports (dp_hash). Pure.
 */
public final class GroupRules {
  /** For IPv4; the letters UPL on the keys of a telephone. */
  static final OFGroup GROUP = OFGroup.of(0x875);

  private GroupRules() {}

  /**
   * A bucket.
   *
   * @param uplink that can carry IPv4
   * @param weight from 1 to 65535: its share of the flows
   */
  public record Share(UplinkEnd uplink, int weight) {}

  /** Adds the group. */
  public static OFMessage add(OFFactory factory, List<Share> shares) {
    return group(factory, factory.buildGroupAdd(), shares);
  }

  /** Changes the existing group; flows that get another bucket break. */
  public static OFMessage change(OFFactory factory, List<Share> shares) {
    return group(factory, factory.buildGroupModify(), shares);
  }

  private static OFMessage group(
      OFFactory factory, OFGroupMod.Builder message, List<Share> shares) {
    return message
        .setGroup(GROUP)
        .setGroupType(OFGroupType.SELECT)
        .setBuckets(buckets(factory, shares))
        .build();
  }

  /** Deletes the group, and all rules that use it. */
  public static OFMessage remove(OFFactory factory) {
    return factory.buildGroupDelete().setGroup(GROUP).setGroupType(OFGroupType.SELECT).build();
  }

  private static List<OFBucket> buckets(OFFactory factory, List<Share> shares) {
    return shares.stream()
        .map(
            share ->
                factory
                    .buildBucket()
                    .setWeight(share.weight())
                    .setWatchPort(OFPort.ANY)
                    .setWatchGroup(OFGroup.ANY)
                    .setActions(
                        FlowRules.translated(
                            factory,
                            share.uplink().mac(),
                            share.uplink().gatewayMac().orElseThrow(),
                            factory.oxms().ipv4Src(share.uplink().ipv4().orElseThrow()),
                            share.uplink().port()))
                    .build())
        .collect(ImmutableList.toImmutableList());
  }
}
