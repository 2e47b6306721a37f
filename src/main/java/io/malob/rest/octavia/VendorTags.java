package io.malob.rest.octavia;

import com.google.common.collect.ImmutableList;
import io.malob.json.RejectedException;
import java.util.List;
import java.util.Optional;

/**
 * The tags by which Octavia's clients set what only MALOB has, as in {@code malob:algorithm=SL-PS}.
 * They are a form of the catalog's fields, and not kept as tags. Has no state.
 */
final class VendorTags {
  static final String ALGORITHM = "malob:algorithm=";
  static final String PLACEMENT = "malob:placement=";
  private static final String PREFIX = "malob:";

  private VendorTags() {}

  /** The value of the tag with that beginning; empty if there is none. */
  static Optional<String> value(List<String> tags, String beginning) {
    return tags.stream()
        .filter(tag -> tag.startsWith(beginning))
        .map(tag -> tag.substring(beginning.length()).strip())
        .findFirst();
  }

  /** The tags that are not for MALOB. */
  static ImmutableList<String> others(List<String> tags) {
    return tags.stream()
        .filter(tag -> !tag.startsWith(PREFIX))
        .collect(ImmutableList.toImmutableList());
  }

  /**
   * Checks that the tags for MALOB are among those with these beginnings.
   *
   * @throws RejectedException for a misspelled one, which would have no effect
   */
  static void check(List<String> tags, List<String> beginnings) throws RejectedException {
    for (String tag : tags) {
      if (tag.startsWith(PREFIX) && beginnings.stream().noneMatch(tag::startsWith)) {
        throw RejectedException.invalid(
            "tags",
            beginnings.isEmpty()
                ? "there are no tags " + PREFIX + "... here"
                : "the tags for MALOB here are "
                    + String.join(", ", beginnings)
                    + "..., not "
                    + tag);
      }
    }
  }
}
