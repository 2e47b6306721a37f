package io.malob.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.json.RejectedException.Reason;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The one reader of JSON, with what is said of the bodies of requests. */
class JsonInputTest {
  private enum Colour {
    RED,
    DARK_RED
  }

  private static JsonInput<RejectedException> read(String text) throws RejectedException {
    return JsonInput.ofRequest(text.replace('\'', '"').getBytes(UTF_8));
  }

  private static void assertRejected(String field, String sentence, Executable reading) {
    RejectedException e = assertThrows(RejectedException.class, reading);
    assertEquals(Reason.INVALID, e.reason());
    assertEquals(sentence, e.sentence());
    assertEquals(Optional.ofNullable(field), e.field());
  }

  @Test
  void values_areReadAsTheyAreWritten() throws Exception {
    JsonInput<RejectedException> all =
        read("{'a': ' x ', 'b': 50.0, 'c': [1, -2], 'd': true, 'e': null, 'f': {'g': 1e3}}");
    assertEquals("x", all.get("a").string());
    assertEquals(" x ", all.get("a").text());
    assertEquals("50.0", all.get("b").text());
    assertEquals(50, all.get("b").number(0, 50));
    assertEquals(1, all.get("c").elements(2).get(0).whole(-2, 1));
    assertEquals(-2L, all.get("c").elements(2).get(1).whole(-2L, 1L));
    assertTrue(all.get("d").flag());
    assertEquals("true", all.get("d").text());
    assertTrue(all.get("e").isNull());
    assertEquals("1e3", all.get("f").get("g").text());
    assertEquals(1_000, all.get("f").get("g").number());
    assertEquals(List.of("a", "b", "c", "d", "e", "f"), List.copyOf(all.fields().keySet()));
  }

  @Test
  void fieldThatIsNullOrBlankOrNotThere_isAbsent() throws Exception {
    JsonInput<RejectedException> all = read("{'a': null, 'b': ' ', 'c': 'x'}");
    for (String name : List.of("a", "b", "none")) {
      JsonInput<RejectedException> field = all.get(name);
      assertFalse(field.isThere());
      assertEquals(Optional.empty(), field.optional(JsonInput::string));
      assertRejected(name, name + " is required", field::string);
      assertRejected(name, name + " is required", () -> field.whole(1, 2));
      assertRejected(name, name + " is required", () -> field.get("x"));
    }
    assertEquals(Optional.of("x"), all.get("c").optional(JsonInput::string));
  }

