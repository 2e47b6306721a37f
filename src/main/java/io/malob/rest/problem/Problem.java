package io.malob.rest.problem;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One thing that keeps the balancer, or a part of it, from working.
 *
 * @param reason what is wrong
 * @param id the id of the load balancer, VIP, pool or member; null if it is about none
 * @param problem a sentence that says what is wrong
 * @param remedy a sentence that says what to do
 * @param command the command that does it, with placeholders in capitals; null if there is none
 */
public record Problem(
    Reason reason, @Nullable String id, String problem, String remedy, @Nullable String command) {

  /** The kinds of problems. */
  public enum Reason {
    /** No switch is connected. */
    NO_SWITCH(null),
    /** Two switches have one datapath id. */
    DUPLICATE_SWITCH(null),
    /** The cluster's etcd does not answer. */
    ETCD_SILENT(null),
    /** Another controller of the cluster has this one's name. */
    NAME_TAKEN(null),
    /** Switches reject the cluster's controllers, because etcd was restored. */
    ETCD_BEHIND(null),
    /** A database of the cluster's etcd is full, or will be. */
    ETCD_SPACE(null),
    /** A live controller of the cluster is not reached. */
    PEER_NOT_REACHED(null),
    /** Operators have taken a load balancer down. */
    LOAD_BALANCER_DOWN("load_balancer"),
    /** Operators have taken a VIP down. */
    VIP_DOWN("vip"),
    /** Operators have taken the pool of a VIP down. */
    POOL_DOWN("pool"),
    /** A VIP has no pool. */
    NO_POOL("vip"),
    /** A switch refuses the rules of a proactive VIP. */
    RULE_REFUSED("vip"),
    /** A switch cannot sort the packets of a proactive VIP into buckets. */
    NO_MASKS("vip"),
    /** A proactive VIP is reactive where a switch has fewer than four tables. */
    FEW_TABLES("vip"),
    /** A host has the address of a VIP. */
    ADDRESS_TAKEN("vip"),
    /** Hosts behind some switches do not reach a VIP, because no switch translates for them. */
    NOT_SERVED("vip"),
    /** The switches have several masters, so a proactive VIP is reactive. */
    SEVERAL_MASTERS("vip"),
    /** A proactive VIP has too few clients to meet the shares of its members. */
    TOO_FEW_SOURCES("vip"),
    /** A pool has no members. */
    NO_MEMBERS("pool"),
    /** Operators have taken all members of a pool out of service. */
    ALL_OUT("pool"),
    /** A pool has no VIP. */
    NO_VIP("pool"),
    /** A member is in no pool. */
    IN_NO_POOL("member"),
    /** The network has not seen a member. */
    NOT_LOCATED("member"),
    /** A member fails its health checks. */
    DOWN("member"),
    /** A member does not answer its clients. */
    NO_ANSWER("member");

    private final @Nullable String kind;

    Reason(@Nullable String kind) {
      this.kind = kind;
    }

    /** The published name. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** As a JSON object. */
  public Map<String, @Nullable Object> shown() {
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    shown.put("reason", reason.text());
    shown.put("kind", reason.kind);
    shown.put("id", id);
    shown.put("problem", problem);
    shown.put("remedy", remedy);
    shown.put("command", command);
    return shown;
  }
}
