package io.malob.controller.module;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.malob.module.Setting;
import io.malob.module.SettingReader;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import org.junit.jupiter.api.Test;

class ModuleSettingsTest {

  @Test
  void parse_floodlightSyntax_readsModulesAndTheirSettings() throws Exception {
    ModuleSettings settings =
        ModuleSettings.parse("floodlight.modules=a.B,\\\n c.D\na.B.port=1\na.B.C.port=2\n");
    assertEquals(List.of("a.B", "c.D"), settings.modules());
    assertEquals(Map.of("port", "1"), settings.of("a.B"));
    assertEquals(Map.of("port", "2"), settings.of("a.B.C"));
    assertEquals(Map.of(), settings.of("c.D"));
  }

  @Test
  void parse_notAPropertiesFile_throws() {
    assertThrows(IOException.class, () -> ModuleSettings.parse("a=\\u12"));
  }

  @Test
  void of_overridesAndAllModules_laterLayerWinsThenTheModulesOwn() throws Exception {
    ModuleSettings settings =
        ModuleSettings.parse("*.data=all\na.B.data=own\na.B.port=1")
            .overlaidWith(Map.of("a.B.port", "2", "*.host", "::1"));
    assertEquals(Map.of("data", "own", "port", "2", "host", "::1"), settings.of("a.B"));
    assertEquals(Map.of("data", "all", "host", "::1"), settings.of("c.D"));
    assertEquals("late", settings.overlaidWith(Map.of("*.data", "late")).of("a.B").get("data"));
  }

  @Test
  void including_listedAlready_isNotListedTwice() throws Exception {
    ModuleSettings settings = ModuleSettings.parse("floodlight.modules=a.B");
    assertEquals(List.of("a.B", "c.D"), settings.including("a.B", "c.D").modules());
  }

  @Test
  void number_outOfBoundsOrNoNumber_namesModuleAndKey() throws Exception {
    Setting<Integer> absent = Setting.number("absent", 7, 0, 65535);
    Setting<Integer> big = Setting.number("big", 7, 0, 65535);
    Setting<Integer> word = Setting.number("word", 7, 0, 65535);
    SettingReader reader =
        new SettingReader(
            Object.class, List.of(absent, big, word), Map.of("big", "70000", "word", "x"));
    assertEquals(7, reader.get(absent));
    FloodlightModuleException failure =
        assertThrows(FloodlightModuleException.class, () -> reader.get(big));
    assertEquals(
        "java.lang.Object.big must be a whole number from 0 to 65535, not \"70000\"",
        failure.getMessage());
    assertThrows(FloodlightModuleException.class, () -> reader.get(word));
  }
}
