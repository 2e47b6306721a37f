package io.malob.rest;

import java.util.Map;
import java.util.Set;

/**
 * Recognises fields by the names that clients give them: {@code vip id} as the MALOB thesis writes
 * it and {@code vipId} as Floodlight shows it are both {@code vip_id}.
 *
 * @param known the names that fields have here
 * @param others other names, and what they mean
 */
record FieldNames(Set<String> known, Map<String, String> others) {

  /** The name here; the given one as it is if there is no such field, so that an error shows it. */
  String here(String given) {
    String words = given.strip().replace(' ', '_');
    String name = others.getOrDefault(words, words);
    return known.contains(name) ? name : given;
  }
}
