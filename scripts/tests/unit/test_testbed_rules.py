"""The rules of RSpec version 3, each broken once in a request that keeps all of them."""

from __future__ import annotations

import io
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from malob.system.place import ROOT
from research.testbed import __main__ as command_line
from research.testbed import rules

GOOD = """<rspec xmlns="http://www.geni.net/resources/rspec/3" xmlns:e="urn:else" type="request" generated="2026-01-02T03:04:05Z">
  <node client_id="a" component_manager_id="urn:1" exclusive="false" e:more="1">
    <sliver_type name="emulab-xen"><e:xen cores="1"/><disk_image name="urn:image"/></sliver_type>
    <services><install url="http://x/" install_path="/local"/><execute shell="sh" command="true"/></services>
    <interface client_id="a:0"><ip address="10.0.0.1" netmask="255.255.255.0" type="ipv4"/></interface>
  </node>
  <node client_id="b" component_manager_id="urn:2"><sliver_type name="emulab-xen"/>
    <interface client_id="b:0"><ip address="10.0.0.2" netmask="255.255.255.0"/></interface>
  </node>
  <link client_id="l"><component_manager name="urn:1"/><component_manager name="urn:2"/>
    <interface_ref client_id="a:0"/><interface_ref client_id="b:0"/>
    <property source_id="a:0" dest_id="b:0" capacity="1000" latency="2.5" packet_loss="0.1"/>
    <link_type name="egre-tunnel"/>
  </link>
</rspec>"""


