package io.malob.controller.access;

import com.google.common.collect.ImmutableList;
import com.google.common.io.BaseEncoding;
import io.malob.file.DamagedException;
import io.malob.file.StateNode;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The file of tokens: {@code {"tokens": [{"name": "ops", "role": "admin", "sha256": "<hex>"}]}}.
 */
final class TokensFormat {
  private static final int MOST_TOKENS = 1_000;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,32}");
  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");

  private TokensFormat() {}

  /**
   * The tokens of these bytes.
   *
   * @throws DamagedException naming the field that is wrong; hashes are never shown
   */
  static Tokens read(byte[] bytes) throws DamagedException {
    StateNode root = StateNode.parse(bytes);
    List<StateNode> list = root.get("tokens").elements();
    if (list.size() > MOST_TOKENS) {
      throw root.get("tokens").damaged("must have at most " + MOST_TOKENS + " elements");
    }
    ImmutableList.Builder<Tokens.Entry> entries = ImmutableList.builder();
    Set<String> names = new HashSet<>();
    for (StateNode node : list) {
      Tokens.Entry entry = entry(node);
      if (!names.add(entry.caller().name())) {
        throw node.get("name").damaged("is there twice");
      }
      entries.add(entry);
    }
    return new Tokens(entries.build());
  }

  private static Tokens.Entry entry(StateNode node) throws DamagedException {
    String name = matching(node.get("name"), NAME, "1 to 32 letters, digits, dots, dashes");
    Optional<Role> role = Role.named(node.get("role").text());
    if (role.isEmpty()) {
      throw node.get("role").damaged("must be admin or read-only");
    }
    String hash = matching(node.get("sha256"), HASH, "64 hexadecimal digits, in small letters");
    return new Tokens.Entry(
        new Caller(name, role.get()), BaseEncoding.base16().decode(hash.toUpperCase(Locale.ROOT)));
  }

  private static String matching(StateNode node, Pattern pattern, String what)
      throws DamagedException {
    if (!pattern.matcher(node.text()).matches()) {
      throw node.damaged("must be " + what);
    }
    return node.text();
  }
}
