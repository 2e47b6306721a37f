package io.malob.controller.module;

import io.malob.testing.ReaderFuzz;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ModuleSettingsFuzzTest {
  @Test
  void spoiledSettings_areReadOrRefused() throws Exception {
    new ReaderFuzz(
            """
            # settings
            floodlight.modules=io.malob.A,\\
              io.malob.B
            io.malob.A.port=1
            *.data=/x\\u0041
            io.malob.B.name = \\u00e9\\u00e9\\u00e9 \\t text
            """)
        .check(ModuleSettingsFuzzTest::read, e -> e instanceof IOException);
  }

  private static void read(byte[] file) throws IOException {
    ModuleSettings settings = ModuleSettings.parse(new String(file, StandardCharsets.ISO_8859_1));
    settings.modules().forEach(settings::of);
  }
}
