package io.malob.state.catalog;

import io.malob.json.RejectedException;
import java.util.BitSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A set of HTTP status codes, as OpenStack writes it: {@code 200}, {@code 200,202}, {@code
 * 200-204}. Immutable.
 */
public final class StatusCodes {
  private static final Pattern PART = Pattern.compile("([1-5][0-9]{2})(?:-([1-5][0-9]{2}))?");
  private static final int MAX_LENGTH = 64;

  static final FieldFormat<StatusCodes> FORMAT =
      FieldFormat.text(StatusCodes::parse, MAX_LENGTH).givenAs("StatusCodes");

  private final String text;
  private final BitSet codes;

  private StatusCodes(String text, BitSet codes) {
    this.text = text;
    this.codes = codes;
  }

  /** One code alone. */
  static StatusCodes of(int code) {
    BitSet codes = new BitSet();
    codes.set(code);
    return new StatusCodes(Integer.toString(code), codes);
  }

  static StatusCodes parse(String field, String text) throws RejectedException {
    BitSet codes = new BitSet();
    for (String part : text.split(",", -1)) {
      Matcher range = PART.matcher(part.strip());
      if (!range.matches() || text.length() > MAX_LENGTH) {
        throw invalid(field);
      }
      int first = Integer.parseInt(range.group(1));
      int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
      if (last < first) {
        throw invalid(field);
      }
      codes.set(first, last + 1);
    }
    return new StatusCodes(text, codes);
  }

  private static RejectedException invalid(String field) {
    return RejectedException.invalid(
        field,
        field
            + " must be HTTP status codes such as 200, 200,202 or 200-204, in at most "
            + MAX_LENGTH
            + " characters");
  }

  /** Whether a code is one of them. */
  public boolean contains(int code) {
    return codes.get(code);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof StatusCodes that && codes.equals(that.codes) && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  /** As given. */
  @Override
  public String toString() {
    return text;
  }
}
