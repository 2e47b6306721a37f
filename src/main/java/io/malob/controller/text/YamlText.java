package io.malob.controller.text;

import io.malob.json.Json;
import io.malob.json.JsonInput;
import io.malob.module.TextFormat;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.YamlUnicodeReader;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ParserException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.parser.Parser;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/**
 * YAML 1.2. Nesting, aliases, by which a short text can become large, and the number of values are
 * limited.
 */
public final class YamlText implements TextFormat {
  private static final int MAX_ALIASES = 10;
  private static final int MAX_CHARACTERS = 16 * 1024 * 1024;

  /** Of the JSON text: aliases and quotation marks make it longer than the YAML text. */
  private static final int MAX_BYTES = 2 * MAX_CHARACTERS;

  private static final int MAX_NODES = JsonInput.MAX_VALUES;

  /** In longer texts, the places of all values would take too much memory. */
  private static final int MAX_MARKED_BYTES = 1024 * 1024;

  private static final LoadSettings READ = readsWith(true);
  private static final LoadSettings READ_WITHOUT_PLACES = readsWith(false);
  private static final DumpSettings WRITE =
      DumpSettings.builder()
          .setDefaultFlowStyle(FlowStyle.BLOCK)
          // equal parts of a document can be one object
          .setDereferenceAliases(true)
          .build();

  /** Made by the service loader. */
  public YamlText() {}

  @Override
  public String mediaType() {
    return "application/yaml";
  }

  @Override
  public byte[] toJson(byte[] text) throws IOException {
    try {
      BoundedOutput json = new BoundedOutput();
      Json.write(json, load(text));
      return json.toByteArray();
    } catch (MarkedYamlEngineException e) {
      throw new IOException(String.valueOf(e.getProblem()) + where(e), e);
    } catch (YamlEngineException | StackOverflowError e) {
      throw new IOException("it is nested too deeply, or not one document", e);
    }
  }

  private static LoadSettings readsWith(boolean places) {
    return LoadSettings.builder()
        .setLabel("YAML")
        .setUseMarks(places)
        .setAllowDuplicateKeys(false)
        .setMaxAliasesForCollections(MAX_ALIASES)
        .setCodePointLimit(MAX_CHARACTERS)
        .build();
  }

  private static @Nullable Object load(byte[] text) {
    checkEvents(text);
    Load load = new Load(text.length > MAX_MARKED_BYTES ? READ_WITHOUT_PLACES : READ);
    return load.loadFromInputStream(new ByteArrayInputStream(text));
  }

  /** A few characters become a hundred bytes or more: so it counts before it keeps anything. */
  private static void checkEvents(byte[] text) {
    InputStream bytes = new ByteArrayInputStream(text);
    Parser events = new ParserImpl(READ, new StreamReader(READ, new YamlUnicodeReader(bytes)));
    int nodes = 0;
    while (events.hasNext()) {
      Event event = events.next();
      if (event instanceof NodeEvent && ++nodes > MAX_NODES) {
        throw new ParserException(
            "it has more than " + MAX_NODES + " names and values", event.getStartMark());
      }
    }
  }

  /** Text in memory, up to a limit. */
  private static final class BoundedOutput extends OutputStream {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    @Override
    public void write(int oneByte) throws IOException {
      check(1);
      bytes.write(oneByte);
    }

    @Override
    public void write(byte[] more, int offset, int length) throws IOException {
      check(length);
      bytes.write(more, offset, length);
    }

    private void check(int length) throws IOException {
      if (bytes.size() + length > MAX_BYTES) {
        throw new IOException("it has more than " + MAX_BYTES + " bytes as JSON");
      }
    }

    byte[] toByteArray() {
      return bytes.toByteArray();
    }
  }

  private static String where(MarkedYamlEngineException e) {
    return e.getProblemMark()
        .map(mark -> " at line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1))
        .orElse("");
  }

  @Override
  public String write(@Nullable Object value) {
    return new Dump(WRITE).dumpToString(value);
  }
}
