package io.malob.cluster.election;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableSet;
import io.malob.cluster.etcd.Etcd.Item;
import io.malob.cluster.peer.PeerAddress;
import io.malob.file.DamagedException;
import io.malob.file.StateFile;
import io.malob.json.Json;
import io.malob.json.JsonInput;
import io.malob.openflow.label.LabelRange;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Optional;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * A live controller, as its key in etcd describes it.
 *
 * @param contact where others reach it
 * @param weight its share of the switches, relative to others
 * @param slot its number, unique among live controllers
 * @param offer what it can be master of
 * @param createRevision since when it is in the cluster, as a revision of etcd
 * @param modRevision of its key
 * @param lease the lease on which its keys depend
 */
record Node(
    String name,
    Contact contact,
    int weight,
    int slot,
    Offer offer,
    long createRevision,
    long modRevision,
    long lease) {

  /** Its port for other controllers, if it has one. */
  Optional<PeerAddress> peer() {
    return PeerAddress.of(name, contact.peer());
  }

  /** The switches that it can be master of. */
  ImmutableSet<DatapathId> switches() {
    return offer.switches();
  }

  /** The value of a controller's key. */
  static String value(ThisNode self, int slot, Offer offer) {
    ObjectNode value = Json.object();
    value.put("rest", self.contact().rest());
    value.put("peer", self.contact().peer());
    value.put("weight", self.weight());
    value.put("slot", slot);
    ArrayNode ids = value.putArray("switches");
    offer.switches().stream().sorted().forEach(id -> ids.add(id.toString()));
    ArrayNode masters = value.putArray("masters");
    offer.masters().stream().sorted().forEach(masters::add);
    return Json.text(value);
  }

  /**
   * Reads a key.
   *
   * @throws DamagedException if its value is not one of {@link #value}
   */
  static Node of(Item item) throws DamagedException {
    JsonInput<DamagedException> value =
        StateFile.parse(item.value().getBytes(StandardCharsets.UTF_8));
    ImmutableSet.Builder<DatapathId> switches = ImmutableSet.builder();
    Collection<JsonInput<DamagedException>> ids = value.get("switches").elements();
    for (JsonInput<DamagedException> id : ids) {
      DatapathId switchId = id.parsed("a datapath id", text -> DatapathId.of(text));
      switches.add(switchId);
    }
    ImmutableSet.Builder<String> masters = ImmutableSet.builder();
    if (value.get("masters").isThere()) {
      for (JsonInput<DamagedException> master : value.get("masters").elements()) {
        masters.add(master.string());
      }
    }
    JsonInput<DamagedException> weight = value.get("weight");
    return new Node(
        item.key().substring(Keys.NODES.length()),
        new Contact(value.get("rest").string(), value.get("peer").string()),
        weight.isThere() ? weight.whole(1, ThisNode.MAX_WEIGHT) : 1,
        value.get("slot").whole(0, LabelRange.SLOTS - 1),
        new Offer(switches.build(), masters.build()),
        item.createRevision(),
        item.modRevision(),
        item.lease());
  }
}
