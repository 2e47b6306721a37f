package io.malob.testing;

import io.malob.openflow.tracked.ConntrackFlush;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.projectfloodlight.openflow.protocol.OFBadActionCode;
import org.projectfloodlight.openflow.protocol.OFBadRequestCode;
import org.projectfloodlight.openflow.protocol.OFBucket;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFGroupDescStatsEntry;
import org.projectfloodlight.openflow.protocol.OFGroupMod;
import org.projectfloodlight.openflow.protocol.OFGroupModCommand;
import org.projectfloodlight.openflow.protocol.OFMatchV3;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.protocol.match.MatchFields;
import org.projectfloodlight.openflow.protocol.oxm.OFOxm;
import org.projectfloodlight.openflow.types.OFGroup;
import org.projectfloodlight.openflow.types.OFMetadata;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/**
 * One switch of OpenFlow 1.3 without a wire: takes FLOW_MOD and PACKET_OUT messages and says where
 * a frame comes out and how it looks. A packet that no rule of a table matches goes to the
 * controller, as if each table had its table-miss rule; a rule of one's own with priority 0 goes
 * before that. Messages that its {@link SwitchProfile} does not allow are refused with an error of
 * OpenFlow. What no switch of the tests knows (a field, an action) makes a test fail. Not safe for
 * use by several threads.
 */
public final class FakeFlowTable {
  private static final Comparator<FakeRule> ORDER =
      Comparator.comparing(FakeRule::table)
          .thenComparing(Comparator.comparingInt(FakeRule::priority).reversed());

  private SwitchProfile profile;
  private final LongSupplier nanoTime;
  private final FakeGroups groups = new FakeGroups();
  private final FakeConntrack conntrack;
  private boolean flushes = true;

  /** Which bucket of a group gets the next packet, counted from 0 and modulo their number. */
  private int bucket;

  /** By table and falling priority; of equal ones the older first. */
  private final List<Entry> entries = new ArrayList<>();

  /** A table whose time stands still. */
  public FakeFlowTable() {
    this(() -> 0);
  }

  /** A table on a clock, by which {@link #expire} finds the rules that nobody uses. */
  public FakeFlowTable(LongSupplier nanoTime) {
    this(SwitchProfile.FOUR_TABLES, nanoTime);
  }

  /** A switch that can do less. */
  public FakeFlowTable(SwitchProfile profile, LongSupplier nanoTime) {
    this.profile = profile;
    this.nanoTime = nanoTime;
    this.conntrack = new FakeConntrack(nanoTime);
  }

  /** What the switch can do. */
  public SwitchProfile profile() {
    return profile;
  }

  /** The switch can do something else from now on. It keeps the rules that fit. */
  public void become(SwitchProfile next) {
    profile = next;
    entries.removeIf(entry -> !next.fits(entry.rule));
    if (!next.hasGroups()) {
      groups.clear();
    }
    if (!next.tracks()) {
      conntrack.clear();
    }
  }

  /** The connections that the switch tracks. */
  public FakeConntrack conntrack() {
    return conntrack;
  }

  /** A rule in its place, and when a packet last matched it. */
  private static final class Entry {
    private FakeRule rule;
    private final List<FakeRule.Condition> conditions;
    private final long addedAtNanos;
    private long usedAtNanos;
    private long packets;
    private long bytes;

    Entry(FakeRule rule, long nowNanos) {
      this.rule = rule;
      this.conditions = rule.conditions();
      this.addedAtNanos = nowNanos;
      this.usedAtNanos = nowNanos;
    }

    boolean matches(FakePacket packet) {
      for (FakeRule.Condition condition : conditions) {
        if (!condition.holds(packet)) {
          return false;
        }
      }
      return true;
    }

    Counts counts(long nowNanos) {
      return new Counts(packets, bytes, nowNanos - addedAtNanos);
    }

    boolean isOver(long nowNanos) {
      return isOver(rule.idleTimeout(), nowNanos - usedAtNanos)
          || isOver(rule.hardTimeout(), nowNanos - addedAtNanos);
    }

    private static boolean isOver(int seconds, long nanos) {
      return seconds > 0 && nanos >= TimeUnit.SECONDS.toNanos(seconds);
    }
  }

  /**
   * A frame that leaves the switch.
   *
   * @param port a port of the switch, or CONTROLLER; IN_PORT shows as the port itself
   * @param frame the bytes as they leave
   * @param table the table that sent it
   * @param cookie that of the rule that sent it; zero for a miss and for what the controller sent
   * @param metadata what rules have written
   */
  @SuppressWarnings("ArrayRecordComponent") // tests compare the parts
  public record Output(
      OFPort port, byte[] frame, TableId table, U64 cookie, U64 metadata, Tracked tracked) {
    /** A frame that has not been tracked, without metadata. */
    public Output(OFPort port, byte[] frame, TableId table, U64 cookie) {
      this(port, frame, table, cookie, U64.ZERO, Tracked.NOT);
    }

    /** Whether this is a packet-in. */
    public boolean isToController() {
      return port.equals(OFPort.CONTROLLER);
    }

    /** Adds what Open vSwitch tells in a packet-in besides the port, as far as it is not zero. */
    public Match.Builder addFields(Match.Builder match) {
      if (!metadata.equals(U64.ZERO)) {
        match.setExact(MatchField.METADATA, OFMetadata.of(metadata));
      }
      return tracked.addTo(match);
    }
  }

