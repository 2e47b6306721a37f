package io.malob.state.catalog;

import io.malob.algorithm.Algorithm;
import io.malob.json.RejectedException;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** The rules for the services table. */
final class ServiceKind extends CatalogKind<Service> {
  private static final int LIMIT = 4096;

  private final Field<Service, String> name =
      field("service_name", Service::name, FieldFormat.NAME);
  private final Field<Service, Protocol> protocol =
      field("protocol", Service::protocol, FieldFormat.PROTOCOL);
  private final Field<Service, Integer> port = field("port", Service::port, FieldFormat.PORT);
  private final Field<Service, Algorithm> algorithm =
      required("algorithm", Service::algorithm, FieldFormat.ALGORITHM);

  ServiceKind() {
    super("service", "services", LIMIT, false);
  }

  @Override
  Service read(FieldReader<Service> fields) throws RejectedException {
    return new Service(
        fields.id(),
        fields.get(name, fields.id()),
        fields.find(protocol),
        fields.find(port),
        fields.get(algorithm));
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
    FieldFormat.checkPort(service.protocol(), service.port());
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

  /** An existing service with all given values counts as the new one. */
  @Override
  Optional<Service> alreadyThere(CatalogSnapshot snapshot, Service service, Fields given)
      throws RejectedException {
    if (service.port() == null) {
      checkDefault(service);
    } else {
      FieldFormat.checkPort(service.protocol(), service.port());
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
