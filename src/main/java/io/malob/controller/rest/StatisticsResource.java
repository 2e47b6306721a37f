package io.malob.controller.rest;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Maps;
import com.google.common.util.concurrent.ListenableFuture;
import io.malob.controller.channel.AnswerTooLongException;
import io.malob.controller.channel.OpenFlowErrorException;
import io.malob.json.Json;
import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import io.malob.resource.StreamedBody;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Requests a statistic from one switch, or all, and waits for the answer. Safe for use by several
 * threads.
 */
final class StatisticsResource {
  /** The max size of an answer that is sent with its length. */
  private static final int SHORT_BYTES = 1024 * 1024;

  /**
   * The max number of answers of all switches at a time: each takes one of the server's streams.
   */
  private static final int MAX_ALL = 4;

  private static final String JSON = "application/json";

  private final IOFSwitchService switches;
  private final StatisticReader reader;
  private final Semaphore all = new Semaphore(MAX_ALL);

  StatisticsResource(IOFSwitchService switches, StatisticReader reader) {
    this.switches = switches;
    this.reader = reader;
  }

  /** The answer of one switch, or of each under its datapath id. */
  Reply show(Call call) throws IOException, RejectedException {
    String stat = call.variable("stat");
    String id = call.variable("switch");
    Function<IOFSwitch, ListenableFuture<Object>> question =
        SwitchStatistic.named(stat).orElseThrow(() -> noStatistic(stat));
    if (id.equals("all")) {
      if (!all.tryAcquire()) {
        throw StatisticReader.busy("Statistics of all switches are still being sent; try again");
      }
      return Reply.ok(new AllStatistics(question));
    }
    try {
      StatisticReader.Answer answer = reader.ask(connected(id), question);
      return answer.length() > SHORT_BYTES ? Reply.ok(answer) : Reply.document(JSON, whole(answer));
    } catch (ExecutionException e) {
      boolean refused =
          e.getCause() instanceof OpenFlowErrorException
              || e.getCause() instanceof AnswerTooLongException;
      throw new RejectedException(
          refused ? Reason.SWITCH_REFUSED : Reason.SWITCH_SILENT, reason(e), null);
    }
  }

  private static RejectedException noStatistic(String name) {
    return RejectedException.invalid(
        "stat",
        "There is no statistic \""
            + name
            + "\"; the statistics are "
            + String.join(", ", SwitchStatistic.names()));
  }

  private IOFSwitch connected(String id) throws RejectedException {
    @Nullable IOFSwitch sw;
    try {
      sw = switches.getSwitch(DatapathId.of(id));
    } catch (IllegalArgumentException e) {
      sw = null;
    }
    if (sw == null) {
      throw RejectedException.notFound("switch", "Switch \"" + id + "\" is not connected");
    }
    return sw;
  }

  private static byte[] whole(StatisticReader.Answer answer) throws IOException {
    try (answer) {
      ByteArrayOutputStream plain = new ByteArrayOutputStream((int) answer.length());
      answer.write(plain);
      return plain.toByteArray();
    }
  }

  /**
   * The answer of each switch under its datapath id. The next switch is asked when the answer
   * before has been sent; a missing answer is replaced by its reason.
   */
  private final class AllStatistics implements StreamedBody {
    private final ImmutableSortedMap<String, IOFSwitch> asked;
    private final Function<IOFSwitch, ListenableFuture<Object>> question;

    AllStatistics(Function<IOFSwitch, ListenableFuture<Object>> question) {
      asked =
          ImmutableSortedMap.copyOf(
              Maps.uniqueIndex(switches.getAllSwitchMap().values(), sw -> sw.getId().toString()));
      this.question = question;
    }

    @Override
    public String mediaType() {
      return JSON;
    }

    @Override
    public void write(OutputStream out) throws IOException {
      String before = "{";
      for (Map.Entry<String, IOFSwitch> each : asked.entrySet()) {
        out.write((before + "\"" + each.getKey() + "\":").getBytes(US_ASCII));
        before = ",";
        try (StatisticReader.Answer answer = reader.ask(each.getValue(), question)) {
          answer.write(out);
        } catch (ExecutionException e) {
          out.write(Json.bytes(Map.of("error", reason(e))));
        } catch (RejectedException e) {
          out.write(Json.bytes(Map.of("error", e.sentence())));
        }
      }
      out.write((asked.isEmpty() ? "{}" : "}").getBytes(US_ASCII));
    }

    @Override
    public void close() {
      all.release();
    }
  }

  private static String reason(ExecutionException e) {
    Throwable cause = e.getCause();
    String text = cause == null ? null : cause.getMessage();
    return text == null ? "The switch did not answer" : text;
  }
}
