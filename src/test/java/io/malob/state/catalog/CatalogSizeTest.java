package io.malob.state.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.IPv4Address;

/** The sizes that docs/explanation/scale.md states for the catalog as one document of etcd. */
class CatalogSizeTest {
  /** etcd's limit for a request, less what surrounds a document. */
  private static final int LIMIT = 1536 * 1024 - 1024;

  @Test
  void memberTakes47Bytes_compressed() throws IOException {
    int members = 5_000;
    byte[] catalog = CatalogFormat.write(withMembers(members));
    assertEquals(302, catalog.length / (double) members, 10);
    ByteArrayOutputStream compressed = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(compressed)) {
      out.write(catalog);
    }
    double encoded = compressed.size() * 4 / 3.0 / members;
    assertEquals(47, encoded, 3);
    assertTrue(LIMIT / encoded > 31_000, "members that fit");
  }

  /** Members with random ids, 40 of each pool. */
  private static CatalogSnapshot withMembers(int count) {
    Random random = new Random(1);
    Map<String, Member> members = new LinkedHashMap<>();
    String pool = "";
    for (int number = 1; number <= count; number++) {
      if (number % 40 == 1) {
        pool = id(random);
      }
      String id = id(random);
      Member member =
          new Member(
              number,
              id,
              id,
              pool,
              IPv4Address.of(0x0a000000 + number),
              0,
              8080,
              1,
              false,
              null,
              AdminState.UP,
              null,
              null,
              Notes.NONE);
      members.put(member.id(), member);
    }
    return new CatalogSnapshot(CatalogTables.empty().with(Catalog.MEMBERS, members), null);
  }

  private static String id(Random random) {
    return new UUID(random.nextLong(), random.nextLong()).toString();
  }
}
