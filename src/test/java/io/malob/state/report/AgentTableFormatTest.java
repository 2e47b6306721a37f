package io.malob.state.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.file.DamagedException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.projectfloodlight.openflow.types.IPAddress;

class AgentTableFormatTest {
  private static AgentTable read(String text) throws DamagedException {
    return AgentTableFormat.read(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void table_ofAFile_hasItsAgents() {
    AgentTable table = ReportFixture.agents(true);

    assertTrue(table.allowUnsigned());
    assertEquals(Set.of("w1", "n1", "plain"), table.byId().keySet());
    assertEquals(
        Set.of(
            ReportFixture.SERVER,
            IPAddress.of("2001:db8::11"),
            ReportFixture.NODE,
            IPAddress.of("10.0.0.12")),
        table.addresses());
    assertEquals("n1", table.at(ReportFixture.NODE, Agent.Kind.LINK).orElseThrow().id());
    assertTrue(table.at(ReportFixture.NODE, Agent.Kind.SERVER).isEmpty());
  }

  @Test
  void unsigned_isNotAllowedUnlessTheFileSaysSo() throws Exception {
    assertFalse(read("{'agents':[]}").allowUnsigned());
  }

  @Test
  void serverAndLinkAgents_mayShareAnAddress() throws Exception {
    String both =
        "{'agents':[{'id':'a','kind':'server','address':'1.1.1.1'},"
            + "{'id':'b','kind':'link','address':'1.1.1.1'}]}";
    assertEquals(2, read(both).byId().size());
  }

  @Test
  void agent_mayHaveMoreAddresses_whichNoOtherHas() throws Exception {
    String both =
        "{'agents':[{'id':'a','kind':'server','address':'1.1.1.1','other_addresses':['fd00::1']},"
            + "{'id':'b','kind':'server','address':'%s'}]}";
    AgentTable table = read(both.formatted("fd00::2"));
    assertEquals("a", table.at(IPAddress.of("fd00::1"), Agent.Kind.SERVER).orElseThrow().id());
    assertTrue(table.addresses().contains(IPAddress.of("fd00::1")));
    DamagedException error =
        assertThrows(DamagedException.class, () -> read(both.formatted("fd00::1")));
    assertTrue(error.getMessage().contains("agents[1].address"), error.getMessage());
  }

  @Test
  void addresses_areOfEitherFamily() throws Exception {
    AgentTable table = read("{'agents':[{'id':'a','kind':'server','address':'2001:DB8::0:1'}]}");
    assertEquals(Set.of(IPAddress.of("2001:db8::1")), table.addresses());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "[] | the file must be",
        "{'agents':7} | line 1, column 2: agents must be an array",
        "{'agents':[],'x':1} | x is not known",
        "{'agents':[],'allow_unsigned':1} | allow_unsigned",
        "{'agents':[]} x | line 1, column 15: not valid JSON",
        "{'agents':[{'id':'a b','kind':'server','address':'1.1.1.1'}]} | agents[0].id",
        "{'agents':[{'id':'a','kind':'node','address':'1.1.1.1'}]} | agents[0].kind",
        "{'agents':[{'id':'a','kind':'link','address':'1.1.1'}]} | agents[0].address",
        "{'agents':[{'id':'a','kind':'link','address':'::ffff:1.1.1.1'}]} | agents[0].address",
        "{'agents':[{'id':'a','kind':'link','address':'1.1.1.1','other_addresses':['x']}]}"
            + " | agents[0].other_addresses[0]",
        "{'agents':[{'id':'a','kind':'link','address':'1.1.1.1','key':'secret'}]} | agents[0].key",
        "{'agents':[{'id':'a','kind':'link','address':'1.1.1.1','kye':'00'}]} | kye",
        "{'agents':[7]} | agents[0] must be",
        "{'agents':[],'agents':[]} | line 1, column 22: a name occurs twice"
      })
  void error_namesItsField(String text, String words) {
    DamagedException error = assertThrows(DamagedException.class, () -> read(text));
    assertTrue(
        String.valueOf(error.getMessage()).contains(words.replace("\\\"", "\"")),
        error.getMessage());
    assertFalse(String.valueOf(error.getMessage()).contains("secret"), error.getMessage());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'a','link','1.1.1.2' | line 1, column 60: agents[1].id",
        "'b','server','1.1.1.1' | .address"
      })
  void agents_thatCannotBeToldApart_areRefused(String second, String words) {
    String[] fields = second.split(",", -1);
    String text =
        "{'agents':[{'id':'a','kind':'server','address':'1.1.1.1'},{'id':%s,'kind':%s,'address':%s}]}"
            .formatted((Object[]) fields);
    DamagedException error = assertThrows(DamagedException.class, () -> read(text));
    assertTrue(String.valueOf(error.getMessage()).contains(words), error.getMessage());
  }
}
