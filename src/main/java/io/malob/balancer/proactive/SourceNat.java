package io.malob.balancer.proactive;

import com.google.common.collect.ImmutableSetMultimap;
import io.malob.algorithm.NetworkSnapshot;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * What the VIPs share whose members see source addresses: the rules of these addresses, and the
 * paths to them. For one thread at a time.
 */
record SourceNat(SourceAddresses addresses, SourcePaths paths) {
  /** Brings all rules up to date. */
  void advance(
      Collection<ProactiveVip> vips,
      NextHopPlaces nextHops,
      NetworkSnapshot network,
      long nowNanos) {
    List<ProactiveVip> translated =
        vips.stream().filter(vip -> vip.traffic().translatesSource()).toList();
    ImmutableSetMultimap.Builder<DatapathId, SourceAddresses.NextHop> edges =
        ImmutableSetMultimap.builder();
    for (ProactiveVip vip : translated) {
      nextHops
          .of(vip.traffic())
          .values()
          .forEach(
              at ->
                  edges.put(
                      at.switchId(), new SourceAddresses.NextHop(vip.traffic().family(), at)));
    }
    boolean areUsed = !translated.isEmpty();
    addresses.advance(areUsed, edges.build(), nowNanos);
    paths.advance(areUsed ? addresses.byAddress() : Map.of(), network.searchingAtOnce(), nowNanos);
  }
}
