package io.malob.balancer;

import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.SwitchRules;
import io.malob.openflow.label.LabelTable;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.catalog.Vip;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;

/** Gives switches the rules that do not belong to one connection. */
final class SwitchPreparation {
  private final FlowProgrammer programmer;
  private final LabelTable labels;

  SwitchPreparation(FlowProgrammer programmer, LabelTable labels) {
    this.programmer = programmer;
    this.labels = labels;
  }

  /** Starts a switch afresh: what it has of ours from before goes. */
  void prepare(DatapathId switchId, CatalogSnapshot catalog) {
    programmer
        .factory(switchId)
        .ifPresent(
            factory -> {
              List<OFMessage> messages = new ArrayList<>(SwitchRules.reset(factory));
              for (IPv4Address address : vipAddresses(catalog)) {
                messages.addAll(SwitchRules.addVip(factory, address));
              }
              messages.addAll(labels.rulesOf(switchId));
              programmer.send(switchId, messages);
            });
  }

  /** Changes the rules of all switches as the catalog has changed. */
  void catalogChanged(
      CatalogSnapshot before, CatalogSnapshot after, Collection<DatapathId> switches) {
    Set<IPv4Address> old = vipAddresses(before);
    Set<IPv4Address> now = vipAddresses(after);
    for (IPv4Address address : now) {
      if (!old.contains(address)) {
        sendToAll(switches, factory -> SwitchRules.addVip(factory, address));
      }
    }
    for (IPv4Address address : old) {
      if (!now.contains(address)) {
        sendToAll(switches, factory -> SwitchRules.removeVip(factory, address));
      }
    }
  }

  /** Takes away the connections of VIPs and members, given by their numbers. */
  void removeConnections(
      Collection<Integer> vips, Collection<Integer> members, Collection<DatapathId> switches) {
    sendToAll(
        switches,
        factory -> {
          List<OFMessage> messages = new ArrayList<>();
          vips.forEach(vip -> messages.add(SwitchRules.removeConnectionsOfVip(factory, vip)));
          members.forEach(
              member -> messages.add(SwitchRules.removeConnectionsOfMember(factory, member)));
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

  private static Set<IPv4Address> vipAddresses(CatalogSnapshot catalog) {
    return catalog.vips().values().stream().map(Vip::address).collect(Collectors.toSet());
  }
}
