package io.malob.controller.access;

import io.malob.file.DamagedException;
import io.malob.testing.ReaderFuzz;
import org.junit.jupiter.api.Test;

class TokensFormatFuzzTest {
  @Test
  void spoiledTokens_areReadOrRefused() throws Exception {
    String hash = "0123456789abcdef".repeat(4);
    new ReaderFuzz(
            ("{'tokens':[{'name':'ops','role':'admin','sha256':'HASH'},"
                    + "{'name':'grafana','role':'read-only','sha256':'HASH'}]}")
                .replace("HASH", hash))
        .check(TokensFormat::read, e -> e instanceof DamagedException);
  }
}