class RulesTest(unittest.TestCase):
    def broken(self, fault: str, old: str, new: str) -> None:
        self.assertIn(old, GOOD)
        found = rules.faults(GOOD.replace(old, new))
        self.assertTrue(any(fault in one for one in found), f"expected '{fault}', found {found}")

    def test_request_that_keeps_the_rules_has_no_faults(self) -> None:
        self.assertEqual([], rules.faults(GOOD))

    def test_kept_requests_keep_the_rules(self) -> None:
        kept = list((ROOT / "geni" / "rspec").glob("*.xml"))
        self.assertEqual(2, len(kept))
        for path in kept:
            self.assertEqual([], rules.faults(path.read_text()), path.name)

    def test_document_that_is_no_rspec_is_told(self) -> None:
        self.assertIn("not XML", rules.faults("<rspec")[0])
        self.assertIn("not an rspec", rules.faults('<rspec xmlns="http://www.protogeni.net/resources/rspec/2" type="request"/>')[0])

    def test_missing_attribute_is_told(self) -> None:
        self.broken("Element 'rspec': The attribute 'type' is required but missing", ' type="request"', "")
        self.broken("line 2: Element 'node': The attribute 'client_id' is required but missing", '<node client_id="a"', "<node")
        self.broken("The attribute 'name' is required but missing", '<sliver_type name="emulab-xen"/>', "<sliver_type/>")
        self.broken("The attribute 'install_path' is required but missing", ' install_path="/local"', "")
        self.broken("The attribute 'dest_id' is required but missing", ' dest_id="b:0"', "")

    def test_attribute_that_is_not_allowed_is_told(self) -> None:
        self.broken("attribute 'colour' is not allowed", '<node client_id="a"', '<node colour="red" client_id="a"')
        self.broken("attribute 'bandwidth' is not allowed", 'capacity="1000"', 'bandwidth="1000"')

    def test_value_of_the_wrong_type_is_told(self) -> None:
        self.broken("'type': [facet 'enumeration'] The value 'manifest'", 'type="request"', 'type="manifest"')
        self.broken("'exclusive': 'maybe' is not a valid value", 'exclusive="false"', 'exclusive="maybe"')
        self.broken("'generated': 'today' is not a valid value", "2026-01-02T03:04:05Z", "today")

    def test_element_in_the_wrong_place_is_told(self) -> None:
        self.broken(
            "line 7: Element 'interface_ref': This element is not expected", '<sliver_type name="emulab-xen"/>', '<interface_ref client_id="a:0"/>'
        )
        self.broken("Element 'speed': This element is not expected", '<link_type name="egre-tunnel"/>', '<link_type name="egre-tunnel"/><speed/>')
        self.broken(
            "Element 'link_type': This element is not expected", '<link_type name="egre-tunnel"/>', '<link_type xmlns="" name="egre-tunnel"/>'
        )

    def test_text_between_elements_is_told(self) -> None:
        self.broken("Element 'rspec': Character content other than whitespace is not allowed", "</node>", "</node>hello")

    def test_names_that_are_not_unique_are_told(self) -> None:
        self.broken("2 nodes have the client_id 'a'", '<node client_id="b"', '<node client_id="a"')
        self.broken("2 interfaces have the client_id 'a:0'", '<interface client_id="b:0"', '<interface client_id="a:0"')
        self.broken("2 links have the client_id 'l'", "</rspec>", '<link client_id="l"/></rspec>')

    def test_interface_that_is_not_there_or_in_two_links_is_told(self) -> None:
        self.broken("link[l]: there is no interface 'c:0'", '<interface_ref client_id="b:0"/>', '<interface_ref client_id="c:0"/>')
        self.broken("'a:0' is in 2 links", "</rspec>", '<link client_id="m"><interface_ref client_id="a:0"/></link></rspec>')

    def test_wrong_addresses_are_told(self) -> None:
        self.broken("no IPv4 address with netmask: '10.0.0.300'", "10.0.0.1", "10.0.0.300")
        self.broken("no IPv4 address with netmask: '10.0.0.1', '255.0.255.0'", '10.0.0.1" netmask="255.255.255.0"', '10.0.0.1" netmask="255.0.255.0"')
        self.broken("have the address 10.0.0.1", "</node>\n  <node", '<interface client_id="a:1"><ip address="10.0.0.1"/></interface></node><node')

    def test_link_between_sites_that_is_no_tunnel_of_both_is_told(self) -> None:
        self.broken("between sites its link_type must be", '<link_type name="egre-tunnel"/>', '<link_type name="lan"/>')
        self.broken("component_managers are not those", '<component_manager name="urn:2"/>', "")
        self.broken("it can have one link_type", '<link_type name="egre-tunnel"/>', '<link_type name="egre-tunnel"/><link_type name="lan"/>')

    def test_tunnel_with_three_ends_is_told(self) -> None:
        third = GOOD.replace("</sliver_type>", '</sliver_type><interface client_id="a:2"/>')
        third = third.replace('<interface_ref client_id="b:0"/>', '<interface_ref client_id="b:0"/><interface_ref client_id="a:2"/>')
        self.assertEqual(["link[l]: a tunnel has two ends, not 3"], rules.faults(third))

    def test_properties_that_lead_nowhere_or_say_nonsense_are_told(self) -> None:
        self.broken("not from 'a:0' to 'x:0'", 'dest_id="b:0"', 'dest_id="x:0"')
        self.broken("'capacity': 'fast' is not a valid value", 'capacity="1000"', 'capacity="fast"')
        self.broken("'latency': [facet 'pattern'] The value '-1'", 'latency="2.5"', 'latency="-1"')
        self.broken("'packet_loss': [facet 'maxInclusive'] The value '10'", 'packet_loss="0.1"', 'packet_loss="10"')
        self.broken(
            "2 properties from 'a:0' to 'b:0'",
            '<link_type name="egre-tunnel"/>',
            '<link_type name="egre-tunnel"/><property source_id="a:0" dest_id="b:0"/>',
        )

    def test_command_ends_with_1_after_a_fault(self) -> None:
        with TemporaryDirectory() as directory:
            file = Path(directory, "request.xml")
            for text, code in ((GOOD, 0), (GOOD.replace('name="urn:2"', 'name="urn:3"'), 1)):
                file.write_text(text)
                with mock.patch("sys.argv", ["malob testbed", "check", str(file)]), redirect_stdout(io.StringIO()) as out:
                    self.assertEqual(code, command_line.main())
                self.assertEqual(code == 1, "link[l]" in out.getvalue())


if __name__ == "__main__":
    unittest.main()
