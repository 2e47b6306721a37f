package io.malob.controller.rest;

import com.google.common.util.concurrent.ListenableFuture;
import io.malob.controller.channel.OpenFlowErrorException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.restlet.data.Status;
import org.restlet.representation.Representation;
import org.restlet.resource.Get;
import org.restlet.resource.ServerResource;

/** Asks one switch, or all, for a statistic, and waits for the answer. */
public final class StatisticsResource extends ServerResource {
  /** Longer than requests wait by themselves, unless that has been set to much longer. */
  private static final long MOST_SECONDS = 15;

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
      return Json.of(ofAll(switches().getAllSwitchMap().values(), question.get()));
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
      return Json.of(await(question.get().apply(sw)));
    } catch (ExecutionException e) {
      boolean refused = e.getCause() instanceof OpenFlowErrorException;
      return refusal(
          refused ? Status.SERVER_ERROR_BAD_GATEWAY : Status.SERVER_ERROR_GATEWAY_TIMEOUT,
          reason(e),
          null);
    }
  }

  private IOFSwitchService switches() {
    Object service = getContext().getAttributes().get(IOFSwitchService.class.getCanonicalName());
    if (!(service instanceof IOFSwitchService connected)) {
      throw new IllegalStateException("no switch service in the context");
    }
    return connected;
  }

  /** All are asked before the first answer is waited for; one without an answer says why. */
  private static Map<String, Object> ofAll(
      Collection<IOFSwitch> switches, Function<IOFSwitch, ListenableFuture<Object>> question) {
    Map<String, ListenableFuture<Object>> asked = new TreeMap<>();
    switches.forEach(sw -> asked.put(sw.getId().toString(), question.apply(sw)));
    Map<String, Object> answers = new LinkedHashMap<>();
    asked.forEach(
        (id, answer) -> {
          try {
            answers.put(id, await(answer));
          } catch (ExecutionException e) {
            answers.put(id, Map.of("error", reason(e)));
          }
        });
    return answers;
  }

  private static Object await(ListenableFuture<Object> answer) throws ExecutionException {
    try {
      return answer.get(MOST_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new ExecutionException("The switch did not answer", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ExecutionException("The controller stops", e);
    }
  }

  private static String reason(ExecutionException e) {
    Throwable cause = e.getCause();
    String text = cause == null ? null : cause.getMessage();
    return text == null ? "The switch did not answer" : text;
  }

  private Representation refusal(Status status, String sentence, @Nullable String field) {
    setStatus(status);
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    body.put("error", sentence);
    body.put("field", field);
    return Json.of(body);
  }
}
