package io.malob.capability;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.projectfloodlight.openflow.protocol.OFActionType;
import org.projectfloodlight.openflow.protocol.OFTableFeatureProp;
import org.projectfloodlight.openflow.protocol.OFTableFeaturePropApplyActions;
import org.projectfloodlight.openflow.protocol.OFTableFeaturePropApplySetfield;
import org.projectfloodlight.openflow.protocol.OFTableFeaturePropMatch;
import org.projectfloodlight.openflow.protocol.OFTableFeatures;
import org.projectfloodlight.openflow.protocol.OFTableFeaturesStatsReply;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U32;

/**
 * What a switch claims about its tables.
 *
 * @param maxRules the max number of rules, by table
 * @param claimed the features that it claims to have
 */
record TableFeatures(ImmutableMap<Integer, Long> maxRules, ImmutableSet<SwitchFeature> claimed) {
  /** The class of OpenFlow's own fields, in the upper half of a field's header. */
  private static final int BASIC = 0x8000;

  // the numbers of fields
  private static final int ETH_DST = 3;
  private static final int ETH_SRC = 4;
  private static final int IPV4_SRC = 11;
  private static final int IPV4_DST = 12;
  private static final int TCP_SRC = 13;
  private static final int UDP_DST = 16;
  private static final int IPV6_SRC = 26;
  private static final int IPV6_DST = 27;

  /** From a switch's answer. */
  static TableFeatures of(List<OFTableFeaturesStatsReply> replies) {
    Map<Integer, Long> maxRules = new HashMap<>();
    Set<SwitchFeature> claimed = EnumSet.noneOf(SwitchFeature.class);
    for (OFTableFeaturesStatsReply reply : replies) {
      for (OFTableFeatures table : reply.getEntries()) {
        int number = table.getTableId().getValue();
        maxRules.put(number, table.getMaxEntries());
        if (table.getTableId().equals(TableId.ZERO)) {
          addClaims(table, claimed);
        } else if (number <= SwitchProber.LAST_TABLE && table.getMaxEntries() > 0) {
          claimed.add(SwitchFeature.table(number));
        }
      }
    }
    return new TableFeatures(ImmutableMap.copyOf(maxRules), Sets.immutableEnumSet(claimed));
  }

  private static void addClaims(OFTableFeatures table, Set<SwitchFeature> claimed) {
    Set<Integer> translated = new HashSet<>();
    for (OFTableFeatureProp property : table.getProperties()) {
      if (property instanceof OFTableFeaturePropMatch match) {
        if (match.getOxmIds().stream().anyMatch(id -> isBasic(id) && isMasked(id, ETH_DST))) {
          claimed.add(SwitchFeature.MAC_MASKS);
        }
      } else if (property instanceof OFTableFeaturePropApplySetfield fields) {
        fields.getOxmIds().stream()
            .filter(TableFeatures::isBasic)
            .forEach(id -> translated.add(number(id)));
      } else if (property instanceof OFTableFeaturePropApplyActions actions
          && actions.getActionIds().stream()
              .anyMatch(action -> action.getType() == OFActionType.GROUP)) {
        claimed.add(SwitchFeature.GROUPS);
      }
    }
    if (hasAll(translated, ETH_DST, ETH_SRC) && hasAll(translated, TCP_SRC, UDP_DST)) {
      if (hasAll(translated, IPV4_SRC, IPV4_DST)) {
        claimed.add(SwitchFeature.IPV4_TRANSLATION);
      }
      if (hasAll(translated, IPV6_SRC, IPV6_DST)) {
        claimed.add(SwitchFeature.IPV6_TRANSLATION);
      }
    }
  }

  /** Whether all fields from the first to the last number can be set. */
  private static boolean hasAll(Set<Integer> numbers, int first, int last) {
    return IntStream.rangeClosed(first, last).allMatch(numbers::contains);
  }

  private static boolean isBasic(U32 header) {
    return header.getRaw() >>> 16 == BASIC;
  }

  private static int number(U32 header) {
    return header.getRaw() >>> 9 & 0x7f;
  }

  private static boolean isMasked(U32 header, int number) {
    return number(header) == number && (header.getRaw() >>> 8 & 1) == 1;
  }
}
