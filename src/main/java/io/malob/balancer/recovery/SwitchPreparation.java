package io.malob.balancer.recovery;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.collect.Sets;
import io.malob.algorithm.AddressKey;
import io.malob.balancer.connection.CoreAccess;
import io.malob.balancer.connection.LegacySegments;
import io.malob.balancer.recovery.VipRules.VipRule;
import io.malob.capability.FeatureProbes;
import io.malob.capability.SwitchFeature;
import io.malob.openflow.MessageBatch;
import io.malob.openflow.RuleBook;
import io.malob.openflow.RuleCompiler;
import io.malob.openflow.RuleSender;
import io.malob.openflow.SwitchRules;
import io.malob.openflow.VipPlace;
import io.malob.openflow.label.LabelTable;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Member;
import io.malob.state.network.SelfAddresses;
import io.malob.state.network.SelfAddresses.SelfAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Installs the rules that belong to no single connection. For one thread at a time, except {@link
 * #tellEnds}.
 */
public final class SwitchPreparation {
  private static final Logger LOG = LoggerFactory.getLogger(SwitchPreparation.class);

  private final RuleSender ruleSender;
  private final LabelTable labels;
  private final CoreAccess coreAccess;
  private final LegacySegments segments;

  /** Whether switches are to report the ends of TCP connections. */
  private final boolean tellEnds;

  private final VipRules vipRules;
  private final RuleBook<VipRule> book;

  private final FeatureProbes features;
  private final Set<VipPlace> self;

  public SwitchPreparation(
      RuleSender ruleSender,
      LabelTable labels,
      CoreAccess coreAccess,
      LegacySegments segments,
      FeatureProbes features,
      SelfAddresses selfAddresses,
      boolean tellEnds) {
    this.coreAccess = coreAccess;
    this.segments = segments;
    this.features = features;
    this.self = placesOf(selfAddresses);
    this.ruleSender = ruleSender;
    this.labels = labels;
    this.tellEnds = tellEnds;
    this.vipRules = new VipRules(tellEnds);
    this.book = new RuleBook<>(ruleSender);
    features.subscribe(
        SwitchFeature.TCP_FLAGS,
        switchId ->
            LOG.info(
                "tcp_flags_not_matched switch={} - connections count until they time out",
                switchId));
  }

  /** Removes all rules of this module from a switch, and prepares it. */
  public void reset(DatapathId switchId, CatalogSnapshot catalog) {
    ruleSender
        .factory(switchId)
        .ifPresent(
            factory -> {
              ruleSender.send(
                  switchId, ruleSender.compiler().groups().removeAll(factory, switchId));
              ruleSender.send(switchId, SwitchRules.removeAll(factory));
            });
    prepare(switchId, catalog);
  }

  /** Installs the rules that a switch needs; its other rules stay. */
  public void prepare(DatapathId switchId, CatalogSnapshot catalog) {
    ruleSender
        .factory(switchId)
        .ifPresent(
            factory -> {
              Set<VipPlace> vips = vipPlaces(catalog);
              ruleSender.send(switchId, SwitchRules.fixed(factory));
              book.setAll(switchId, vipRules.of(withSelf(vips)));
              ruleSender.send(switchId, labels.rulesOf(switchId));
              coreAccess.connected(switchId);
              segments.connected(switchId);
              Set<VipPlace> wanted = withFlags(switchId, catalog);
              changeTcpFlags(switchId, factory, Sets.difference(vips, wanted), wanted);
            });
  }

  /**
   * The VIP addresses for which a switch has rules that match TCP flags. In one table, the rule of
   * SYNs is before those of connections, and these are before buckets: addresses that may have
   * buckets do without.
   */
  private Set<VipPlace> withFlags(DatapathId switchId, CatalogSnapshot catalog) {
    boolean isOneTable = ruleSender.compiler().isOneTableEdge(switchId);
    return vipPlaces(catalog).stream()
        .filter(vip -> !(isOneTable && catalog.mayBeProactive(AddressKey.of(vip.address()))))
        .collect(Collectors.toSet());
  }

  /**
   * A switch may reject these rules. They are sent apart, so that the other rules are not affected.
   */
  private void changeTcpFlags(
      DatapathId switchId, OFFactory factory, Set<VipPlace> gone, Set<VipPlace> added) {
    ImmutableList.Builder<OFMessage> rules = ImmutableList.builder();
    gone.forEach(vip -> rules.addAll(SwitchRules.removeTcpFlags(factory, vip)));
    added.forEach(vip -> rules.addAll(vipRules.addTcpFlags(factory, vip)));
    ImmutableList<OFMessage> messages = rules.build();
    if (messages.isEmpty() || !features.has(switchId, SwitchFeature.TCP_FLAGS)) {
      return;
    }
    ruleSender.sendInOrder(
        List.of(new MessageBatch(switchId, messages)),
        features.attempt(switchId, SwitchFeature.TCP_FLAGS, messages));
  }

  /** Whether all these switches report the ends of TCP connections. */
  public boolean tellEnds(Collection<DatapathId> switches) {
    return tellEnds && switches.stream().allMatch(this::tellsEnds);
  }

  /** A copy of a packet that goes on by the rule of its connection needs a second table. */
  private boolean tellsEnds(DatapathId switchId) {
    RuleCompiler compiler = ruleSender.compiler();
    boolean copies = compiler.knows(switchId) && !compiler.isOneTableEdge(switchId);
    return copies && features.has(switchId, SwitchFeature.TCP_FLAGS);
  }

  /** Updates the rules of all switches after a catalog change. */
  public void catalogChanged(
      CatalogSnapshot before, CatalogSnapshot after, Collection<DatapathId> switches) {
    Set<VipPlace> old = vipPlaces(before);
    Set<VipPlace> now = vipPlaces(after);
    ImmutableMap<Object, VipRule> rules = vipRules.of(withSelf(now));
    if (!now.equals(old)) {
      switches.forEach(switchId -> book.set(switchId, rules));
    }
    for (DatapathId switchId : switches) {
      Set<VipPlace> had = withFlags(switchId, before);
      Set<VipPlace> wanted = withFlags(switchId, after);
      ruleSender
          .factory(switchId)
          .ifPresent(
              factory ->
                  changeTcpFlags(
                      switchId,
                      factory,
                      Sets.difference(had, wanted),
                      Sets.difference(wanted, had)));
    }
  }

  /** Removes the request rules of VIPs and members, given by their numbers. */
  public void removeRequests(
      Collection<Integer> vips, Collection<Integer> members, Collection<DatapathId> switches) {
    for (DatapathId switchId : switches) {
      ruleSender.sendIfConnected(
          switchId,
          factory -> {
            List<OFMessage> messages = new ArrayList<>();
            vips.forEach(vip -> messages.add(SwitchRules.removeRequestsOfVip(factory, vip)));
            members.forEach(
                member -> messages.add(SwitchRules.removeRequestsOfMember(factory, member)));
            return messages;
          });
    }
  }

  /**
   * Answers of members that are asked or checked come to the controller, as packets for VIPs do.
   */
  private Set<VipPlace> withSelf(Set<VipPlace> vips) {
    return Sets.union(vips, self);
  }

  private static Set<VipPlace> placesOf(SelfAddresses addresses) {
    return addresses.withSubnets().stream()
        .map(SwitchPreparation::placeOf)
        .collect(Collectors.toSet());
  }

  private static VipPlace placeOf(SelfAddress own) {
    return own.vlan() == 0
        ? VipPlace.inAllVlans(own.address())
        : new VipPlace(own.address(), ImmutableSortedSet.of(own.vlan()));
  }

  /**
   * The addresses of VIPs. An untagged VIP has its rules for packets of all VLANs, of which the
   * controller leaves the tagged ones to others. A VIP with a VLAN has them for that, and for those
   * of members, which answer checks from its address.
   */
  private static Set<VipPlace> vipPlaces(CatalogSnapshot catalog) {
    ImmutableSortedSet<Integer> ofMembers =
        catalog.members().values().stream()
            .map(Member::vlan)
            .collect(ImmutableSortedSet.toImmutableSortedSet(Comparator.naturalOrder()));
    return catalog.vips().values().stream()
        .map(
            vip ->
                vip.vlan() == 0
                    ? VipPlace.inAllVlans(vip.address())
                    : new VipPlace(
                        vip.address(),
                        ImmutableSortedSet.copyOf(Sets.union(ofMembers, Set.of(vip.vlan())))))
        .collect(Collectors.toSet());
  }
}