  /**
   * What a switch counts for a rule.
   *
   * @param nanos how long it has been there
   */
  public record Counts(long packets, long bytes, long nanos) {}

  /** A rule that is no more, with what it has counted. */
  public record Expired(FakeRule rule, Counts counts) {}

  /** What has been counted for a rule; nothing if it is not there. */
  public Counts countsOf(FakeRule rule) {
    return entries.stream()
        .filter(entry -> entry.rule.equals(rule))
        .findFirst()
        .map(entry -> entry.counts(nanoTime.getAsLong()))
        .orElse(new Counts(0, 0, 0));
  }

  /** All rules, by table and falling priority; of equal ones the older first. */
  public List<FakeRule> rules() {
    return entries.stream().map(entry -> entry.rule).toList();
  }

  /** Takes away the rules whose time is over, and gives them back. */
  public List<FakeRule> expire() {
    return expireCounted().stream().map(Expired::rule).toList();
  }

  /** The same, with what they have counted. */
  public List<Expired> expireCounted() {
    long now = nanoTime.getAsLong();
    List<Expired> over = new ArrayList<>();
    entries.removeIf(
        entry -> entry.isOver(now) && over.add(new Expired(entry.rule, entry.counts(now))));
    return over;
  }

  /** Takes a rule away, without a word about it. */
  public void remove(FakeRule rule) {
    removeIf(rule::equals);
  }

  /** Takes all rules and connections away, as a switch that starts again. */
  public void clear() {
    entries.clear();
    groups.clear();
    conntrack.clear();
  }

  /** From now on packets that a group gets leave by its bucket of that number, from 0. */
  public void selectBucket(int number) {
    bucket = number;
  }

  /** The buckets of a group; none if it is not there. */
  public List<OFBucket> buckets(OFGroup group) {
    return groups.buckets(group);
  }

  /** The actions of the bucket by which a packet leaves a group. */
  List<OFAction> chosenBucket(OFGroup group) {
    List<OFBucket> buckets = buckets(group);
    return buckets.get(bucket % buckets.size()).getActions();
  }

  private void change(OFGroupMod message) {
    groups.change(message);
    if (message.getCommand() == OFGroupModCommand.DELETE) {
      entries.removeIf(
          entry -> entry.rule.groups().stream().anyMatch(group -> !groups.contains(group)));
    }
  }

  /** The rules of one table. */
  public List<FakeRule> rules(int table) {
    return rules().stream().filter(rule -> rule.table().getValue() == table).toList();
  }

  /** What the switch tells when it is asked for the rules whose cookies match. */
  public List<OFFlowStatsEntry> tell(OFFactory factory, U64 cookie, U64 mask) {
    long now = nanoTime.getAsLong();
    return entries.stream()
        .filter(entry -> entry.rule.cookie().applyMask(mask).equals(cookie.applyMask(mask)))
        .<OFFlowStatsEntry>map(entry -> told(factory, entry.rule, entry.counts(now)))
        .toList();
  }

  private static OFFlowStatsEntry told(OFFactory factory, FakeRule rule, Counts counts) {
    return factory
        .buildFlowStatsEntry()
        .setTableId(rule.table())
        .setPriority(rule.priority())
        .setIdleTimeout(rule.idleTimeout())
        .setCookie(rule.cookie())
        .setMatch(rule.match())
        .setInstructions(rule.instructions())
        .setPacketCount(U64.of(counts.packets))
        .setByteCount(U64.of(counts.bytes))
        .setDurationSec(TimeUnit.NANOSECONDS.toSeconds(counts.nanos))
        .setDurationNsec(counts.nanos % TimeUnit.SECONDS.toNanos(1))
        .build();
  }

  /** What the switch tells when it is asked for its groups. */
  public List<OFGroupDescStatsEntry> tellGroups(OFFactory factory) {
    return groups.tell(factory);
  }

  /**
   * Obeys a message; gives back the frames that leave because of it. Others are ignored.
   *
   * @throws RefusedMessageException if the switch answers with an error
   */
  public List<Output> apply(OFMessage sent) {
    if (sent instanceof ConntrackFlush flush) {
      flush(flush);
      return List.of();
    }
    OFMessage message = Wire.readBack(sent);
    profile.check(message);
    if (message instanceof OFFlowMod flowMod) {
      change(flowMod);
    } else if (message instanceof OFGroupMod groupMod) {
      change(groupMod);
    } else if (message instanceof OFPacketOut packetOut) {
      return new FakePipeline(this, packetOut.getInPort(), packetOut.getData())
          .packetOut(packetOut.getActions());
    }
    return List.of();
  }

