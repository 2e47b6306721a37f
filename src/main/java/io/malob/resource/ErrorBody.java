package io.malob.resource;

import io.malob.json.Json;
import io.malob.json.RejectedException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The JSON body of an error. Has no state. */
@FunctionalInterface
public interface ErrorBody {
  /** The sentence in {@code error} and the wrong field, or null, in {@code field}. */
  ErrorBody COMMON = (status, sentence, field) -> Json.fields("error", sentence, "field", field);

  /** As OpenStack's clients read it: {@code faultstring} names the wrong attribute, too. */
  ErrorBody OPENSTACK =
      (status, sentence, field) ->
          Json.fields(
              "faultcode", status < 500 ? "Client" : "Server",
              "faultstring",
                  field == null || sentence.contains(field) ? sentence : field + ": " + sentence,
              "debuginfo", null);

  /**
   * The fields of the body.
   *
   * @param status the HTTP status
   * @param sentence for the client
   * @param field the wrong field; null if there is none in particular
   */
  Map<String, @Nullable Object> of(int status, String sentence, @Nullable String field);

  /** The answer to a rejected request. */
  default Reply reply(RejectedException e) {
    Reply reply = new Reply(e.status(), of(e.status(), e.sentence(), e.field().orElse(null)));
    return switch (e.reason()) {
      case METHOD_NOT_ALLOWED -> reply.withHeader("Allow", String.join(", ", e.allowed()));
      case UNSIGNED -> reply.withHeader("WWW-Authenticate", "MALOB-Report realm=\"agents\"");
      default -> reply;
    };
  }

  /** The answer to a request that is refused with this status. */
  default Reply reply(int status, String sentence) {
    return new Reply(status, of(status, sentence, null));
  }
}
