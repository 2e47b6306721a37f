"""OpenStack's clients for load balancers, unchanged, against the controller: what they set up balances real connections."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lab import balancing
from lab.controller import Controller
from malob.errors import ScriptError
from malob.rest.client import RestError
from malob.system.place import ROOT
from malob.system.ports import free_port
from malob.system.processes import run
from malob.system.waiting import say, wait_until
from tests.system import documented, gophercloud_session, openstack_clients
from tests.system.base import UDP_PORT, SystemTest
from tests.system.openstack_clients import RefusedError, Session
from tests.system.walks import Walk

_LISTS = ("loadbalancers", "listeners", "pools", "healthmonitors")
_REFUSED = r"Errno 111"
#: of members, in the network that the controller is in
_MANAGEMENT = "192.0.2.1"


@pytest.mark.needs("openstack")
class OpenStackTest(SystemTest):
    clients: Session

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.clients = Session(cls.controller.rest.url)
        cls.addClassCleanup(cls.clients.close)

    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(self._delete_all)

    def _delete_all(self) -> None:
        for balancer in self.octavia("loadbalancers"):
            self.controller.rest.delete(f"/v2.0/lbaas/loadbalancers/{balancer['id']}?cascade=true")

    # --- both views --------------------------------------------------------------------------

    def openstack(self, words: str) -> Any:
        return self.clients.openstack(f"loadbalancer {words}")

    def octavia(self, path: str) -> Any:
        """A list of the API's, as it is sent."""
        return self.controller.rest.get(f"/v2.0/lbaas/{path}")[path.rpartition("/")[2]]

    def catalog(self, kind: str) -> list[Any]:
        """What /quantum/v1.0 shows."""
        items: list[Any] = self.controller.rest.get(f"{balancing.BASE}/{kind}/")
        return items

    def wait_until_located(self, pool: str) -> None:
        def located() -> bool:
            return all(member["located"] for member in self.controller.rest.get(f"{balancing.BASE}/pools/{pool}/stats/")["members"])

        wait_until(located, "the servers to be found", 10)

    def wait_for_status(self, words: str, status: str, seconds: float = 15) -> None:
        """Until what the command shows has this operating status."""
        wait_until(
            lambda: self.openstack(words)["operating_status"] == status,
            f"{words} to be {status}",
            seconds,
            detail=lambda: self.openstack(words)["operating_status"],
        )

    def balanced(self, name: str, address: str, port: int = 80) -> tuple[Any, Any, Any]:
        """A load balancer, a listener and a pool over the first two servers, all of that name; as the command returns them."""
        balancer = self.openstack(f"create --name {name} --vip-address {address} --vip-subnet-id any --wait")
        listener = self.openstack(f"listener create {name} --name {name} --protocol TCP --protocol-port {port} --wait")
        pool = self.openstack(f"pool create --name {name} --listener {name} --protocol TCP --lb-algorithm ROUND_ROBIN --wait")
        for server in self.servers[:2]:
            self.openstack(f"member create {name} --name {server.name} --address {server.ip} --protocol-port 80 --wait")
        self.wait_until_located(pool["id"])
        return balancer, listener, pool

    def answers(self, address: str, count: int = 20, port: int = 80) -> Counter[str]:
        return self.requests("c1", address, port, count)

    def assert_refused_by(self, words: str, pattern: str) -> None:
        """The client says why."""
        with self.assertRaisesRegex(RefusedError, pattern):
            self.openstack(words)

    # --- tests -------------------------------------------------------------------------------

    def test_the_command_as_users_type_it(self) -> None:
        """from create to delete --cascade, each a process of its own"""
        options = openstack_clients.without_token(self.controller.rest.url)
        made = openstack_clients.typed(options, "loadbalancer create --name typed --vip-address 10.0.0.160 --vip-subnet-id any --wait")
        self.assertEqual(
            ("typed", "10.0.0.160", "any", "ACTIVE"), tuple(made[key] for key in ("name", "vip_address", "vip_subnet_id", "provisioning_status"))
        )
        openstack_clients.typed(options, "loadbalancer listener create typed --name typed --protocol TCP --protocol-port 80")
        openstack_clients.typed(options, "loadbalancer pool create --listener typed --name typed --protocol TCP --lb-algorithm ROUND_ROBIN")
        server = self.servers[0]
        openstack_clients.typed(options, f"loadbalancer member create typed --address {server.ip} --protocol-port 80")
        self.wait_until_located(self.octavia("pools")[0]["id"])
        self.assertEqual({server.name}, set(self.answers("10.0.0.160", 5)))
        (listed,) = openstack_clients.typed(options, "loadbalancer list")
        self.assertEqual((made["id"], "typed", "malob"), (listed["id"], listed["name"], listed["provider"]))
        openstack_clients.typed(options, "loadbalancer delete typed --cascade --wait")
        self.assertEqual([[]] * len(_LISTS), [self.octavia(kind) for kind in _LISTS])
        with self.assertRaisesRegex(ScriptError, "Unable to locate typed"):
            openstack_clients.typed(options, "loadbalancer show typed")

    def test_requests_reach_the_members_and_both_views_agree(self) -> None:
        """both members answer; /quantum/v1.0 has the same VIP, pool and members; the cascade deletes all"""
        balancer, listener, pool = self.balanced("shop", "10.0.0.161")
        answers = self.answers("10.0.0.161")
        self.assertEqual({server.name for server in self.servers[:2]}, set(answers), answers)

        (vip,) = self.catalog("vips")
        self.assertEqual((listener["id"], "10.0.0.161", 80, "tcp"), (vip["id"], vip["address"], int(vip["port"]), vip["protocol"]))
        (shown,) = self.catalog("pools")
        self.assertEqual((pool["id"], listener["id"], balancer["id"]), (shown["id"], shown["vip_id"], shown["load_balancer_id"]))
        self.assertEqual({server.ip for server in self.servers[:2]}, {member["address"] for member in self.catalog("members")})
        self.assertEqual([balancer["id"]], [each["id"] for each in self.catalog("load_balancers")])
        self.assertEqual(listener["id"], self.openstack("show shop")["listeners"][0]["id"])
        self.assertEqual(pool["id"], self.openstack("listener show shop")["default_pool_id"])

        counted = self.openstack("stats show shop")
        self.assertEqual((20, 20), (counted["total_connections"], self.openstack("listener stats show shop")["total_connections"]))
        tree = self.openstack("status show shop")["loadbalancer"]
        self.assertEqual(("shop", "ACTIVE", "ONLINE"), (tree["name"], tree["provisioning_status"], tree["operating_status"]))
        members = tree["listeners"][0]["pools"][0]["members"]
        self.assertEqual({(server.ip, 80, "NO_MONITOR") for server in self.servers[:2]}, {self._of_tree(each) for each in members})

        with self.assertRaisesRegex(RefusedError, "2 members|listener|HTTP 409"):
            self.openstack("delete shop")
        self.openstack("delete shop --cascade --wait")
        self.assertEqual([[]] * 4, [self.catalog(kind) for kind in ("load_balancers", "vips", "pools", "members")])
        self.assertEqual(0, sum(self.answers("10.0.0.161", 2)[server.name] for server in self.servers))

    @staticmethod
    def _of_tree(member: dict[str, Any]) -> tuple[str, int, str]:
        return member["address"], member["protocol_port"], member["operating_status"]

    def test_weight_0_drains_and_what_is_down_takes_no_connections(self) -> None:
        """members, listeners, pools and load balancers that are taken down, and up again"""
        one, two = self.servers[:2]
        self.balanced("web", "10.0.0.162")
        self.openstack(f"member set web {one.name} --weight 0 --wait")
        self.assertEqual("DRAINING", self.openstack(f"member show web {one.name}")["operating_status"])
        self.assertEqual({two.name}, set(self.answers("10.0.0.162")))
        self.openstack(f"member set web {one.name} --weight 4")
        self.assertEqual({one.name, two.name}, set(self.answers("10.0.0.162")))
        self.openstack(f"member set web {two.name} --disable")
        self.assertEqual({one.name}, set(self.answers("10.0.0.162", 10)))
        self.openstack(f"member set web {two.name} --enable")
        for what in ("listener set web", "pool set web", "set web"):
            with self.subTest(what):
                self.openstack(f"{what} --disable --wait")
                self.assertEqual("OFFLINE", self.openstack(what.replace("set", "show"))["operating_status"])
                for answer in self.answers("10.0.0.162", 3):
                    self.assertRegex(answer, _REFUSED)
                self.openstack(f"{what} --enable --wait")
                self.assertEqual({one.name, two.name}, set(self.answers("10.0.0.162", 10)))

    def test_weights_backups_and_persistence(self) -> None:
        """weights 3 to 1; a backup gets nothing; SOURCE_IP, by lb_algorithm or session persistence, keeps clients at a member"""
        one, two = self.servers[:2]
        self.balanced("heavy", "10.0.0.163")
        self.openstack(f"member set heavy {one.name} --weight 3")
        answers = self.answers("10.0.0.163", 40)
        self.assertEqual({one.name: 30, two.name: 10}, dict(answers), answers)
        self.openstack(f"member set heavy {two.name} --enable-backup")
        self.assertEqual({one.name}, set(self.answers("10.0.0.163", 10)))
        self.openstack(f"member set heavy {two.name} --disable-backup")
        for stays, ends in (
            ("pool set heavy --session-persistence type=SOURCE_IP", "pool unset heavy --session-persistence"),
            ("pool set heavy --lb-algorithm SOURCE_IP", "pool set heavy --lb-algorithm ROUND_ROBIN"),
        ):
            with self.subTest(stays):
                self.openstack(stays)
                self.assertEqual(1, len(self.answers("10.0.0.163", 10)))
                self.openstack(ends)
                self.assertEqual(2, len(self.answers("10.0.0.163")))

    def test_udp(self) -> None:
        """a UDP listener: datagrams are answered by its members"""
        self.openstack("create --name dns --vip-address 10.0.0.164 --vip-network-id any")
        self.openstack(f"listener create dns --name dns --protocol UDP --protocol-port {UDP_PORT}")
        pool = self.openstack("pool create --name dns --listener dns --protocol UDP --lb-algorithm ROUND_ROBIN")
        for server in self.servers[:2]:
            self.openstack(f"member create dns --address {server.ip} --protocol-port {UDP_PORT}")
        self.wait_until_located(pool["id"])
        answers = [self.ask_by_udp("c1", "10.0.0.164", UDP_PORT, 31000 + number, "hello").split() for number in range(6)]
        self.assertEqual({server.name for server in self.servers[:2]}, {answer[0] for answer in answers if answer}, answers)
        self.assertNotIn([], answers)

    @pytest.mark.real_time
    def test_health_monitors(self) -> None:
        """PING and TCP checks, also at a port of their own: a member that does not answer is in ERROR and gets no requests"""
        one, two = self.servers[:2]
        pool = self.balanced("checked", "10.0.0.165")[2]
        for kind in ("PING", "TCP"):
            made = self._monitor("checked", kind)
            self.assertEqual((kind, 1, 1, 1, 1), tuple(made[key] for key in ("type", "delay", "timeout", "max_retries", "max_retries_down")))
            self.assertEqual((pool["id"], made["id"]), (made["pools"][0]["id"], self.openstack("pool show checked")["healthmonitor_id"]))
            for server in (one, two):
                self.wait_for_status(f"member show checked {server.name}", "ONLINE")
            if kind == "TCP":
                self.openstack(f"member set checked {one.name} --monitor-port 9")
                self.wait_for_status(f"member show checked {one.name}", "ERROR")
                self.assertEqual("DEGRADED", self.openstack("pool show checked")["operating_status"])
                self.assertEqual({two.name}, set(self.answers("10.0.0.165", 10)))
                self.openstack(f"member unset checked {one.name} --monitor-port")
                self.wait_for_status("pool show checked", "ONLINE")
            self.openstack("healthmonitor set check --name renamed --disable")
            self.assertEqual((False, "OFFLINE"), self._of_monitor("admin_state_up", "operating_status", name="renamed"))
            self.openstack("healthmonitor delete renamed --wait")
            self.assertIsNone(self.openstack("pool show checked")["healthmonitor_id"])

    @pytest.mark.real_time
    def test_http_monitor(self) -> None:
        """HTTP checks go from the controller to members' management addresses; codes and method count"""
        run(["ip", "address", "add", _MANAGEMENT, "dev", "lo"])
        server = subprocess.Popen(
            [sys.executable, "-I", "-m", "http.server", "8081", "--bind", _MANAGEMENT, "-d", "/"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        self.balanced("web", "10.0.0.172")
        for member in self.servers[:2]:
            self.openstack(f"member set web {member.name} --monitor-address {_MANAGEMENT} --monitor-port 8081")
        self._monitor("web", "HTTP", "--url-path / --expected-codes 200-204 --http-method GET")
        self.wait_for_status("show web", "ONLINE")
        self.assertEqual("ONLINE", self.openstack(f"member show web {self.servers[0].name}")["operating_status"])
        self.openstack("healthmonitor set check --expected-codes 418 --max-retries-down 2")
        self.wait_for_status("pool show web", "ERROR")
        self.openstack("healthmonitor unset check --expected-codes --max-retries-down")
        self.assertEqual(("200", 3), self._of_monitor("expected_codes", "max_retries_down"))
        self.wait_for_status("show web", "ONLINE")

    def _monitor(self, pool: str, kind: str, more: str = "") -> Any:
        counts = "--delay 1 --timeout 1 --max-retries 1 --max-retries-down 1"
        return self.openstack(f"healthmonitor create {pool} --name check --type {kind} {counts} {more} --wait")

    def _of_monitor(self, *fields: str, name: str = "check") -> tuple[Any, ...]:
        shown = self.openstack(f"healthmonitor show {name}")
        return tuple(shown[field] for field in fields)

    def test_set_and_unset(self) -> None:
        """names, descriptions, tags, limits and networks are changed and cleared; lists are filtered by them"""
        self.balanced("old", "10.0.0.166")
        for kind, pool in (("", ""), ("listener", ""), ("pool", ""), ("member", "old")):
            name = self.servers[0].name if kind == "member" else "old"
            with self.subTest(kind or "loadbalancer"):
                describes = kind != "member"
                self.openstack(f"{kind} set {pool} {name} --tag red --tag blue {'--description words' if describes else ''}")
                shown = self.openstack(f"{kind} show {pool} {name}")
                self.assertEqual(["blue", "red"], sorted(shown["tags"]))
                self.assertEqual([shown["id"]], [each["id"] for each in self.openstack(f"{kind} list {pool} --tags red,blue")])
                self.assertEqual([], self.openstack(f"{kind} list {pool} --tags red,green"))
                self.assertEqual([shown["id"]], [each["id"] for each in self.openstack(f"{kind} list {pool} --any-tags green,red")])
                self.openstack(f"{kind} unset {pool} {name} --tag red {'--description' if describes else ''}")
                cleared = self.openstack(f"{kind} show {pool} {name}")
                self.assertEqual((["blue"], ""), (cleared["tags"], cleared.get("description", "")))
        self.openstack("set old --name new")
        self.assertEqual(["new"], [each["name"] for each in self.openstack("list --name new --enable")])
        self.assertEqual([], self.openstack("list --disable"))

        self.openstack("listener set old --connection-limit 1000 --allowed-cidr 10.0.0.2/32 --allowed-cidr 10.0.0.128/25")
        shown = self.openstack("listener show old")
        self.assertEqual((1000, ["10.0.0.128/25", "10.0.0.2/32"]), (shown["connection_limit"], sorted(shown["allowed_cidrs"])))
        self.assertEqual(0, sum(self.answers("10.0.0.166", 3)[server.name] for server in self.servers), "c1 may not")
        self.assertEqual({server.name for server in self.servers[:2]}, set(self.requests("c2", "10.0.0.166", 80, 10)))
        self.openstack("listener unset old --connection-limit --allowed-cidrs")
        shown = self.openstack("listener show old")
        self.assertEqual((-1, None), (shown["connection_limit"], shown["allowed_cidrs"] or None))

        self.openstack("listener unset old --default-pool")
        for answer in self.answers("10.0.0.166", 2):
            self.assertRegex(answer, _REFUSED)
        self.assertEqual(["old"], [each["name"] for each in self.openstack("pool list --loadbalancer new")])
        self.openstack("listener set old --default-pool old")
        self.assertEqual({server.name for server in self.servers[:2]}, set(self.answers("10.0.0.166", 10)))
        self.openstack(f"member delete old {self.servers[0].name} --wait")
        self.assertEqual([self.servers[1].name], [each["name"] for each in self.openstack("member list old")])
        self.openstack("pool delete old --wait")
        self.openstack("listener delete old --wait")
        self.openstack("delete new --wait")

    def test_what_is_not_offered_is_refused_with_a_reason(self) -> None:
        """TLS, HTTP, L7 policies, cookies, failover, other providers; the provider, flavors and limits are shown"""
        self.balanced("plain", "10.0.0.167")
        for words, reason in (
            ("listener create plain --protocol TERMINATED_HTTPS --protocol-port 443 --default-tls-container-ref https://keys/1", "TLS"),
            ("listener create plain --protocol HTTP --protocol-port 81", "HTTP"),
            ("listener create plain --protocol TCP --protocol-port 81 --timeout-client-data 5000", "timeout"),
            ("listener create plain --protocol TCP --protocol-port 80", "HTTP 409"),
            ("pool set plain --session-persistence type=HTTP_COOKIE", "cookies"),
            ("pool create --loadbalancer plain --protocol TCP --lb-algorithm SOURCE_IP_PORT", "SOURCE_IP_PORT"),
            ("l7policy create plain --action REJECT", "L7"),
            ("healthmonitor create plain --type HTTPS --delay 1 --timeout 1 --max-retries 1", "HTTPS"),
            ("failover plain", "HTTP 501"),
            ("create --name other --vip-address 10.0.0.168 --vip-subnet-id any --provider amphora", "provider"),
            ("create --name other --vip-subnet-id any", "vip_address"),
            ("create --name other --vip-address 10.0.0.167 --vip-subnet-id any", "HTTP 409"),
        ):
            with self.subTest(words):
                self.assert_refused_by(words, reason)
        self.assertEqual(["malob"], [each["name"] for each in self.openstack("provider list")])
        self.assertEqual([[]] * 5, [self.openstack(f"{kind} list") for kind in ("flavor", "l7policy", "availabilityzone", "flavorprofile", "quota")])
        self.assertEqual([], self.openstack("provider capability list malob"))
        limits = self.openstack("quota defaults show")
        self.assertGreater(min(limits[key] for key in ("load_balancer", "listener", "pool", "member", "health_monitor")), 0)
        self.assertEqual((0, 0), (limits["l7policy"], limits["l7rule"]))

    def test_what_other_views_made_is_managed_by_the_command(self) -> None:
        """a VIP of /quantum/v1.0 is a listener with a pool, found by name and id, and belongs to a load balancer for its address"""
        virtual = self.virtual("kept", "10.0.0.169", 80, servers=self.servers[:2])
        (balancer,) = self.openstack("list")
        self.assertEqual("10.0.0.169", balancer["vip_address"])
        listener = self.openstack("listener show vipkept")
        self.assertEqual(("kept", "kept", 80), (listener["id"], listener["default_pool_id"], listener["protocol_port"]))
        self.assertEqual(balancer["id"], listener["loadbalancers"][0]["id"])
        member = self.member_of(virtual, self.servers[0].name)
        self.openstack(f"member set poolkept {member} --weight 0")
        self.assertEqual({self.servers[1].name}, set(self.answers("10.0.0.169", 10)))
        self.openstack("set 10.0.0.169 --name adopted")
        self.assertEqual(balancer["id"], self.openstack("show adopted")["id"])
        self.openstack("delete adopted --cascade")
        self.assertEqual([], self.catalog("vips"))

    @pytest.mark.real_time
    def test_sdk(self) -> None:
        """openstacksdk: from create to cascade, with waits, searches by name, updates and traffic"""
        sdk = self.clients.sdk
        one, two = self.servers[:2]
        balancer = sdk("create_load_balancer", name="sdk", vip_address="10.0.0.170", tags=["python"])
        self.assertEqual("ACTIVE", sdk("wait_for_load_balancer", balancer["id"])["provisioning_status"])
        listener = sdk("create_listener", name="sdk", load_balancer_id=balancer["id"], protocol="TCP", protocol_port=80)
        pool = sdk("create_pool", name="sdk", listener_id=listener["id"], protocol="TCP", lb_algorithm="ROUND_ROBIN")
        members = {server.name: sdk("create_member", pool["id"], name=server.name, address=server.ip, protocol_port=80) for server in (one, two)}
        monitor = sdk("create_health_monitor", pool_id=pool["id"], type="TCP", delay=1, timeout=1, max_retries=1, max_retries_down=10)
        self.wait_until_located(pool["id"])
        wait_until(lambda: sdk("get_pool", pool["id"])["operating_status"] == "ONLINE", "the pool to be online", 15)
        self.assertEqual({one.name, two.name}, set(self.answers("10.0.0.170")))
        for find, name, made in (("load_balancer", "sdk", balancer), ("listener", "sdk", listener), ("pool", "sdk", pool)):
            self.assertEqual(made["id"], sdk(f"find_{find}", name)["id"])
            self.assertIsNone(sdk(f"find_{find}", "nothing"))
        self.assertEqual(members[one.name]["id"], sdk("find_member", one.name, pool["id"])["id"])
        sdk("update_member", members[one.name]["id"], pool["id"], weight=0)
        self.assertEqual({two.name}, set(self.answers("10.0.0.170", 10)))
        self.assertEqual([balancer["id"]], [each["id"] for each in sdk("load_balancers", tags=["python"], is_admin_state_up=True)])
        self.assertEqual([listener["id"]], [each["id"] for each in sdk("listeners", load_balancer_id=balancer["id"])])
        self.assertEqual(2, len(sdk("members", pool["id"], limit=1)), "two pages")
        self.assertEqual("web", sdk("update_load_balancer", balancer["id"], description="web")["description"])
        self.assertEqual(30, sdk("get_load_balancer_statistics", balancer["id"])["total_connections"])
        self.assertEqual(5, sdk("update_health_monitor", monitor["id"], delay=5)["delay"])
        self.assertEqual(["malob"], [each["name"] for each in sdk("providers")])
        self.assertGreater(sdk("get_quota_default")["load_balancers"], 0)
        with self.assertRaisesRegex(RefusedError, "NotFoundException"):
            sdk("get_listener", "nothing")
        with self.assertRaisesRegex(RefusedError, "ConflictException"):
            sdk("create_listener", load_balancer_id=balancer["id"], protocol="TCP", protocol_port=80)
        sdk("delete_health_monitor", monitor["id"])
        sdk("delete_load_balancer", balancer["id"], cascade=True)
        self.assertEqual([[]] * len(_LISTS), [self.octavia(kind) for kind in _LISTS])

    @pytest.mark.real_time
    def test_all_at_once_or_nothing(self) -> None:
        """a load balancer with its listener, pool, members and monitor in one request; with a wrong member, nothing is made"""
        members = [{"address": server.ip, "protocol_port": 80, "name": server.name} for server in self.servers[:2]]
        pool: dict[str, Any] = {"name": "whole", "protocol": "TCP", "lb_algorithm": "ROUND_ROBIN", "members": members}
        pool["healthmonitor"] = {"type": "TCP", "delay": 1, "timeout": 1, "max_retries": 1, "max_retries_down": 10}
        listener = {"name": "whole", "protocol": "TCP", "protocol_port": 80, "default_pool": pool}
        wrong = {**listener, "default_pool": {**pool, "members": [*members, {"address": "10.0.0.300", "protocol_port": 80}]}}
        with self.assertRaises(RefusedError):
            self.clients.sdk("create_load_balancer", name="whole", vip_address="10.0.0.171", listeners=[wrong])
        self.assertEqual([[]] * len(_LISTS), [self.octavia(kind) for kind in _LISTS])
        self.clients.sdk("create_load_balancer", name="whole", vip_address="10.0.0.171", listeners=[listener])
        self.wait_until_located(self.octavia("pools")[0]["id"])
        self.wait_for_status("pool show whole", "ONLINE")
        self.assertEqual({server.name for server in self.servers[:2]}, set(self.answers("10.0.0.171")))

    def test_documented_fields_are_there_or_listed_as_absent(self) -> None:
        """each field of OpenStack's API reference is taken and returned, or docs/how-to/openstack-clients.md says why not"""
        absent = documented.listed_as_absent()
        faults = []
        for resource in documented.RESOURCES:
            taken, returned = self._fields(resource)
            for name in sorted(resource.fields):
                here = name in taken or name in resource.required or (name in resource.shown and name in returned)
                if here == ((resource.noun, name) in absent):
                    faults.append(f"{resource.noun} {name}: {'offered, but listed as absent' if here else 'absent, and not listed'}")
        known = {(resource.noun, name) for resource in documented.RESOURCES for name in resource.fields}
        faults += [f"{noun} {name}: listed as absent, but not documented by OpenStack" for noun, name in sorted(absent - known)]
        self.assertEqual([], faults)

    def _fields(self, resource: documented.Resource) -> tuple[set[str], set[str]]:
        """The fields that may be given, and come back as given; and those that an answer has, with a value."""
        ids: dict[str, str] = {}
        if resource is not documented.LOAD_BALANCER:
            for parent, more in ((documented.LOAD_BALANCER, {}), (documented.LISTENER, {"protocol_port": 8080}), (documented.POOL, {})):
                ids[parent.noun] = self._post(parent, ids, **more)["id"]
        taken: set[str] = set()
        returned: set[str] = set()
        for name, sample in {"": None, **resource.samples}.items():
            try:
                shown = self._post(resource, ids, **resource.content, **({name: sample} if name else {}))
            except RestError:
                continue
            if name in resource.not_echoed or (name in shown and shown[name] == documented.filled(sample, ids)):
                taken.add(name)
            returned |= {each for each, value in shown.items() if value is not None}
            self.controller.rest.delete(f"{resource.path(ids)}/{shown['id']}?cascade=true")
        self._delete_all()
        return taken, returned

    def _post(self, resource: documented.Resource, ids: dict[str, str], **more: Any) -> Any:
        return self.controller.rest.post(resource.path(ids), resource.body(ids, **more))[resource.noun]


@pytest.mark.needs("emulator", "gophercloud")
class GophercloudTest(SystemTest):
    topology_name = "thesis-two-servers"

    def test_session(self) -> None:
        """gophercloud, which Terraform's provider uses: create, batch of members, drain, cascade"""
        one, two = self.servers[:2]
        made = self._go("create", "go", "10.0.0.180", one.ip, two.ip)
        self.assertEqual(
            ("go", "10.0.0.180", "ACTIVE", ["go"]), tuple(made["balancer"][key] for key in ("name", "vip_address", "provisioning_status", "tags"))
        )
        self.assertEqual(("go-http", ["10.0.0.0/8"]), (made["listener"]["name"], made["listener"]["allowed_cidrs"]))
        self.assertEqual(("LEAST_CONNECTIONS", 2), (made["pool"]["lb_algorithm"], len(made["pool"]["members"])))
        self.assertEqual([made["pool"]["id"]], [each["id"] for each in made["monitor"]["pools"]])
        self.assertEqual(["malob"], [each["name"] for each in made["providers"]])
        self.assertGreater(made["members_limit"], 0)
        members = self.controller.rest.get(f"{balancing.BASE}/members/")
        self.assertEqual({(one.ip, one.ip, 2), (two.ip, two.ip, 2)}, {(each["address"], each["name"], int(each["weight"])) for each in members})

        pool = f"/v2.0/lbaas/pools/{made['pool']['id']}"
        wait_until(lambda: self.controller.rest.get(pool)["pool"]["operating_status"] == "ONLINE", "the members to pass their checks", 20)
        client = self.lab.topology.with_role("client")[0].name
        self.assertEqual({one.name, two.name}, set(self.requests(client, "10.0.0.180", 80, 20)))
        self.assertEqual(0, self._go("drain", "go", one.ip)["weight"])
        self.assertEqual({two.name}, set(self.requests(client, "10.0.0.180", 80, 10)))
        gone = self._go("delete", "go")
        self.assertEqual(("go", 30), (gone["statuses"]["name"], gone["connections"]))
        self.assertEqual(
            {one.ip: "DRAINING", two.ip: "ONLINE"}, {each["address"]: each["operating_status"] for each in gone["statuses"]["pools"][0]["members"]}
        )
        self.assertEqual([], self.controller.rest.get(f"{balancing.BASE}/vips/"))

    def _go(self, *words: str) -> Any:
        return json.loads(run([str(gophercloud_session.PROGRAM), self.controller.rest.url, "any", *words], timeout_s=30))


@pytest.mark.needs("openstack")
class OpenStackPageTest(unittest.TestCase):
    def test_ten_minutes(self) -> None:
        """docs/how-to/openstack-clients.md, as a reader types it"""
        with tempfile.TemporaryDirectory(prefix="malob-test-") as data:
            environment = {"MALOB_DATA": data, "PATH": f"{openstack_clients.folder()}:{os.environ['PATH']}"}
            self.assertGreaterEqual(Walk(documented.PAGE, environment, say).go(), 20)


@pytest.mark.needs("openstack")
class OpenStackTokenTest(unittest.TestCase):
    """A controller that asks for tokens."""

    def test_token(self) -> None:
        """in X-Auth-Token, as auth type admin_token sends it; without one, or with a wrong one, the command says what is missing"""
        with tempfile.TemporaryDirectory(prefix="malob-test-") as place:
            controller = Controller(Path(place), free_port(), free_port())
            self.addCleanup(controller.stop)
            controller.data.mkdir()
            token = run([str(ROOT / "malob"), "token", "--data", str(controller.data), "add", "ops", "--role", "admin"]).strip()
            reader = run([str(ROOT / "malob"), "token", "--data", str(controller.data), "add", "watch", "--role", "read-only"]).strip()
            controller.start()
            url = controller.rest.url
            create = "loadbalancer create --name kept --vip-address 10.0.0.181 --vip-network-id any"
            made = openstack_clients.typed(openstack_clients.with_token(url, token), create)
            self.assertEqual("kept", made["name"])
            self.assertEqual(1, len(openstack_clients.typed(openstack_clients.with_token(url, reader), "loadbalancer list")))
            for options, status in (
                (openstack_clients.with_token(url, reader), 403),
                (openstack_clients.with_token(url, "wrong"), 401),
                (openstack_clients.without_token(url), 401),
            ):
                with self.subTest(options=options):
                    with self.assertRaisesRegex(ScriptError, rf"(?i)HTTP {status}|\b{status}\b|token"):
                        openstack_clients.typed(options, "loadbalancer delete kept")
            self.assertRegex(controller.log.read_text(encoding="utf-8"), re.escape("who=ops"))
