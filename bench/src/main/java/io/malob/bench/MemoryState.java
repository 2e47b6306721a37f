package io.malob.bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.malob.bench.process.HeapProbe;
import io.malob.bench.process.ProcessStatus;
import java.io.IOException;

/**
 * The memory and connections of a controller at one moment.
 *
 * @param heapMegabytes its live objects, after a full collection
 * @param residentMegabytes the memory of its process before that collection; NaN if not known
 * @param open connections that have rules
 * @param dormant connections that it remembers without rules
 */
record MemoryState(double heapMegabytes, double residentMegabytes, long open, long dormant) {

  static MemoryState of(ControllerProcess controller) throws IOException, InterruptedException {
    System.err.println("inspecting the heap");
    double resident = ProcessStatus.residentMegabytes(controller.pid()).orElse(Double.NaN);
    JsonNode counters = controller.client().counters();
    return new MemoryState(
        HeapProbe.liveMegabytes(controller.pid()),
        resident,
        counters.path("open_connections").asLong(),
        counters.path("dormant_connections").asLong());
  }

  /** Adds it to the figures of a benchmark. */
  void addTo(Figures figures, String key, String moment) {
    figures.add("heap_" + key, "heap after GC, " + moment, heapMegabytes, "MB");
    addRest(figures, key);
  }

  /** Adds it with a target for the heap. */
  void addTo(Figures figures, String key, String moment, double maxHeapMegabytes) {
    figures.addBelow(
        "heap_" + key, "heap after GC, " + moment, heapMegabytes, "MB", maxHeapMegabytes);
    addRest(figures, key);
  }

  private void addRest(Figures figures, String key) {
    figures.add("rss_" + key, "  RSS", residentMegabytes, "MB");
    figures.addCount("open_" + key, "  open connections", open);
    figures.addCount("dormant_" + key, "  dormant connections", dormant);
  }
}
