package io.malob.mptcp;

import java.util.ArrayList;
import java.util.List;

/**
 * The commands on a Linux host that give its MPTCP connections a sub-flow for each of its
 * addresses. Pure.
 */
final class HostCommands {
  private HostCommands() {}

  /** The commands, to be run as root; each can be run again. */
  static List<String> of(Member member) {
    String device = member.host().device();
    List<String> commands = new ArrayList<>();
    commands.add(
        String.format(
            "ip mptcp limits set subflow %d add_addr_accepted %d",
            FanOut.MAX_ADDRESSES, FanOut.MAX_ADDRESSES));
    for (int i = 1; i < member.addresses().size(); i++) {
      String alias = member.addresses().get(i).toString();
      commands.add(String.format("ip addr replace %s/32 dev %s", alias, device));
      commands.add(
          String.format("ip mptcp endpoint add %s dev %s subflow fullmesh", alias, device));
    }
    return commands;
  }
}
