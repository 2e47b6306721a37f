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
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * A live controller, as its key in etcd describes it.
 *
 * @param contact where others reach it
 * @param slot its number, unique among live controllers
 * @param switches the switches that it can be master of: connected, and not refused by them
 * @param createRevision since when it is in the cluster, as a revision of etcd
 * @param lease the lease on which its keys depend
 */
record Node(
    String name,
    Contact contact,
    int slot,
    ImmutableSet<DatapathId> switches,
    long createRevision,
    long lease) {

  /** The max number of a slot: each is a part of the label ids (LabelRange). */
  static final int MAX_SLOT = 15;

  /** Its port for other controllers, if it has one. */
  Optional<PeerAddress> peer() {
    return PeerAddress.of(name, contact.peer());
  }

  /** The value of a controller's key. */
  static String value(Contact contact, int slot, Set<DatapathId> switches) {
    ObjectNode value = Json.object();
    value.put("rest", contact.rest());
    value.put("peer", contact.peer());
    value.put("slot", slot);
    ArrayNode ids = value.putArray("switches");
    switches.stream().sorted().forEach(id -> ids.add(id.toString()));
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
    return new Node(
        item.key().substring(Keys.NODES.length()),
        new Contact(value.get("rest").string(), value.get("peer").string()),
        value.get("slot").whole(0, MAX_SLOT),
        switches.build(),
        item.createRevision(),
        item.lease());
  }
}
