package io.malob.state.report;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.io.BaseEncoding;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPv4Address;

/**
 * The file of agents: {@code {"allow_unsigned": false, "agents": [{"id": "w1", "kind": "server",
 * "address": "10.0.0.11", "key": "<hex>"}]}}. An agent without a key can only send unsigned
 * reports. After a change of keys {@code former_key} counts until {@code former_until}, in seconds
 * since the epoch.
 */
public final class AgentTableFormat {
  /** More would make the file, and what is remembered of each, unreasonably large. */
  static final int MOST_AGENTS = 10_000;

  /** The year 9999. */
  private static final long MOST_SECONDS = 253_402_300_799L;

  private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,32}");
  private static final Pattern KEY = Pattern.compile("(?:[0-9a-f]{2}){16,64}");
  private static final Set<String> FIELDS = Set.of("allow_unsigned", "agents");
  private static final Set<String> AGENT_FIELDS =
      Set.of("id", "kind", "address", "key", "former_key", "former_until");
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private AgentTableFormat() {}

  /** The file says something that it may not. The message names the field. */
  public static final class InvalidException extends Exception {
    private static final long serialVersionUID = 1L;

    InvalidException(String message) {
      super(message);
    }
  }

  /**
   * The table of these bytes.
   *
   * @throws InvalidException naming the field that is wrong; keys are never shown
   */
  public static AgentTable read(byte[] bytes) throws InvalidException {
    JsonNode root = parse(bytes);
    checkFields(root, "the file", FIELDS);
    JsonNode unsigned = root.path("allow_unsigned");
    if (!unsigned.isMissingNode() && !unsigned.isBoolean()) {
      throw new InvalidException("allow_unsigned must be true or false");
    }
    JsonNode list = root.path("agents");
    if (!list.isArray() || list.size() > MOST_AGENTS) {
      throw new InvalidException("agents must be a list of at most " + MOST_AGENTS);
    }
    List<Agent> agents = new ArrayList<>();
    Set<String> taken = new HashSet<>();
    for (int i = 0; i < list.size(); i++) {
      String where = "agents[" + i + "]";
      Agent agent = agent(list.get(i), where);
      if (!taken.add("id " + agent.id())) {
        throw new InvalidException(where + ".id: " + agent.id() + " is there twice");
      }
      if (!taken.add(agent.kind() + " " + agent.address())) {
        throw new InvalidException(
            where + ".address: another " + agent.kind().label() + " agent has " + agent.address());
      }
      agents.add(agent);
    }
    return AgentTable.of(unsigned.asBoolean(), agents);
  }

  /** Empty for what is nowhere, as what is nested too deeply. */
  private static String where(@Nullable JsonLocation at) {
    return at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
  }

  private static JsonNode parse(byte[] bytes) throws InvalidException {
    try {
      return JSON.readTree(bytes);
    } catch (JsonProcessingException e) {
      throw new InvalidException("not valid JSON" + where(e.getLocation()));
    } catch (IOException e) {
      throw new InvalidException("not valid JSON");
    }
  }

  private static Agent agent(JsonNode node, String where) throws InvalidException {
    checkFields(node, where, AGENT_FIELDS);
    String id =
        matching(node, where, "id", ID, "1 to 32 letters, digits, dots, dashes, underscores");
    return new Agent(
        id, kind(node, where), address(node, where), key(node, where, "key"), former(node, where));
  }

  private static void checkFields(JsonNode node, String where, Set<String> known)
      throws InvalidException {
    if (!node.isObject()) {
      throw new InvalidException(where + " must be a JSON object");
    }
    for (Iterator<String> names = node.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!known.contains(name)) {
        throw new InvalidException(where + " has a field \"" + name + "\" that is not known");
      }
    }
  }

  private static Agent.Kind kind(JsonNode node, String where) throws InvalidException {
    for (Agent.Kind kind : Agent.Kind.values()) {
      if (kind.label().equals(node.path("kind").asText())) {
        return kind;
      }
    }
    throw new InvalidException(where + ".kind must be \"server\" or \"link\"");
  }

  private static IPv4Address address(JsonNode node, String where) throws InvalidException {
    try {
      return IPv4Address.of(node.path("address").asText());
    } catch (IllegalArgumentException e) {
      throw new InvalidException(where + ".address must be an IPv4 address");
    }
  }

  private static Optional<Agent.FormerKey> former(JsonNode node, String where)
      throws InvalidException {
    Optional<SecretKeySpec> key = key(node, where, "former_key");
    JsonNode until = node.path("former_until");
    if (key.isPresent() == until.isMissingNode()) {
      throw new InvalidException(where + ".former_until and former_key must be there together");
    }
    if (key.isEmpty()) {
      return Optional.empty();
    }
    if (!until.isIntegralNumber() || until.asLong() < 0 || until.asLong() > MOST_SECONDS) {
      throw new InvalidException(where + ".former_until must be seconds since the epoch");
    }
    return Optional.of(new Agent.FormerKey(key.get(), until.asLong() * 1000));
  }

  private static Optional<SecretKeySpec> key(JsonNode node, String where, String field)
      throws InvalidException {
    if (node.path(field).isMissingNode()) {
      return Optional.empty();
    }
    String hex =
        matching(node, where, field, KEY, "32 to 128 hexadecimal digits, in small letters");
    return Optional.of(
        new SecretKeySpec(BaseEncoding.base16().decode(hex.toUpperCase(Locale.ROOT)), Agent.HMAC));
  }

  private static String matching(
      JsonNode node, String where, String name, Pattern pattern, String what)
      throws InvalidException {
    JsonNode value = node.path(name);
    if (!value.isTextual() || !pattern.matcher(value.asText()).matches()) {
      throw new InvalidException(where + "." + name + " must be " + what);
    }
    return value.asText();
  }
}