  private void flush(ConntrackFlush message) {
    if (!flushes || !profile.tracks()) {
      throw new RefusedMessageException(
          SwitchErrors.badRequest(message, OFBadRequestCode.BAD_EXPERIMENTER_TYPE));
    }
    conntrack.flush(new FakeFlush(message));
  }

  /** Whether connections can be forgotten on request: Open vSwitch does so since 3.1. */
  public void setFlushes(boolean can) {
    flushes = can;
  }

  /** Sends a frame into a port; gives back what leaves, in order. */
  public List<Output> process(int inPort, byte[] frame) {
    return process(OFPort.of(inPort), frame);
  }

  /** Sends a frame into a port; gives back what leaves, in order. */
  public List<Output> process(OFPort inPort, byte[] frame) {
    return new FakePipeline(this, inPort, frame).run();
  }

  private void change(OFFlowMod message) {
    // getMatchFields() would leave out just the fields that this looks for
    for (OFOxm<?> oxm : ((OFMatchV3) message.getMatch()).getOxmList()) {
      MatchField<?> field = oxm.getMatchField();
      // openflowj wants TCP for this field, Open vSwitch any protocol with ports
      boolean isFoundPort = field.id == MatchFields.CONN_TRACKING_TP_DST;
      if (!isFoundPort && !field.arePrerequisitesOK(message.getMatch())) {
        throw new IllegalArgumentException("OFPBMC_BAD_PREREQ: " + field.getName());
      }
    }
    switch (message.getCommand()) {
      case ADD -> {
        FakeRule rule = withKnownGroups(message, FakeRule.of(message));
        removeIf(strictly(message));
        add(rule);
      }
      case MODIFY -> modify(message, loosely(message).and(cookie(message)));
      case MODIFY_STRICT -> modify(message, strictly(message).and(cookie(message)));
      case DELETE -> removeIf(loosely(message).and(cookie(message)).and(outPort(message)));
      case DELETE_STRICT -> removeIf(strictly(message).and(cookie(message)).and(outPort(message)));
    }
  }

  private FakeRule withKnownGroups(OFFlowMod message, FakeRule rule) {
    if (!rule.groups().stream().allMatch(groups::contains)) {
      throw new RefusedMessageException(
          SwitchErrors.badAction(message, OFBadActionCode.BAD_OUT_GROUP));
    }
    return rule;
  }

  private void add(FakeRule rule) {
    int at = entries.size();
    while (at > 0 && ORDER.compare(rule, entries.get(at - 1).rule) < 0) {
      at--;
    }
    entries.add(at, new Entry(rule, nanoTime.getAsLong()));
  }

  private void removeIf(Predicate<FakeRule> which) {
    entries.removeIf(entry -> which.test(entry.rule));
  }

  private void modify(OFFlowMod message, Predicate<FakeRule> which) {
    withKnownGroups(message, FakeRule.of(message));
    for (Entry entry : entries) {
      if (which.test(entry.rule)) {
        entry.rule = entry.rule.withInstructionsOf(message);
      }
    }
  }

  private static Predicate<FakeRule> strictly(OFFlowMod message) {
    return inTable(message)
        .and(rule -> rule.priority() == message.getPriority())
        .and(rule -> rule.match().equals(message.getMatch()));
  }

  private static Predicate<FakeRule> loosely(OFFlowMod message) {
    return inTable(message).and(rule -> rule.isWithin(message.getMatch()));
  }

  private static Predicate<FakeRule> inTable(OFFlowMod message) {
    TableId table = message.getTableId();
    return rule -> table.equals(TableId.ALL) || rule.table().equals(table);
  }

  private static Predicate<FakeRule> cookie(OFFlowMod message) {
    U64 mask = message.getCookieMask();
    return rule -> rule.cookie().applyMask(mask).equals(message.getCookie().applyMask(mask));
  }

  private static Predicate<FakeRule> outPort(OFFlowMod message) {
    OFPort port = message.getOutPort();
    return rule -> port.equals(OFPort.ANY) || rule.outputsTo(port);
  }

  /** The first rule of a table that a packet matches, which counts it. */
  Optional<FakeRule> lookUp(TableId table, FakePacket packet) {
    for (Entry entry : entries) {
      if (entry.rule.table().equals(table) && entry.matches(packet)) {
        entry.usedAtNanos = nanoTime.getAsLong();
        entry.packets++;
        entry.bytes += packet.length();
        return Optional.of(entry.rule);
      }
    }
    return Optional.empty();
  }
}
