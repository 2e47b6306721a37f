package io.malob.cluster.etcd;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.malob.cluster.etcd.Etcd.Change;
import io.malob.cluster.etcd.Etcd.Condition;
import io.malob.cluster.etcd.Etcd.Item;
import io.malob.cluster.etcd.Etcd.Outcome;
import io.malob.cluster.etcd.Etcd.Reading;
import io.malob.json.Json;
import io.malob.json.JsonErrors;
import io.malob.json.JsonInput;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The messages of etcd's JSON gateway: keys and values are Base64, 64-bit numbers are strings, and
 * fields that are zero, false or empty are missing. Immutable.
 *
 * @param prefix the beginning of all keys, which callers do not see
 */
record EtcdMessages(String prefix) {
  private static final Answers ERRORS = new Answers();

  /** All keys with a beginning. */
  byte[] range(String beginning) {
    return Json.bytes(keys(beginning));
  }

  /** The number of keys, as a quorum knows it, or by the server's own copy alone. */
  byte[] count(boolean isOwnCopy) {
    return Json.bytes(keys("").put("serializable", isOwnCopy).put("count_only", true));
  }

  /** The keys with a beginning, from a revision on. */
  byte[] watch(String beginning, long fromRevision) {
    ObjectNode message = Json.object();
    message.set(
        "create_request", keys(beginning).put("start_revision", Long.toString(fromRevision)));
    return Json.bytes(message);
  }

  private ObjectNode keys(String beginning) {
    byte[] first = (prefix + beginning).getBytes(StandardCharsets.UTF_8);
    byte[] end = Arrays.copyOf(first, first.length);
    // UTF-8 has no byte 0xff
    end[end.length - 1]++;
    return Json.object().put("key", base64(first)).put("range_end", base64(end));
  }

  /** A transaction, which reads the keys of its conditions if they do not hold. */
  byte[] transaction(List<Condition> conditions, List<Change> changes) {
    ObjectNode message = Json.object();
    ArrayNode compare = message.putArray("compare");
    ArrayNode success = message.putArray("success");
    ArrayNode failure = message.putArray("failure");
    for (Condition condition : conditions) {
      String key = key(condition.key());
      compare
          .addObject()
          .put("key", key)
          .put("target", "MOD")
          .put("result", "EQUAL")
          .put("mod_revision", Long.toString(condition.modRevision()));
      failure.addObject().putObject("request_range").put("key", key);
    }
    for (Change change : changes) {
      ObjectNode request = success.addObject();
      String key = key(change.key());
      if (change instanceof Change.Put put) {
        request
            .putObject("request_put")
            .put("key", key)
            .put("value", base64(put.value().getBytes(StandardCharsets.UTF_8)))
            .put("lease", Long.toString(put.lease()));
      } else {
        request.putObject("request_delete_range").put("key", key);
      }
    }
    return Json.bytes(message);
  }

  private String key(String key) {
    return base64((prefix + key).getBytes(StandardCharsets.UTF_8));
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  /** A JSON value in an answer. */
  static JsonInput<EtcdException> parse(byte[] text) throws EtcdException {
    return JsonInput.parse(text, ERRORS);
  }

  Reading reading(JsonInput<EtcdException> answer) throws EtcdException {
    return new Reading(revision(answer), items(answer));
  }

  Outcome outcome(JsonInput<EtcdException> answer) throws EtcdException {
    List<Item> now = new ArrayList<>();
    boolean isDone = flag(answer.get("succeeded"));
    if (!isDone) {
      for (JsonInput<EtcdException> response : elements(answer.get("responses"))) {
        now.addAll(items(response.get("response_range")));
      }
    }
    return new Outcome(isDone, revision(answer), List.copyOf(now));
  }

  /** The revision of the store when it answered. */
  static long revision(JsonInput<EtcdException> answer) throws EtcdException {
    return number(answer.get("header").get("revision"));
  }

  /** The number of the cluster of etcd that has answered; 0 if the answer has none. */
  static long clusterId(JsonInput<EtcdException> answer) throws EtcdException {
    JsonInput<EtcdException> number = answer.get("header").get("cluster_id");
    try {
      return number.isThere() ? Long.parseUnsignedLong(number.text()) : 0;
    } catch (NumberFormatException e) {
      throw number.wrong("a whole number");
    }
  }

  private List<Item> items(JsonInput<EtcdException> range) throws EtcdException {
    List<Item> items = new ArrayList<>();
    for (JsonInput<EtcdException> item : elements(range.get("kvs"))) {
      items.add(item(item));
    }
    return List.copyOf(items);
  }

  Item item(JsonInput<EtcdException> item) throws EtcdException {
    return new Item(
        text(item.get("key")).substring(prefix.length()),
        text(item.get("value")),
        number(item.get("create_revision")),
        number(item.get("mod_revision")),
        number(item.get("lease")));
  }

  static List<JsonInput<EtcdException>> elements(JsonInput<EtcdException> array)
      throws EtcdException {
    return array.isThere() ? array.elements() : List.of();
  }

  static boolean flag(JsonInput<EtcdException> flag) throws EtcdException {
    return flag.isThere() && flag.flag();
  }

  static long number(JsonInput<EtcdException> number) throws EtcdException {
    if (!number.isThere()) {
      return 0;
    }
    try {
      return Long.parseLong(number.text());
    } catch (NumberFormatException e) {
      throw number.wrong("a whole number");
    }
  }

  private static String text(JsonInput<EtcdException> base64) throws EtcdException {
    return base64.isThere()
        ? base64.parsed(
            "a string in Base64",
            text -> new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8))
        : "";
  }

  /** Errors of answers that are not etcd's; they quote nothing, as values may contain keys. */
  private static final class Answers implements JsonErrors<EtcdException> {
    private static EtcdException not(String what) {
      return new EtcdException("the answer is not etcd's: " + what, null);
    }

    @Override
    public boolean isBlankAbsent() {
      return false;
    }

    @Override
    public EtcdException empty() {
      return not("it is empty");
    }

    @Override
    public EtcdException malformed(String why, @Nullable JsonLocation at) {
      return not("it is not valid JSON");
    }

    @Override
    public EtcdException repeated(String place, @Nullable JsonLocation at) {
      return not(place + " occurs twice");
    }

    @Override
    public EtcdException missing(JsonInput<EtcdException> object, String name) {
      return not(object.placeOf(name) + " is missing");
    }

    @Override
    public EtcdException unknown(JsonInput<EtcdException> value, Collection<String> known) {
      return not(value.place() + " is not known");
    }

    @Override
    public EtcdException wrong(JsonInput<EtcdException> value, String expected) {
      return not(value.place() + " must be " + expected);
    }
  }
}
