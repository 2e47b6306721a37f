package io.malob.controller.access;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.io.BaseEncoding;
import java.io.IOException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The file of tokens: {@code {"tokens": [{"name": "ops", "role": "admin", "sha256": "<hex>"}]}}.
 */
final class TokensFormat {
  private static final int MOST_TOKENS = 1_000;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,32}");
  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private TokensFormat() {}

  /**
   * The tokens of these bytes.
   *
   * @throws IOException naming the field that is wrong; hashes are never shown
   */
  static Tokens read(byte[] bytes) throws IOException {
    JsonNode list;
    try {
      list = JSON.readTree(bytes).path("tokens");
    } catch (IOException e) {
      // its own message quotes the file
      throw new IOException("it is not valid JSON");
    }
    if (!list.isArray() || list.size() > MOST_TOKENS) {
      throw new IOException("tokens must be a list of at most " + MOST_TOKENS);
    }
    ImmutableList.Builder<Tokens.Entry> entries = ImmutableList.builder();
    Set<String> names = new HashSet<>();
    for (int i = 0; i < list.size(); i++) {
      Tokens.Entry entry = entry(list.get(i), "tokens[" + i + "]");
      if (!names.add(entry.caller().name())) {
        throw new IOException("tokens[" + i + "].name is there twice");
      }
      entries.add(entry);
    }
    return new Tokens(entries.build());
  }

  private static Tokens.Entry entry(JsonNode node, String where) throws IOException {
    String name = matching(node, where, "name", NAME, "1 to 32 letters, digits, dots, dashes");
    Role role =
        Role.named(node.path("role").asText())
            .orElseThrow(() -> new IOException(where + ".role must be admin or read-only"));
    String hash = matching(node, where, "sha256", HASH, "64 hexadecimal digits, in small letters");
    return new Tokens.Entry(
        new Caller(name, role), BaseEncoding.base16().decode(hash.toUpperCase(Locale.ROOT)));
  }

  private static String matching(
      JsonNode node, String where, String field, Pattern pattern, String what) throws IOException {
    JsonNode value = node.path(field);
    if (!value.isTextual() || !pattern.matcher(value.asText()).matches()) {
      throw new IOException(where + "." + field + " must be " + what);
    }
    return value.asText();
  }
}
