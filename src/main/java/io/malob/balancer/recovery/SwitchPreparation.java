package io.malob.balancer.recovery;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Sets;
import io.malob.algorithm.AddressKey;
import io.malob.balancer.connection.CoreAccess;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.SwitchMessages;
import io.malob.openflow.SwitchRules;
import io.malob.openflow.TableLayout;
import io.malob.openflow.label.LabelTable;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Vip;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Installs the rules that belong to no single connection. Thread-safe. */
public final class SwitchPreparation {
  private static final Logger LOG = LoggerFactory.getLogger(SwitchPreparation.class);

  private final FlowProgrammer programmer;
  private final LabelTable labels;
  private final CoreAccess coreAccess;

  /** Whether switches are to report the ends of TCP connections. */
  private final boolean tellEnds;

  private final VipRules vipRules;

  /** Switches by the transaction ids of the rules that probe whether they match TCP flags. */
  private final Map<Long, DatapathId> triedTcpFlags = new ConcurrentHashMap<>();

  /** Switches that do not match TCP flags. */
  private final Set<DatapathId> withoutTcpFlags = ConcurrentHashMap.newKeySet();

  public SwitchPreparation(
      FlowProgrammer programmer, LabelTable labels, CoreAccess coreAccess, boolean tellEnds) {
    this.coreAccess = coreAccess;
    this.programmer = programmer;
    this.labels = labels;
    this.tellEnds = tellEnds;
    this.vipRules = new VipRules(tellEnds);
  }

  /** Removes all rules of this module from a switch, and prepares it. */
  public void reset(DatapathId switchId, CatalogSnapshot catalog) {
    programmer
        .factory(switchId)
        .ifPresent(
            factory -> {
              programmer.send(
                  switchId, programmer.compiler().groups().removeAll(factory, switchId));
              programmer.send(switchId, SwitchRules.removeAll(factory));
            });
    prepare(switchId, catalog);
  }

  /** Installs the rules that a switch needs; its other rules stay. */
  public void prepare(DatapathId switchId, CatalogSnapshot catalog) {
    programmer
        .factory(switchId)
        .ifPresent(
            factory -> {
              List<OFMessage> messages = new ArrayList<>(SwitchRules.fixed(factory));
              Set<IPAddress<?>> addresses = vipAddresses(catalog);
              for (IPAddress<?> address : addresses) {
                messages.addAll(vipRules.add(factory, address));
              }
              messages.addAll(labels.rulesOf(switchId));
              messages.addAll(coreAccess.rulesOf(switchId, factory));
              programmer.send(switchId, messages);
              withoutTcpFlags.remove(switchId);
              Set<IPAddress<?>> wanted = flagAddresses(switchId, catalog);
              changeTcpFlags(switchId, factory, Sets.difference(addresses, wanted), wanted);
            });
  }

  /**
   * The VIP addresses for which a switch has rules that match TCP flags. In one table, the rule of
   * SYNs is before those of connections, and these are before buckets: addresses that may have
   * buckets do without.
   */
  private Set<IPAddress<?>> flagAddresses(DatapathId switchId, CatalogSnapshot catalog) {
    @Nullable TableLayout layout = programmer.compiler().layout(switchId);
    boolean isOneTable = layout != null && layout.translatesInOneTable();
    return vipAddresses(catalog).stream()
        .filter(address -> !(isOneTable && catalog.mayBeProactive(AddressKey.of(address))))
        .collect(Collectors.toSet());
  }

  /**
   * A switch may reject these rules. They are sent apart, so that the other rules are not affected.
   */
  private void changeTcpFlags(
      DatapathId switchId, OFFactory factory, Set<IPAddress<?>> gone, Set<IPAddress<?>> added) {
    ImmutableList.Builder<OFMessage> rules = ImmutableList.builder();
    gone.forEach(address -> rules.addAll(SwitchRules.removeTcpFlags(factory, address)));
    added.forEach(address -> rules.addAll(vipRules.addTcpFlags(factory, address)));
    ImmutableList<OFMessage> messages = rules.build();
    if (messages.isEmpty() || withoutTcpFlags.contains(switchId)) {
      return;
    }
    messages.forEach(message -> triedTcpFlags.put(message.getXid(), switchId));
    programmer.sendInOrder(
        List.of(new SwitchMessages(switchId, messages)),
        done -> messages.forEach(message -> triedTcpFlags.remove(message.getXid())));
  }

  /** A switch has rejected a message; false if the message was not a probe for TCP flags. */
  public boolean refused(long transaction) {
    @Nullable DatapathId switchId = triedTcpFlags.remove(transaction);
    if (switchId != null) {
      lacksTcpFlags(switchId);
    }
    return switchId != null;
  }

  /** A switch has rejected a rule because of its match on TCP flags. */
  public void lacksTcpFlags(DatapathId switchId) {
    if (withoutTcpFlags.add(switchId)) {
      LOG.info("tcp_flags_not_matched switch={} - connections count until they time out", switchId);
    }
  }

  /** Whether a switch matches TCP flags, as far as is known. */
  public boolean matchesTcpFlags(DatapathId switchId) {
    return !withoutTcpFlags.contains(switchId);
  }

  /** Whether all these switches report the ends of TCP connections. */
  public boolean tellEnds(Collection<DatapathId> switches) {
    return tellEnds && switches.stream().allMatch(this::tellsEnds);
  }

  /** A copy of a packet that goes on by the rule of its connection needs a second table. */
  private boolean tellsEnds(DatapathId switchId) {
    @Nullable TableLayout layout = programmer.compiler().layout(switchId);
    boolean copies = layout != null && !layout.translatesInOneTable();
    return copies && !withoutTcpFlags.contains(switchId);
  }

  /** Updates the rules of all switches after a catalog change. */
  public void catalogChanged(
      CatalogSnapshot before, CatalogSnapshot after, Collection<DatapathId> switches) {
    Set<IPAddress<?>> old = vipAddresses(before);
    Set<IPAddress<?>> now = vipAddresses(after);
    vipRules.retain(now);
    Sets.difference(now, old)
        .forEach(address -> sendToAll(switches, factory -> vipRules.add(factory, address)));
    Sets.difference(old, now)
        .forEach(
            address -> sendToAll(switches, factory -> SwitchRules.removeVip(factory, address)));
    for (DatapathId switchId : switches) {
      Set<IPAddress<?>> had = flagAddresses(switchId, before);
      Set<IPAddress<?>> wanted = flagAddresses(switchId, after);
      programmer
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
    sendToAll(
        switches,
        factory -> {
          List<OFMessage> messages = new ArrayList<>();
          vips.forEach(vip -> messages.add(SwitchRules.removeRequestsOfVip(factory, vip)));
          members.forEach(
              member -> messages.add(SwitchRules.removeRequestsOfMember(factory, member)));
          return messages;
        });
  }

  private void sendToAll(
      Collection<DatapathId> switches, Function<OFFactory, List<OFMessage>> messages) {
    for (DatapathId switchId : switches) {
      programmer
          .factory(switchId)
          .ifPresent(factory -> programmer.send(switchId, messages.apply(factory)));
    }
  }

  private static Set<IPAddress<?>> vipAddresses(CatalogSnapshot catalog) {
    return catalog.vips().values().stream().map(Vip::address).collect(Collectors.toSet());
  }
}
