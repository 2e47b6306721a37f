package io.malob.controller.rest;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Maps;
import com.google.common.util.concurrent.ListenableFuture;
import io.malob.controller.channel.AnswerTooLongException;
import io.malob.controller.channel.OpenFlowErrorException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.restlet.data.CharacterSet;
import org.restlet.data.MediaType;
import org.restlet.data.Status;
import org.restlet.representation.ByteArrayRepresentation;
import org.restlet.representation.OutputRepresentation;
import org.restlet.representation.Representation;
import org.restlet.resource.Get;
import org.restlet.resource.ResourceException;
import org.restlet.resource.ServerResource;

/** Asks one switch, or all, for a statistic, and waits for the answer. */
public final class StatisticsResource extends ServerResource {
  /** Up to this an answer is sent with its length. */
  private static final int SHORT_BYTES = 1024 * 1024;

  /** The answer of one switch, or of each under its datapath id. */
  @Get
  public Representation statistic() {
    String stat = String.valueOf(getRequestAttributes().get("stat"));
    String id = String.valueOf(getRequestAttributes().get("switchId"));
    Optional<Function<IOFSwitch, ListenableFuture<Object>>> question = SwitchStatistic.named(stat);
    if (question.isEmpty()) {
      return refusal(
          Status.CLIENT_ERROR_BAD_REQUEST,
          "There is no statistic \""
              + stat
              + "\"; there are "
              + String.join(", ", SwitchStatistic.names()),
          "stat");
    }
    if (id.equals("all")) {
      return new AllStatistics(switches().getAllSwitchMap().values(), question.get(), reader());
    }
    @Nullable IOFSwitch sw;
    try {
      sw = switches().getSwitch(DatapathId.of(id));
    } catch (IllegalArgumentException e) {
      sw = null;
    }
    if (sw == null) {
      return refusal(
          Status.CLIENT_ERROR_NOT_FOUND, "There is no switch \"" + id + "\" now", "switch");
    }
    try {
      StatisticReader.Answer answer = reader().ask(sw, question.get());
      return answer.length() > SHORT_BYTES ? new LongAnswer(answer) : shortAnswer(answer);
    } catch (StatisticReader.BusyException e) {
      return refusal(Status.SERVER_ERROR_SERVICE_UNAVAILABLE, e.getMessage(), null);
    } catch (IOException e) {
      throw new ResourceException(e);
    } catch (ExecutionException e) {
      boolean refused =
          e.getCause() instanceof OpenFlowErrorException
              || e.getCause() instanceof AnswerTooLongException;
      return refusal(
          refused ? Status.SERVER_ERROR_BAD_GATEWAY : Status.SERVER_ERROR_GATEWAY_TIMEOUT,
          reason(e),
          null);
    }
  }

  private static Representation shortAnswer(StatisticReader.Answer answer) throws IOException {
    try (answer) {
      ByteArrayOutputStream plain = new ByteArrayOutputStream((int) answer.length());
      answer.writeTo(plain);
      return utf8(new ByteArrayRepresentation(plain.toByteArray(), MediaType.APPLICATION_JSON));
    }
  }

  private static Representation utf8(Representation body) {
    body.setCharacterSet(CharacterSet.UTF_8);
    return body;
  }

  /** An answer that is unpacked while its client takes it. */
  private static final class LongAnswer extends OutputRepresentation {
    private final StatisticReader.Answer answer;
    private boolean isReleased;

    LongAnswer(StatisticReader.Answer answer) {
      super(MediaType.APPLICATION_JSON);
      this.answer = answer;
      setCharacterSet(CharacterSet.UTF_8);
    }

    @Override
    public void write(OutputStream out) throws IOException {
      answer.writeTo(out);
    }

    @Override
    public synchronized void release() {
      if (!isReleased) {
        isReleased = true;
        answer.close();
      }
      super.release();
    }
  }

  /**
   * The answer of each switch under its datapath id, each asked when the one before has been sent;
   * one without an answer says why.
   */
  private static final class AllStatistics extends OutputRepresentation {
    private final ImmutableSortedMap<String, IOFSwitch> switches;
    private final Function<IOFSwitch, ListenableFuture<Object>> question;
    private final StatisticReader reader;

    AllStatistics(
        Collection<IOFSwitch> switches,
        Function<IOFSwitch, ListenableFuture<Object>> question,
        StatisticReader reader) {
      super(MediaType.APPLICATION_JSON);
      this.switches =
          ImmutableSortedMap.copyOf(Maps.uniqueIndex(switches, sw -> sw.getId().toString()));
      this.question = question;
      this.reader = reader;
      setCharacterSet(CharacterSet.UTF_8);
    }

    @Override
    public void write(OutputStream out) throws IOException {
      String before = "{";
      for (Map.Entry<String, IOFSwitch> each : switches.entrySet()) {
        out.write((before + "\"" + each.getKey() + "\":").getBytes(US_ASCII));
        before = ",";
        try (StatisticReader.Answer answer = reader.ask(each.getValue(), question)) {
          answer.writeTo(out);
        } catch (ExecutionException e) {
          Json.of(Map.of("error", reason(e))).write(out);
        } catch (StatisticReader.BusyException e) {
          Json.of(Map.of("error", String.valueOf(e.getMessage()))).write(out);
        }
      }
      out.write((switches.isEmpty() ? "{}" : "}").getBytes(US_ASCII));
    }
  }

  private StatisticReader reader() {
    Object service = getContext().getAttributes().get(StatisticReader.class.getCanonicalName());
    if (!(service instanceof StatisticReader reader)) {
      throw new IllegalStateException("no reader of statistics in the context");
    }
    return reader;
  }

  private IOFSwitchService switches() {
    Object service = getContext().getAttributes().get(IOFSwitchService.class.getCanonicalName());
    if (!(service instanceof IOFSwitchService connected)) {
      throw new IllegalStateException("no switch service in the context");
    }
    return connected;
  }

  private static String reason(ExecutionException e) {
    Throwable cause = e.getCause();
    String text = cause == null ? null : cause.getMessage();
    return text == null ? "The switch did not answer" : text;
  }

  private Representation refusal(Status status, @Nullable String sentence, @Nullable String field) {
    setStatus(status);
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    body.put("error", sentence);
    body.put("field", field);
    return Json.of(body);
  }
}
