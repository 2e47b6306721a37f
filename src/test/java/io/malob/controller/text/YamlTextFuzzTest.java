package io.malob.controller.text;

import io.malob.testing.ReaderFuzz;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class YamlTextFuzzTest {
  @Test
  void spoiledYaml_isReadOrRefused() throws Exception {
    new ReaderFuzz(
            "vips:\n- id: web\n  protocol: tcp\n  address: 10.0.0.100\n  port: 80\n",
            "pools:\n  - {id: p, vip_id: web, lb_method: 'RR'}\nmembers: [{id: m, weight: 3}]\n",
            "a: &x [1, 2.5, ~, true]\nb: *x\nc: |\n  text\n  more\n# done\n")
        .check(new YamlText()::toJson, e -> e instanceof IOException);
  }
}
