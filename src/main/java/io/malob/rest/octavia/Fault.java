package io.malob.rest.octavia;

import io.malob.json.RejectedException;
import io.malob.resource.ErrorBody;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Errors as Octavia's clients read them: the sentence in {@code faultstring}, which names the wrong
 * attribute. Has no state.
 */
final class Fault implements ErrorBody {
  private static final int SERVER_ERRORS = 500;

  @Override
  public Map<String, @Nullable Object> of(RejectedException e) {
    @Nullable String field = e.field().orElse(null);
    String sentence = e.sentence();
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    body.put("faultcode", e.status() < SERVER_ERRORS ? "Client" : "Server");
    body.put(
        "faultstring",
        field == null || sentence.contains(field) ? sentence : field + ": " + sentence);
    body.put("debuginfo", null);
    return body;
  }
}
