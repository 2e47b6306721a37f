package io.malob.state.network;

import io.malob.file.DamagedException;
import io.malob.testing.ReaderFuzz;
import org.junit.jupiter.api.Test;

class CapacityFormatFuzzTest {
  @Test
  void spoiledCapacities_areReadOrRefused() throws Exception {
    new ReaderFuzz(
            "{'version':1,'capacities':[{'switch':'00:00:00:00:00:00:00:01','port':2,"
                + "'bits_per_second':1.0E9},{'switch':'00:00:00:00:00:00:00:02','port':1,"
                + "'bits_per_second':1.0E7}]}")
        .check(CapacityFormat::read, e -> e instanceof DamagedException);
  }
}
