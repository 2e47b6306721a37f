package io.malob.balancer.connection;

import com.google.common.collect.ListMultimap;
import com.google.common.collect.MultimapBuilder;
import com.google.common.collect.Sets;
import io.malob.algorithm.graph.SharedSegments;
import io.malob.algorithm.graph.SharedSegments.Port;
import io.malob.algorithm.graph.SharedSegments.Segment;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.RuleBook;
import io.malob.openflow.RuleSender;
import io.malob.openflow.SegmentRule;
import io.malob.openflow.TableLayout;
import io.malob.openflow.label.LabelTable;
import io.malob.openflow.label.LabelledPath;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Makes the legacy switches of segments forward labelled packets like others. They are told by
 * broadcasts where labels and the MAC addresses of edges are, before packets carry a label and then
 * more often than their tables forget. What they flood all the same is dropped by rules of the
 * switches that it does not concern. For one thread at a time, except {@link #announce}, {@link
 * #isAny} and {@link #contains}.
 */
public final class LegacySegments {
  /** The time between two steps. */
  public static final long TICK_MILLIS = 1_000;

  /** How many steps pass between two announcements of a label in use, and of an edge. */
  static final int USED_TICKS = 60;

  /** The same for a label that is ready for use; the tables of legacy switches last for 300 s. */
  static final int READY_TICKS = 240;

  private final RuleSender ruleSender;
  private final RuleSender everywhere;
  private final LabelTable labels;
  private final Executor serialExecutor;
  private final RuleBook<SegmentRule> book;

  private volatile SharedSegments segments = SharedSegments.NONE;
  private final AtomicBoolean isUpdatePending = new AtomicBoolean();
  private int ticks;

  /**
   * No segments.
   *
   * @param ruleSender sends to this controller's switches
   * @param everywhere sends to all switches
   * @param serialExecutor the thread of this object
   */
  public LegacySegments(
      RuleSender ruleSender, RuleSender everywhere, LabelTable labels, Executor serialExecutor) {
    this.ruleSender = ruleSender;
    this.everywhere = everywhere;
    this.labels = labels;
    this.serialExecutor = serialExecutor;
    this.book = new RuleBook<>(ruleSender);
  }

  /** Whether there is anything to do. */
  public boolean isAny() {
    return !segments.isEmpty();
  }

  /** Whether a port of a switch is on a segment. For any thread. */
  public boolean contains(DatapathId switchId, OFPort port) {
    return segments.contains(switchId, port);
  }

  /** Takes over the present segments. */
  public void update(SharedSegments now) {
    SharedSegments before = segments;
    if (now.equals(before)) {
      return;
    }
    segments = now;
    labels.setSegments(now);
    updateRules();
    Set<Segment> fresh = new HashSet<>(now.all());
    fresh.removeAll(before.all());
    fresh.forEach(this::announceEdges);
  }

  /** Announces labels and edges whose turn it is. */
  public void tick() {
    updateRules();
    ticks++;
    for (LabelledPath labelled : labels.all()) {
      int period = labelled.uses() > 0 ? USED_TICKS : READY_TICKS;
      if (labelled.isReady() && (labelled.label().id() + ticks) % period == 0) {
        announce(labelled, ruleSender);
      }
    }
    if (ticks % USED_TICKS == 0) {
      segments.all().forEach(this::announceEdges);
    }
  }

  /** Announces a label that packets carry next, or that has another path. For any thread. */
  public void announce(LabelledPath labelled) {
    announce(labelled, everywhere);
    if (!segments.strayPorts(labelled.path()).isEmpty()
        && isUpdatePending.compareAndSet(false, true)) {
      serialExecutor.execute(this::updateRules);
    }
  }

  private void announce(LabelledPath labelled, RuleSender sender) {
    for (Port exit : segments.exits(labelled.path())) {
      send(sender, exit, labelled.label().mac());
    }
  }

  /** Each switch delivers by its smallest port on the segment. */
  private void announceEdges(Segment segment) {
    Set<DatapathId> done = new HashSet<>();
    for (Port port : segment.ports()) {
      if (done.add(port.switchId())) {
        send(ruleSender, port, EdgeMac.of(port.switchId()));
      }
    }
  }

  private static void send(RuleSender sender, Port from, MacAddress address) {
    if (sender.factory(from.switchId()).isPresent()) {
      sender.sendFrame(from.switchId(), List.of(from.port()), SegmentRule.announcement(address));
    }
  }

  private void updateRules() {
    isUpdatePending.set(false);
    ListMultimap<DatapathId, SegmentRule> rules =
        MultimapBuilder.hashKeys().arrayListValues().build();
    for (Segment segment : segments.all()) {
      for (Port port : segment.ports()) {
        add(rules, port, new SegmentRule.Announcements());
        if (segment.hasUninvolvedPorts()) {
          add(rules, port, new SegmentRule.Copies());
        }
      }
    }
    if (isAny()) {
      for (LabelledPath labelled : labels.all()) {
        for (Port stray : segments.strayPorts(labelled.path())) {
          add(rules, stray, new SegmentRule.Strays(labelled.label()));
        }
      }
    }
    for (DatapathId switchId : Set.copyOf(Sets.union(rules.keySet(), book.switches()))) {
      book.set(switchId, RuleBook.byKey(rules.get(switchId)));
    }
  }

  private void add(
      ListMultimap<DatapathId, SegmentRule> rules, Port at, SegmentRule.Packets which) {
    @Nullable TableLayout layout = ruleSender.compiler().layout(at.switchId());
    if (layout != null && SegmentRule.fits(which, layout)) {
      rules.put(at.switchId(), new SegmentRule(at.port(), which, layout));
    }
  }

  /** Sends all its rules to a switch that has connected. */
  public void connected(DatapathId switchId) {
    book.setAll(switchId, book.rules(switchId));
  }

  /** Begins to compare the rules that a switch has with those that it is to have. */
  public RuleBook<SegmentRule>.Reading read(DatapathId switchId) {
    return book.read(switchId);
  }
}
