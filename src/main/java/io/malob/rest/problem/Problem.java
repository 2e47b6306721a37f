package io.malob.rest.problem;

import org.jspecify.annotations.Nullable;

/**
 * One thing that keeps the balancer, or a part of it, from working.
 *
 * @param reason what is wrong
 * @param kind the kind of item that it is about; null if it is about none
 * @param id the id of the load balancer, VIP, pool or member; null if it is about none
 * @param problem a sentence that says what is wrong
 * @param remedy a sentence that says what to do
 * @param command the command that does it, with placeholders in capitals; null if there is none
 */
public record Problem(
    Reason reason,
    @Nullable String kind,
    @Nullable String id,
    String problem,
    String remedy,
    @Nullable String command) {
  private static final String MAKE_REACTIVE = "./malob vip set %s --placement reactive";

  /** The kinds of problems, each with its usual remedy. */
  public enum Reason {
    /** No switch is connected. */
    NO_SWITCH(
        null,
        "Set the controller of your switches to this machine and its OpenFlow port (6653 by"
            + " default).",
        null),
    /** Two switches have one datapath id. */
    DUPLICATE_SWITCH(
        null,
        "Give one of them another datapath id. If both are the same switch, let it connect to this"
            + " controller only once.",
        null),
    /** A host sends from ports of two switches in turns. */
    BOND_OVER_SWITCHES(
        null,
        "If it is a bond, let it use one leg at a time (active-backup), or connect both legs to one"
            + " switch and name their ports in the setting bonds. If another host has its MAC"
            + " address, give that one another.",
        null),
    /** A host sends from two ports of a switch in turns. */
    BOND_NOT_NAMED(
        null,
        "If it is a bond, name both ports in the setting bonds, or let it use one leg at a time"
            + " (active-backup). If another host has its MAC address, give that one another.",
        null),
    /** The cluster's etcd does not answer. */
    ETCD_SILENT(null, "Check etcd's servers, and the network to them.", null),
    /** Another controller of the cluster has this one's name. */
    NAME_TAKEN(
        null, "Stop one of the two, and start it with another name.", "./malob run --node NAME"),
    /** Switches reject the cluster's controllers, because etcd was restored. */
    ETCD_BEHIND(null, "Raise the base of generation ids.", "./malob cluster raise-base"),
    /** A database of the cluster's etcd is full, or will be. */
    ETCD_SPACE(
        null,
        "Defragment etcd, or raise its quota (--quota-backend-bytes); then end its alarm.",
        "etcdctl defrag && etcdctl alarm disarm"),
    /** A live controller of the cluster is not reached. */
    PEER_NOT_REACHED(
        null,
        "Check the network between the controllers; the log says why (peer_refused, peer_lost).",
        null),
    /** Operators have taken a load balancer down. */
    LOAD_BALANCER_DOWN(
        "load_balancer",
        "Put it back into service.",
        "./malob load-balancer set %s --admin-state up"),
    /** Operators have taken a VIP down. */
    VIP_DOWN("vip", "Put it back into service.", "./malob vip set %s --admin-state up"),
    /** Operators have taken the pool of a VIP down. */
    POOL_DOWN("pool", "Put it back into service.", "./malob pool set %s --admin-state up"),
    /** A VIP has no pool. */
    NO_POOL("vip", "Add a pool to it.", "./malob pool add ID --vip %s"),
    /** A switch refuses the rules of a proactive VIP. */
    RULE_REFUSED(
        "vip",
        "Free space in the switch's tables; the VIP tries again each minute. Or make it reactive.",
        MAKE_REACTIVE),
    /** A switch cannot sort the packets of a proactive VIP into buckets. */
    NO_MASKS(
        "vip",
        "Connect the clients to a switch that does, for instance Open vSwitch, or make the VIP"
            + " reactive.",
        MAKE_REACTIVE),
    /** A proactive VIP is reactive where a switch has fewer than four tables. */
    FEW_TABLES(
        "vip",
        "Make the VIP reactive, or connect its clients and members to switches with four tables.",
        MAKE_REACTIVE),
    /** A tracked VIP is reactive where a switch does not track connections. */
    NO_TRACKING(
        "vip",
        "Connect its clients to switches that do, such as Open vSwitch, or make the VIP proactive"
            + " or reactive.",
        "./malob vip set %s --placement proactive"),
    /** The controller places connections of a tracked VIP that a switch cannot add. */
    TRACKING_FULL(
        "vip",
        "Let the switch track more connections, or shorten its time-outs; see who opens so many.",
        "ovs-appctl dpctl/ct-set-maxconns NUMBER"),
    /** The setting sourceAddresses has too few addresses for the pool of a VIP with source_nat. */
    NO_SOURCE_ADDRESS(
        "vip",
        "Add addresses in the members' subnet to the setting sourceAddresses, one for each switch"
            + " with clients, or set source_nat of the pool to false.",
        null),
    /** A host has the address of a VIP. */
    ADDRESS_TAKEN(
        "vip",
        "Give one of the two another address. A host that has changed its address is forgotten"
            + " later.",
        "./malob vip set %s --address ADDRESS"),
    /** Hosts behind some switches do not reach a VIP, because no switch translates for them. */
    NOT_SERVED("vip", "Connect it to a switch that translates addresses.", null),
    /** The switches have several masters, so a proactive VIP is reactive. */
    SEVERAL_MASTERS(
        "vip",
        "Choose the policy single, or make the VIP reactive.",
        "./malob cluster mastership single"),
    /** A proactive VIP has a member behind a router, so it is reactive. */
    BEHIND_ROUTER(
        "vip", "Make the VIP reactive, or tracked with source_nat of its pool.", MAKE_REACTIVE),
    /** A proactive VIP has too few clients to meet the shares of its members. */
    TOO_FEW_SOURCES(
        "vip", "Make the VIP reactive if its shares matter more than its speed.", MAKE_REACTIVE),
    /** A pool has no members. */
    NO_MEMBERS("pool", "Add a member to it.", "./malob member add ID --address ADDRESS --pool %s"),
    /** Operators have taken all members of a pool out of service. */
    ALL_OUT(
        "pool",
        "Put a member back into service.",
        "./malob member set MEMBER --admin-state up --weight 1"),
    /** A pool has no VIP. */
    NO_VIP("pool", "Give it a VIP.", "./malob pool set %s --vip VIP"),
    /** A member is in no pool. */
    IN_NO_POOL("member", "Add it to a pool.", "./malob member set %s --pool POOL"),
    /** The network has not seen a member. */
    NOT_LOCATED("member", "Check the address, or ping something from that server.", null),
    /** A member fails its health checks. */
    DOWN("member", "Check that the service runs.", null),
    /** A member does not answer its clients. */
    NO_ANSWER("member", "Check that the service runs.", null);

    private final @Nullable String kind;
    private final String remedy;
    private final @Nullable String command;

    Reason(@Nullable String kind, String remedy, @Nullable String command) {
      this.kind = kind;
      this.remedy = remedy;
      this.command = command;
    }

    /**
     * A problem of this kind.
     *
     * @param id the item that it is about; null if it is about none
     * @param problem the sentence, as a format of the values
     */
    @SuppressWarnings("AnnotateFormatMethod") // its annotation would need another library
    Problem of(@Nullable String id, String problem, @Nullable Object... values) {
      @Nullable String done = command == null ? null : command.replace("%s", String.valueOf(id));
      return new Problem(this, kind, id, String.format(problem, values), remedy, done);
    }
  }

  /** The same problem with another remedy. */
  Problem withRemedy(String other) {
    return new Problem(reason, kind, id, problem, other, command);
  }

  /** The same problem without a command. */
  Problem withoutCommand() {
    return new Problem(reason, kind, id, problem, remedy, null);
  }
}
