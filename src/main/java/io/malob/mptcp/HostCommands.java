package io.malob.mptcp;

import io.malob.openflow.IpFamily;
import java.util.ArrayList;
import java.util.List;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * The commands on a Linux host that give its MPTCP connections a sub-flow for each of its
 * addresses. Pure.
 */
final class HostCommands {
  private HostCommands() {}

  /**
   * The commands, to be run as root; each can be run again. An IPv6 alias is deprecated, because
   * the kernel would prefer its longer prefix as source of other connections. It is used at once,
   * because no sub-flow starts from an address that is still being checked; the plan has chosen a
   * free one.
   */
  static List<String> of(Member member) {
    String device = member.host().device();
    List<String> commands = new ArrayList<>();
    commands.add(
        String.format(
            "ip mptcp limits set subflow %d add_addr_accepted %d",
            FanOut.MAX_ADDRESSES, FanOut.MAX_ADDRESSES));
    for (int i = 1; i < member.addresses().size(); i++) {
      IPAddress<?> alias = member.addresses().get(i);
      commands.add(
          String.format(
              IpFamily.of(alias) == IpFamily.IPV4
                  ? "ip addr replace %s/32 dev %s"
                  : "ip addr replace %s/128 dev %s preferred_lft 0 nodad",
              alias,
              device));
      commands.add(
          String.format("ip mptcp endpoint add %s dev %s subflow fullmesh", alias, device));
    }
    return commands;
  }
}
