package io.malob.module;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.malob.controller.network.devices.DeviceModule;
import io.malob.latency.LatencyModule;
import io.malob.testing.LogLines;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import org.junit.jupiter.api.Test;

/** Settings under their current and deprecated names. */
class SettingReaderTest {
  private static SettingReader reader(BaseModule module, Map<String, String> given)
      throws WrongSettingException {
    FloodlightModuleContext context = new FloodlightModuleContext();
    given.forEach((key, value) -> context.addConfigParam(module, key, value));
    return SettingReader.of(module, context);
  }

  private static Setting<Integer> number(String name) {
    return Setting.number(name, 100, 1, 1_000);
  }

  @Test
  void deprecatedName_isReadAsTheCurrentOne_andLogged() throws Exception {
    try (LogLines log = LogLines.of(SettingReader.class)) {
      SettingReader devices = reader(new DeviceModule(), Map.of("mostDevices", "7"));
      SettingReader latency = reader(new LatencyModule(), Map.of("mostLatencyMillis", "8"));

      assertEquals(7, devices.get(number("maxDevices")));
      assertEquals(8, latency.get(number("maxLatencyMillis")));
      assertEquals(
          List.of(
              "setting_deprecated name="
                  + DeviceModule.class.getName()
                  + ".mostDevices use=maxDevices",
              "setting_deprecated name="
                  + LatencyModule.class.getName()
                  + ".mostLatencyMillis use=maxLatencyMillis"),
          log.takeEvents());
    }
  }

  @Test
  void currentName_isReadWithoutWarning() throws Exception {
    try (LogLines log = LogLines.of(SettingReader.class)) {
      SettingReader devices = reader(new DeviceModule(), Map.of("maxDevices", "7"));

      assertEquals(7, devices.get(number("maxDevices")));
      assertEquals(List.of(), log.takeEvents());
    }
  }

  @Test
  void bothNames_areRefused() {
    WrongSettingException e =
        assertThrows(
            WrongSettingException.class,
            () -> reader(new DeviceModule(), Map.of("mostDevices", "7", "maxDevices", "7")));

    assertEquals(
        DeviceModule.class.getName()
            + ".mostDevices is the deprecated name of maxDevices, which is also set",
        e.getMessage());
  }

  @Test
  void unknownName_isRefused() {
    assertThrows(
        WrongSettingException.class, () -> reader(new DeviceModule(), Map.of("leastDevices", "7")));
  }
}
