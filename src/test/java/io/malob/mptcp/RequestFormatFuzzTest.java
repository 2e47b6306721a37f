package io.malob.mptcp;

import io.malob.json.RejectedException;
import io.malob.testing.ReaderFuzz;
import org.junit.jupiter.api.Test;

class RequestFormatFuzzTest {
  @Test
  void spoiledRequest_withATopology_isReadOrRefused() throws Exception {
    new ReaderFuzz(
            "{'seed':7,'network':{'switches':{'a':'00:00:00:00:00:00:00:01',"
                + "'b':'00:00:00:00:00:00:00:02'},'links':[{'a':'a','a_port':1,'b':'b','b_port':2,"
                + "'mbps':10}]},'hosts':[{'id':'h','address':'10.0.0.1/24','switch':'a','port':3,"
                + "'vlan':7,'tagged_by':'switch','mac':'02:00:00:00:00:01'}],"
                + "'traffic':[{'from':'h','to':'g','weight':2}]}")
        .check(RequestFormat::readOffline, e -> e instanceof RejectedException);
  }
}