  @Test
  void wrongType_isSaidWithThePlaceAndTheValue() throws Exception {
    JsonInput<RejectedException> all = read("{'list': [{'n': 7, 's': 'x'}, 'y']}");
    JsonInput<RejectedException> list = all.get("list");
    JsonInput<RejectedException> first = list.elements().get(0);
    assertRejected("list[0].n", "list[0].n must be a string, not 7", () -> first.get("n").string());
    assertRejected(
        "list[0].s", "list[0].s must be true or false, not \"x\"", () -> first.get("s").flag());
    assertRejected(
        "list[0].s", "list[0].s must be a number, not \"x\"", () -> first.get("s").number());
    assertRejected("list[0]", "list[0] must be a string or a number, not an object", first::text);
    assertRejected("list", "list must be a string or a number, not an array", list::text);
    assertRejected(
        "list[1]", "list[1] must be an object, not \"y\"", () -> list.elements().get(1).get("x"));
    assertRejected("list[0].n", "list[0].n must be an array, not 7", first.get("n")::elements);
    assertRejected(
        "list",
        "list must be an array of at most 1 elements, not an array",
        () -> list.elements(1));
    assertRejected(null, "the JSON body must be an array, not an object", all::elements);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0", "65536", "80.0", "1e2", "99999999999999999999", "true", "\"80\"", "-1"})
  void wholeNumber_isWithinItsBounds(String written) throws Exception {
    JsonInput<RejectedException> field = read("{'port': " + written + "}").get("port");
    assertRejected(
        "port",
        "port must be a whole number from 1 to 65535, not " + written,
        () -> field.whole(1, 65_535));
  }

  @Test
  void number_isWithinItsBounds() throws Exception {
    JsonInput<RejectedException> all = read("{'a': -0.1, 'b': 1e400, 'c': '1', 'd': 1}");
    assertRejected("a", "a must be a number from 0 to 1, not -0.1", () -> unit(all, "a"));
    assertRejected("b", "b must be a number from 0 to 1, not 1e400", () -> unit(all, "b"));
    assertRejected("c", "c must be a number from 0 to 1, not \"1\"", () -> unit(all, "c"));
    assertEquals(1, unit(all, "d"));
  }

  private static double unit(JsonInput<RejectedException> all, String name)
      throws RejectedException {
    return all.get(name).number(0, 1);
  }

  @Test
  void stringsThatStandForSomething_areParsed() throws Exception {
    JsonInput<RejectedException> all = read("{'a': '7f', 'b': 'x', 'c': 'dark_red'}");
    int parsed = all.get("a").parsed("hexadecimal", text -> Integer.parseInt(text, 16));
    assertEquals(127, parsed);
    assertRejected(
        "b",
        "b must be hexadecimal, not \"x\"",
        () -> all.get("b").parsed("hexadecimal", text -> Integer.parseInt(text, 16)));
    assertEquals(Colour.DARK_RED, all.get("c").oneOf(Colour.class));
    assertRejected(
        "b", "b must be one of red, dark_red, not \"x\"", () -> all.get("b").oneOf(Colour.class));
    assertEquals("x", all.get("b").oneOf(List.of("x", "y")));
    assertRejected(
        "a", "a must be one of x, y, not \"7f\"", () -> all.get("a").oneOf(List.of("x", "y")));
  }

  @Test
  void spelledValue_isWhatItSpells() throws Exception {
    JsonInput<RejectedException> all =
        read("{'a': '7', 'b': ' true', 'c': '1.5', 'd': 'x', 'e': 2}");
    assertEquals(7, all.get("a").spelled().whole(1, 9));
    assertTrue(all.get("b").spelled().flag());
    assertEquals(1.5, all.get("c").spelled().number());
    assertRejected(
        "d",
        "d must be a whole number from 1 to 9, not \"x\"",
        () -> all.get("d").spelled().whole(1, 9));
    assertEquals(2, all.get("e").spelled().whole(1, 9));
  }

  @Test
  void unknownField_isRefusedWithThoseThatThereAre() throws Exception {
    JsonInput<RejectedException> all = read("{'list': [{'colour': null}]}");
    assertEquals("[list]", all.only(List.of("list", "x")).fields().keySet().toString());
    assertRejected(
        "list[0].colour",
        "there is no field \"list[0].colour\" here, only id, port",
        () -> all.get("list").elements().get(0).only(List.of("id", "port")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'a': 1, 'a': 2} | a",
        "{'list': [{}, {'id': 'x', 'y': 1, 'id': 'z'}]} | list[1].id",
        "{'a': {'b': {'c': [], 'c': {}}}} | a.b.c"
      })
  void nameThatIsThereTwice_isRefused(String text, String place) {
    assertRejected(place, place + " is given twice", () -> read(text));
  }

  @Test
  void renamedFields_areKnownByTheirNamesHere() throws Exception {
    JsonInput<RejectedException> all = read("{'A': 1, 'b': 'x'}");
    assertEquals(1, all.fields(name -> name.toLowerCase(Locale.ROOT)).get("a").whole(1, 1));
    assertRejected(
        "B",
        "B must be a number, not \"x\"",
        () -> all.fields(name -> name.toUpperCase(Locale.ROOT)).get("B").number());
    assertRejected("x", "x is given twice", () -> all.fields(name -> "x"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[1] x | 1, column 5",
        "[1] 2 | 1, column 5",
        "[1 | 1",
        "{'a'} | 1",
        "[01] | 1",
        "[NaN] | 1",
        "[1,] | 1",
        "`{'a':1,\n 'b' 2}` | 2"
      })
  void textThatIsNotOneValue_isRefusedWithItsPlace(String text, String place) {
    RejectedException e = assertThrows(RejectedException.class, () -> read(text));
    assertEquals(Optional.empty(), e.field());
    assertTrue(
        e.sentence().startsWith("the body is not valid JSON at line " + place), e.sentence());
    assertFalse(e.sentence().contains("Source") || e.sentence().contains("start marker"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "  ", "\n"})
  void emptyText_isRefused(String text) {
    assertRejected(null, "the body is empty; a JSON object is needed", () -> read(text));
  }

  @Test
  void bytesThatAreNoUtf8_areRefused() {
    RejectedException e =
        assertThrows(
            RejectedException.class, () -> JsonInput.ofRequest(new byte[] {'"', (byte) 0xff, '"'}));
    assertTrue(e.sentence().startsWith("the body is not valid JSON"), e.sentence());
  }

  @Test
  void nesting_isReadUpToTheLimit() throws Exception {
    int limit = JsonInput.MAX_DEPTH;
    JsonInput<RejectedException> value = read("[".repeat(limit) + "]".repeat(limit));
    for (int depth = 1; depth < limit; depth++) {
      value = value.elements().get(0);
    }
    assertEquals(List.of(), value.elements());
  }

  /** Jackson 2.11 overflows the stack. */
  @ParameterizedTest
  @ValueSource(strings = {"[", "{'a':", "[[],{'b':"})
  void deeperNesting_isRefused_withItsPlace(String level) {
    RejectedException e = assertThrows(RejectedException.class, () -> read(level.repeat(200_000)));
    assertTrue(e.sentence().endsWith(": nested deeper than 100 levels"), e.sentence());
    assertTrue(e.sentence().contains("at line 1, column"), e.sentence());
  }

  @Test
  void moreValuesThanTheLimit_areRefused() throws Exception {
    int others = JsonInput.MAX_VALUES - 2;
    String most = "[{}" + ",{}".repeat(others) + "]";
    assertEquals(others + 1, read(most).elements().size());
    assertRejected(
        null,
        "the body is not valid JSON at line 1, column %d: more than 1000000 values"
            .formatted(most.length() + 2),
        () -> read(most.substring(0, most.length() - 1) + ",{}]"));
  }

  @Test
  void longNumber_isRefused() throws Exception {
    assertEquals("1".repeat(1_000), read("1".repeat(1_000)).text());
    assertThrows(RejectedException.class, () -> read("[" + "1".repeat(1_001) + "]"));
    assertThrows(RejectedException.class, () -> read("[" + "1".repeat(1_000_000) + "]"));
  }

  @Test
  void longValue_isShownCut() throws Exception {
    JsonInput<RejectedException> all = read("{'a': '" + "x".repeat(100) + "'}");
    assertRejected(
        "a", "a must be a number, not \"" + "x".repeat(60) + "…\"", () -> all.get("a").number());
  }
}
