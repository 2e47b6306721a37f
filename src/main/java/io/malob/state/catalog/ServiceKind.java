package io.malob.state.catalog;

import io.malob.json.RejectedException;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The rules for the services table. */
final class ServiceKind extends CatalogKind<Service> {
  private static final int LIMIT = 4096;

  ServiceKind() {
    super("service", "services", LIMIT, "id", "service_name", "protocol", "port", "algorithm");
  }

  @Override
  public Map<String, Service> in(CatalogSnapshot snapshot) {
    return snapshot.services();
  }

  @Override
  Service read(FieldReader fields, String id, int number, @Nullable Service current)
      throws RejectedException {
    return new Service(
        id,
        fields.optional(
            "service_name", current == null ? null : current.name(), FieldFormat::name, id),
        fields.optional(
            "protocol", current == null ? null : current.protocol(), FieldFormat::protocol),
        fields.optional("port", current == null ? null : current.port(), FieldFormat::port),
        fields.required(
            "algorithm", current == null ? null : current.algorithm(), FieldFormat::algorithm));
  }

  @Override
  CatalogTables with(CatalogTables tables, Collection<Service> items, int lastNumber) {
    return tables.withServices(CatalogTables.plus(tables.services(), items));
  }

  @Override
  CatalogTables without(CatalogTables tables, Collection<Service> items) {
    return tables.withServices(CatalogTables.minus(tables.services(), items));
  }

  @Override
  void check(CatalogSnapshot candidate, Service service) throws RejectedException {
    if (service.isDefault()) {
      checkDefault(service);
      return;
    }
    if (service.port() == null) {
      throw RejectedException.invalid("port", "only the service \"default\" can omit port");
    }
    checkPort(service);
    Optional<Service> other =
        sameTraffic(candidate, service).filter(same -> !same.id().equals(service.id())).findFirst();
    if (other.isPresent()) {
      throw taken(other.get());
    }
  }

  private static void checkDefault(Service service) throws RejectedException {
    if (service.port() != null) {
      throw RejectedException.invalid(
          "port", "the default entry applies to all ports and has no port");
    }
    if (service.protocol() != null) {
      throw RejectedException.invalid(
          "protocol", "the default entry applies to all protocols and has no protocol");
    }
  }

  private static void checkPort(Service service) throws RejectedException {
    String problem = FieldFormat.portProblem(service.protocol(), service.port());
    if (problem != null) {
      throw RejectedException.invalid("port", problem);
    }
  }

  /** An existing service with all given values counts as the new one. */
  @Override
  Optional<Service> alreadyThere(CatalogSnapshot snapshot, Service service, Fields given)
      throws RejectedException {
    if (service.port() == null) {
      checkDefault(service);
    } else {
      checkPort(service);
    }
    Optional<Service> there = sameTraffic(snapshot, service).findFirst();
    if (there.isPresent() && !asksForNothingElse(service, given, there.get())) {
      throw taken(there.get());
    }
    return there;
  }

  private static boolean asksForNothingElse(Service service, Fields given, Service there) {
    return service.algorithm().equals(there.algorithm())
        && (given.get("id") == null || service.id().equals(there.id()))
        && (there.isDefault()
            || given.get("service_name") == null
            || service.name().equals(there.name()));
  }

  /** The services for the same protocol and port, including itself. */
  private static Stream<Service> sameTraffic(CatalogSnapshot snapshot, Service service) {
    return snapshot.services().values().stream()
        .filter(other -> other.protocol() == service.protocol())
        .filter(other -> Objects.equals(other.port(), service.port()));
  }

  private static RejectedException taken(Service there) {
    String what =
        there.isDefault()
            ? "an entry without port is the default entry, which uses "
            : "service " + there.id() + " already covers that port, with ";
    return RejectedException.conflict(
        "port", what + there.algorithm().name() + "; change it with PUT services/" + there.id());
  }

  @Override
  boolean mayBeDeleted(Service service) {
    return !service.isDefault();
  }

  @Override
  void checkDelete(Service service) throws RejectedException {
    if (!mayBeDeleted(service)) {
      throw RejectedException.conflict(
          null, "the default entry cannot be deleted; change it with PUT services/default");
    }
  }
}
