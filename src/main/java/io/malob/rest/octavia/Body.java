package io.malob.rest.octavia;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.malob.json.JsonInput;
import io.malob.json.JsonInput.Reading;
import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import io.malob.resource.Call;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The attributes of an object in a request. Immutable. */
record Body(Map<String, JsonInput<RejectedException>> given) {
  private static final ImmutableSet<String> NOTHING = ImmutableSet.of("false", "0", "NONE");

  /**
   * The object in a request, as in {@code {"pool": {…}}}.
   *
   * @throws RejectedException if there is none, or there is more
   */
  static Body of(Call call, String noun) throws IOException, RejectedException {
    return of(wrapped(call, noun));
  }

  /** The objects of a request, as in {@code {"members": [{…}, {…}]}}. */
  static ImmutableList<Body> listOf(Call call, String plural)
      throws IOException, RejectedException {
    return wrapped(call, plural).elements(Body::of);
  }

  private static JsonInput<RejectedException> wrapped(Call call, String name)
      throws IOException, RejectedException {
    JsonInput<RejectedException> body = call.json().only(ImmutableSet.of(name));
    return body.get(name);
  }

  private static Body of(JsonInput<RejectedException> object) throws RejectedException {
    return new Body(object.fields());
  }

  /**
   * Checks the attributes.
   *
   * @param known those that can be given
   * @param unsupported those of Octavia that have no effect here, with the sentence that says so;
   *     they can be given as null, false, 0, {@code NONE}, or empty
   */
  void check(ImmutableSet<String> known, ImmutableMap<String, String> unsupported)
      throws RejectedException {
    for (Map.Entry<String, JsonInput<RejectedException>> each : given.entrySet()) {
      String name = each.getKey();
      @Nullable String refusal = unsupported.get(name);
      if (refusal != null && !isNothing(each.getValue())) {
        throw notSupported(name, refusal);
      } else if (refusal == null && !known.contains(name)) {
        throw RejectedException.invalid(name, "there is no attribute " + name + " here");
      }
    }
  }

  static RejectedException notSupported(String name, String sentence) {
    return new RejectedException(Reason.NOT_SUPPORTED, sentence, name);
  }

  /** Whether a value is the one that asks for nothing. */
  private static boolean isNothing(JsonInput<RejectedException> value) throws RejectedException {
    if (value.isArray()) {
      return value.elements().isEmpty();
    } else if (value.isObject()) {
      return value.fields().isEmpty();
    }
    return !value.isThere() || NOTHING.contains(value.text());
  }

  /** Whether the attribute is given, even with null. */
  boolean has(String name) {
    return given.containsKey(name);
  }

  /** The value of an attribute; empty if it is missing, null or blank. */
  Optional<JsonInput<RejectedException>> value(String name) {
    return Optional.ofNullable(given.get(name)).filter(JsonInput::isThere);
  }

  private <T> Optional<T> read(String name, Reading<RejectedException, T> reading)
      throws RejectedException {
    Optional<JsonInput<RejectedException>> value = value(name);
    return value.isEmpty() ? Optional.empty() : Optional.of(reading.of(value.get()));
  }

  /** A string, a number or a truth value as written; null if it is missing, null or blank. */
  @Nullable String text(String name) throws RejectedException {
    return read(name, JsonInput::text).orElse(null);
  }

  /** The same for an attribute that must be there. */
  String required(String name) throws RejectedException {
    @Nullable String text = text(name);
    if (text == null) {
      throw RejectedException.invalid(name, name + " is required");
    }
    return text;
  }

  /** True or false; empty if it is missing or null. */
  Optional<Boolean> flag(String name) throws RejectedException {
    return read(name, JsonInput::flag);
  }

  /** The strings of an array; empty if it is missing or null. */
  ImmutableList<String> texts(String name) throws RejectedException {
    return read(name, array -> array.elements(JsonInput::text)).orElse(ImmutableList.of());
  }

  /** The object of an attribute; empty if it is missing or null. */
  Optional<Body> object(String name) throws RejectedException {
    return read(name, Body::of);
  }

  /** The objects of an array; empty if it is missing or null. */
  ImmutableList<Body> objects(String name) throws RejectedException {
    return read(name, array -> array.elements(Body::of)).orElse(ImmutableList.of());
  }
}
