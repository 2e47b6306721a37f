package io.malob;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.testing.JacksonTranscript;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Whether what the jar for real Floodlight reads and writes is the same with Floodlight's Jackson
 * as with ours. The build puts the jar's classes and Floodlight's libraries into target/ before.
 */
class FloodlightJacksonTest {
  private static final Path TARGET = Path.of("target");

  @Test
  void floodlightsJackson_readsWritesAndRefusesTheSameAsOurs() throws Exception {
    List<String> ours = new JacksonTranscript().call();
    List<String> floodlights = withFloodlightsLibraries();

    assertTrue(floodlights.get(0).startsWith("2.11."), floodlights.get(0));
    assertTrue(ours.get(0).startsWith("2.") && !ours.get(0).startsWith("2.11."), ours.get(0));
    assertEquals(ours.size(), floodlights.size());
    for (int i = 1; i < ours.size(); i++) {
      assertEquals(ours.get(i), floodlights.get(i));
    }
    assertTrue(ours.stream().filter(line -> line.contains("not valid JSON")).count() > 1_000);
    assertTrue(ours.stream().filter(line -> line.contains(" must be ")).count() > 10);
  }

  private static List<String> withFloodlightsLibraries() throws Exception {
    List<URL> places = new ArrayList<>();
    try (Stream<Path> libraries = Files.list(TARGET.resolve("floodlight-class-path"))) {
      for (Path library : libraries.toList()) {
        places.add(library.toUri().toURL());
      }
    }
    places.add(TARGET.resolve("floodlight-module").toUri().toURL());
    places.add(TARGET.resolve("test-classes").toUri().toURL());
    try (URLClassLoader loader =
        new URLClassLoader(places.toArray(new URL[0]), ClassLoader.getPlatformClassLoader())) {
      Callable<?> transcript =
          (Callable<?>)
              loader
                  .loadClass(JacksonTranscript.class.getName())
                  .getDeclaredConstructor()
                  .newInstance();
      List<String> lines = new ArrayList<>();
      for (Object line : (List<?>) transcript.call()) {
        lines.add((String) line);
      }
      return lines;
    }
  }
}
