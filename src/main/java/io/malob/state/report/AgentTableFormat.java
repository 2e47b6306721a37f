package io.malob.state.report;

import com.google.common.collect.ImmutableSet;
import com.google.common.io.BaseEncoding;
import io.malob.algorithm.AddressText;
import io.malob.file.DamagedException;
import io.malob.file.StateFile;
import io.malob.json.JsonInput;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import javax.crypto.spec.SecretKeySpec;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * The file of agents: {@code {"allow_unsigned": false, "agents": [{"id": "w1", "kind": "server",
 * "address": "10.0.0.11", "key": "<hex>"}]}}. An agent without a key can only send unsigned
 * reports. {@code other_addresses} is an array of more addresses of its host. After a change of
 * keys {@code former_key} is valid until {@code former_until}, in seconds since the epoch.
 */
public final class AgentTableFormat {
  /** The max number of agents, which bounds the file and the memory for each. */
  static final int MAX_AGENTS = 10_000;

  /** The max number of other addresses of an agent. */
  static final int MAX_OTHER_ADDRESSES = 15;

  /** The year 9999. */
  private static final long MAX_SECONDS = 253_402_300_799L;

  private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,32}");
  private static final Pattern KEY = Pattern.compile("(?:[0-9a-f]{2}){16,64}");
  private static final String OTHER_ADDRESSES = "other_addresses";
  private static final Set<String> FIELDS = Set.of("allow_unsigned", "agents");
  private static final Set<String> AGENT_FIELDS =
      Set.of("id", "kind", "address", OTHER_ADDRESSES, "key", "former_key", "former_until");

  private AgentTableFormat() {}

  /**
   * The table of these bytes.
   *
   * @throws DamagedException naming the field that is wrong; keys are never shown
   */
  public static AgentTable read(byte[] bytes) throws DamagedException {
    JsonInput<DamagedException> root = StateFile.parse(bytes).only(FIELDS);
    boolean allowUnsigned = root.get("allow_unsigned").optional(JsonInput::flag).orElse(false);
    List<JsonInput<DamagedException>> list = root.get("agents").elements();
    if (list.size() > MAX_AGENTS) {
      throw DamagedException.at(
          root.get("agents"), "must have at most " + MAX_AGENTS + " elements");
    }
    List<Agent> agents = new ArrayList<>();
    Set<String> taken = new HashSet<>();
    for (JsonInput<DamagedException> node : list) {
      Agent agent = agent(node);
      if (!taken.add("id " + agent.id())) {
        throw DamagedException.at(node.get("id"), "is a duplicate: " + agent.id());
      }
      for (IPAddress<?> address : agent.addresses()) {
        if (!taken.add(agent.kind() + " " + address)) {
          throw DamagedException.at(
              node.get(address.equals(agent.address()) ? "address" : OTHER_ADDRESSES),
              "belongs to another " + agent.kind().label() + " agent: " + address);
        }
      }
      agents.add(agent);
    }
    return AgentTable.of(allowUnsigned, agents);
  }

  private static Agent agent(JsonInput<DamagedException> node) throws DamagedException {
    node.only(AGENT_FIELDS);
    String id = matching(node.get("id"), ID, "1 to 32 letters, digits, dots, dashes, underscores");
    return new Agent(
        id,
        kind(node.get("kind")),
        address(node.get("address")),
        otherAddresses(node.get(OTHER_ADDRESSES)),
        key(node, "key"),
        former(node));
  }

  private static IPAddress<?> address(JsonInput<DamagedException> node) throws DamagedException {
    return AddressText.parse(node.string()).orElseThrow(() -> node.wrong("an IP address"));
  }

  private static ImmutableSet<IPAddress<?>> otherAddresses(JsonInput<DamagedException> node)
      throws DamagedException {
    ImmutableSet.Builder<IPAddress<?>> addresses = ImmutableSet.builder();
    if (node.isThere()) {
      for (JsonInput<DamagedException> each : node.elements(MAX_OTHER_ADDRESSES)) {
        addresses.add(address(each));
      }
    }
    return addresses.build();
  }

  private static Agent.Kind kind(JsonInput<DamagedException> node) throws DamagedException {
    for (Agent.Kind kind : Agent.Kind.values()) {
      if (kind.label().equals(node.string())) {
        return kind;
      }
    }
    throw node.wrong("\"server\" or \"link\"");
  }

  private static Optional<Agent.FormerKey> former(JsonInput<DamagedException> node)
      throws DamagedException {
    Optional<SecretKeySpec> key = key(node, "former_key");
    JsonInput<DamagedException> until = node.get("former_until");
    if (key.isPresent() != until.isThere()) {
      throw DamagedException.at(node, "must have former_until and former_key together");
    }
    if (key.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(new Agent.FormerKey(key.get(), until.whole(0, MAX_SECONDS) * 1000));
  }

  private static Optional<SecretKeySpec> key(JsonInput<DamagedException> node, String field)
      throws DamagedException {
    JsonInput<DamagedException> key = node.get(field);
    if (!key.isThere()) {
      return Optional.empty();
    }
    String hex = matching(key, KEY, "32 to 128 lowercase hexadecimal digits");
    return Optional.of(
        new SecretKeySpec(BaseEncoding.base16().decode(hex.toUpperCase(Locale.ROOT)), Agent.HMAC));
  }

  private static String matching(JsonInput<DamagedException> node, Pattern pattern, String what)
      throws DamagedException {
    if (!pattern.matcher(node.string()).matches()) {
      throw node.wrong(what);
    }
    return node.string();
  }
}
