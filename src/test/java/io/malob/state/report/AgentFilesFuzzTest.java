package io.malob.state.report;

import io.malob.file.DamagedException;
import io.malob.testing.ReaderFuzz;
import org.junit.jupiter.api.Test;

class AgentFilesFuzzTest {
  private static final String KEY = "0123456789abcdef0123456789abcdef";

  @Test
  void spoiledAgents_areReadOrRefused() throws Exception {
    new ReaderFuzz(
            ("{'allow_unsigned':true,'agents':[{'id':'w1','kind':'server','address':'10.0.0.11',"
                    + "'key':'KEY'},{'id':'n1','kind':'link','address':'10.0.0.21','key':'KEY'}]}")
                .replace("KEY", KEY))
        .check(AgentTableFormat::read, e -> e instanceof DamagedException);
  }

  @Test
  void spoiledGuard_isReadOrRefused() throws Exception {
    new ReaderFuzz(
            "{'w1':{'boot':'b','sequence':7,'time_ms':1700000000000,'earlier_boots':['a']},"
                + "'n1':{'boot':'c','sequence':0,'time_ms':0,'earlier_boots':[]}}")
        .check(GuardFormat::read, e -> e instanceof DamagedException);
  }
}
