package io.malob.controller.text;

import io.malob.json.Json;
import io.malob.module.TextFormat;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** YAML 1.2. Nesting and aliases, by which a short text can become large, are limited. */
public final class YamlText implements TextFormat {
  private static final int MAX_ALIASES = 10;
  private static final int MAX_CHARACTERS = 16 * 1024 * 1024;
  private static final LoadSettings READ =
      LoadSettings.builder()
          .setLabel("YAML")
          .setAllowDuplicateKeys(false)
          .setMaxAliasesForCollections(MAX_ALIASES)
          .setCodePointLimit(MAX_CHARACTERS)
          .build();
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
      ByteArrayOutputStream json = new ByteArrayOutputStream();
      Json.write(json, new Load(READ).loadFromInputStream(new ByteArrayInputStream(text)));
      return json.toByteArray();
    } catch (MarkedYamlEngineException e) {
      throw new IOException(String.valueOf(e.getProblem()) + where(e), e);
    } catch (YamlEngineException | StackOverflowError e) {
      throw new IOException("it is nested too deeply, or not one document", e);
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
