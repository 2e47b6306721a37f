package io.malob.json;

import com.fasterxml.jackson.core.JsonLocation;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The errors of a request body: each sentence names the field and quotes its value. */
final class RequestErrors implements JsonErrors<RejectedException> {
  private static final int MAX_REASON_LENGTH = 200;

  @Override
  public boolean isBlankAbsent() {
    return true;
  }

  @Override
  public RejectedException empty() {
    return RejectedException.invalid(null, "the body is empty; a JSON object is needed");
  }

  @Override
  public RejectedException malformed(String why, @Nullable JsonLocation at) {
    String where = at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
    String reason =
        why.length() <= MAX_REASON_LENGTH ? why : why.substring(0, MAX_REASON_LENGTH) + "…";
    return RejectedException.invalid(null, "the body is not valid JSON" + where + ": " + reason);
  }

  @Override
  public RejectedException repeated(String place, @Nullable JsonLocation at) {
    return RejectedException.invalid(place, place + " is given twice");
  }

  @Override
  public RejectedException missing(JsonInput<RejectedException> object, String name) {
    String place = object.placeOf(name);
    return RejectedException.invalid(place, place + " is required");
  }

  @Override
  public RejectedException unknown(JsonInput<RejectedException> value, Collection<String> known) {
    return RejectedException.invalid(
        value.place(),
        "there is no field \"" + value.place() + "\" here, only " + String.join(", ", known));
  }

  @Override
  public RejectedException wrong(JsonInput<RejectedException> value, String expected) {
    String place = value.place();
    return RejectedException.invalid(
        place.isEmpty() ? null : place,
        (place.isEmpty() ? "the JSON body" : place)
            + " must be "
            + expected
            + ", not "
            + value.shown());
  }
}
