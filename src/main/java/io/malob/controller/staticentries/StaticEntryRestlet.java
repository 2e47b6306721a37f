package io.malob.controller.staticentries;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.base.Splitter;
import com.google.common.base.Strings;
import io.malob.controller.access.Effect;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.restlet.Context;
import org.restlet.Request;
import org.restlet.Response;
import org.restlet.Restlet;
import org.restlet.data.CharacterSet;
import org.restlet.data.MediaType;
import org.restlet.data.Method;
import org.restlet.data.Status;
import org.restlet.representation.Representation;
import org.restlet.representation.StringRepresentation;

/** The static entries over HTTP, in JSON. */
final class StaticEntryRestlet extends Restlet {
  private static final int MAX_BODY_BYTES = 64 * 1024;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final StaticEntries entries;

  StaticEntryRestlet(@Nullable Context context, StaticEntries entries) {
    super(context);
    this.entries = entries;
  }

  @Override
  public void handle(Request request, Response response) {
    super.handle(request, response);
    try {
      answer(request, response);
    } catch (WrongFieldException e) {
      refuse(response, Status.CLIENT_ERROR_BAD_REQUEST, e.getMessage(), e.field());
    }
  }

  private void answer(Request request, Response response) throws WrongFieldException {
    List<String> path =
        Splitter.on('/')
            .omitEmptyStrings()
            .splitToList(
                Strings.nullToEmpty(request.getResourceRef().getRemainingPart(true, false)));
    Optional<Route> route = Route.of(path);
    if (route.isEmpty()) {
      response.setStatus(Status.CLIENT_ERROR_NOT_FOUND);
      return;
    }
    Optional<Effect> effect = route.get().effectOf(request.getMethod().getName());
    if (effect.isEmpty()) {
      notAllowed(response, request.getMethod(), route.get());
    } else if (!effect.get().isGrantedTo(request.getAttributes())) {
      refuse(response, Status.CLIENT_ERROR_FORBIDDEN, "This path needs the right to write", null);
    } else if (effect.get() == Effect.READ) {
      reply(response, Status.SUCCESS_OK, shown(route.get(), path, entries::list));
    } else {
      write(route.get(), path, request, response);
    }
  }

  /** What can be read gets nothing that could be changed. As in Floodlight: see {@link #listed}. */
  private static Object shown(Route route, List<String> path, EntryList entries)
      throws WrongFieldException {
    return listed(entries.of(route == Route.LIST ? switchOrAll(path.get(1)) : null));
  }

  private void write(Route route, List<String> path, Request request, Response response)
      throws WrongFieldException {
    if (route == Route.CLEAR) {
      List<StaticEntry> gone = entries.clear(switchOrAll(path.get(1)));
      replyChanged(response, gone.size() + " entries deleted", gone);
    } else if (request.getMethod().equals(Method.POST)) {
      post(request, response);
    } else {
      delete(request, response);
    }
  }

  /** The entries of a switch, or of all switches if it is null. */
  @FunctionalInterface
  private interface EntryList {
    List<StaticEntry> of(@Nullable DatapathId switchId);
  }

  private static @Nullable DatapathId switchOrAll(String text) throws WrongFieldException {
    return text.equals("all") ? null : StaticEntry.switchId("switch", text);
  }

  private void post(Request request, Response response) throws WrongFieldException {
    StaticEntry entry = StaticEntry.of(body(request));
    boolean told = entries.put(entry);
    String status = told ? "Entry pushed" : "Entry kept until its switch takes it";
    replyChanged(response, status, List.of(entry));
  }

  /** A switch that is connected may not have taken the change yet. */
  private void replyChanged(Response response, String status, List<StaticEntry> changed) {
    if (changed.stream().map(StaticEntry::switchId).distinct().anyMatch(entries::isBehind)) {
      Map<String, Object> body = new LinkedHashMap<>();
      body.put("status", status);
      body.put("in_force", false);
      reply(response, Status.SUCCESS_ACCEPTED, body);
    } else {
      reply(response, Status.SUCCESS_OK, Map.of("status", status));
    }
  }

  private void delete(Request request, Response response) throws WrongFieldException {
    String name = body(request).get("name");
    if (name == null) {
      throw new WrongFieldException("name", "name is missing");
    }
    Optional<StaticEntry> gone = entries.remove(name.trim());
    if (gone.isPresent()) {
      replyChanged(response, "Entry " + name.trim() + " deleted", List.of(gone.get()));
    } else {
      refuse(
          response,
          Status.CLIENT_ERROR_NOT_FOUND,
          "There is no entry \"" + name.trim() + "\"",
          "name");
    }
  }

  /** As in Floodlight: for each switch a list of objects, each with the entry under its name. */
  private static Map<String, List<Map<String, Object>>> listed(List<StaticEntry> entries) {
    Map<String, List<Map<String, Object>>> bySwitch = new LinkedHashMap<>();
    for (StaticEntry entry : entries) {
      bySwitch
          .computeIfAbsent(entry.switchId().toString(), any -> new ArrayList<>())
          .add(Map.of(entry.name(), entry.fields()));
    }
    return bySwitch;
  }

  private static Map<String, String> body(Request request) throws WrongFieldException {
    JsonNode body;
    try {
      body = JSON.readTree(bytes(request.getEntity()));
    } catch (JsonProcessingException e) {
      throw new WrongFieldException(null, "The body is no JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new WrongFieldException(null, "The body could not be read");
    }
    if (!body.isObject()) {
      throw new WrongFieldException(null, "The body must be one JSON object");
    }
    Map<String, String> fields = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> field : body.properties()) {
      if (!field.getValue().isValueNode() || field.getValue().isNull()) {
        throw new WrongFieldException(
            field.getKey(), field.getKey() + " must be a text or a number");
      }
      fields.put(field.getKey(), field.getValue().asText());
    }
    return fields;
  }

  private static byte[] bytes(@Nullable Representation entity)
      throws IOException, WrongFieldException {
    InputStream stream = entity == null || !entity.isAvailable() ? null : entity.getStream();
    if (stream == null) {
      return new byte[0];
    }
    try (stream) {
      byte[] bytes = stream.readNBytes(MAX_BODY_BYTES + 1);
      if (bytes.length > MAX_BODY_BYTES) {
        throw new WrongFieldException(null, "The body has more than " + MAX_BODY_BYTES + " bytes");
      }
      return bytes;
    }
  }

  private static void notAllowed(Response response, Method method, Route route) {
    route.methods().forEach(name -> response.getAllowedMethods().add(Method.valueOf(name)));
    refuse(
        response,
        Status.CLIENT_ERROR_METHOD_NOT_ALLOWED,
        "This path does not allow " + method.getName(),
        null);
  }

  private static void refuse(
      Response response, Status status, @Nullable String sentence, @Nullable String field) {
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    body.put("error", sentence);
    body.put("field", field);
    reply(response, status, body);
  }

  private static void reply(Response response, Status status, Object body) {
    try {
      response.setStatus(status);
      response.setEntity(
          new StringRepresentation(
              JSON.writeValueAsString(body), MediaType.APPLICATION_JSON, null, CharacterSet.UTF_8));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("not a JSON value: " + body, e);
    }
  }
}
