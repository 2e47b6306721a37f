package io.malob.resource;

import io.malob.json.RejectedException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The JSON body of the answer to a rejected request. Has no state. */
@FunctionalInterface
public interface ErrorBody {
  /** The sentence in {@code error} and the wrong field, or null, in {@code field}. */
  ErrorBody COMMON =
      e -> {
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        body.put("error", e.sentence());
        body.put("field", e.field().orElse(null));
        return body;
      };

  /** The fields of the body. */
  Map<String, @Nullable Object> of(RejectedException e);
}
