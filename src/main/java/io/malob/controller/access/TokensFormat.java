package io.malob.controller.access;

import com.google.common.collect.ImmutableList;
import com.google.common.io.BaseEncoding;
import io.malob.file.DamagedException;
import io.malob.file.StateFile;
import io.malob.json.JsonInput;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The file of tokens: {@code {"tokens": [{"name": "ops", "role": "admin", "sha256": "<hex>"}]}}. A
 * token may have a time at which it {@code expires}, such as {@code 2027-01-31T00:00:00Z}.
 */
final class TokensFormat {
  private static final int MAX_TOKENS = 1_000;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,32}");
  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");

  private TokensFormat() {}

  /**
   * The tokens of these bytes.
   *
   * @throws DamagedException naming the field that is wrong; hashes are never shown
   */
  static Tokens read(byte[] bytes) throws DamagedException {
    JsonInput<DamagedException> root = StateFile.parse(bytes);
    List<JsonInput<DamagedException>> list = root.get("tokens").elements();
    if (list.size() > MAX_TOKENS) {
      throw DamagedException.at(
          root.get("tokens"), "must have at most " + MAX_TOKENS + " elements");
    }
    ImmutableList.Builder<Tokens.Entry> entries = ImmutableList.builder();
    Set<String> names = new HashSet<>();
    for (JsonInput<DamagedException> node : list) {
      Tokens.Entry entry = entry(node);
      if (!names.add(entry.principal().name())) {
        throw DamagedException.at(node.get("name"), "is a duplicate");
      }
      entries.add(entry);
    }
    return new Tokens(entries.build());
  }

  private static Tokens.Entry entry(JsonInput<DamagedException> node) throws DamagedException {
    String name = matching(node.get("name"), NAME, "1 to 32 letters, digits, dots, dashes");
    Optional<Role> role = Role.named(node.get("role").string());
    if (role.isEmpty()) {
      throw node.get("role").wrong("admin or read-only");
    }
    String hash = matching(node.get("sha256"), HASH, "64 lowercase hexadecimal digits");
    return new Tokens.Entry(
        new Principal(name, role.get()),
        BaseEncoding.base16().decode(hash.toUpperCase(Locale.ROOT)),
        expires(node.get("expires")));
  }

  private static Instant expires(JsonInput<DamagedException> node) throws DamagedException {
    if (!node.isThere() || node.isNull()) {
      return Instant.MAX;
    }
    try {
      return Instant.parse(node.string());
    } catch (DateTimeParseException e) {
      throw node.wrong("a time such as 2027-01-31T00:00:00Z");
    }
  }

  private static String matching(JsonInput<DamagedException> node, Pattern pattern, String what)
      throws DamagedException {
    if (!pattern.matcher(node.string()).matches()) {
      throw node.wrong("" + what);
    }
    return node.string();
  }
}
