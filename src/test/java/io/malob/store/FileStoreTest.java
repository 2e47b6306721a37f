package io.malob.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract on the disk, and what is true of files only. */
class FileStoreTest extends StoreContract {
  private static final Document<Long> EXCLUSIVE = COUNTER.exclusive();
  private static final Document<Long> EDITED =
      Document.edited("edited", COUNTER.reader(), 100, FileStoreTest::mustBePrivate);

  @TempDir Path directory;

  /** What a listener was told. */
  private final List<String> told = new ArrayList<>();

  private static void mustBePrivate(Path file) throws IOException {
    if (Files.getPosixFilePermissions(file).size() > 2) {
      throw new IOException("open to others");
    }
  }

  @Override
  protected Store open() {
    return FileStore.inDirectory(directory, notifier);
  }

  /** A store as a controller has one after a start; its listeners are told at once. */
  private FileStore started() {
    return FileStore.inDirectory(directory, Runnable::run);
  }

  private Path path(String name) {
    return directory.resolve(name);
  }

  /** Writes it as commands do: beside it, and then in its place. */
  private void edit(String text) throws IOException {
    Files.writeString(path(".edited"), text);
    Files.setPosixFilePermissions(path(".edited"), PosixFilePermissions.fromString("rw-------"));
    Files.move(
        path(".edited"),
        path("edited.json"),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  private Revisioned<Long> watched(FileStore store) throws IOException {
    Revisioned<Long> read = store.read(EDITED);
    store.watch(
        EDITED,
        read,
        new Store.Listener<>() {
          @Override
          public void changed(Revisioned<Long> now) {
            told.add(now.revision() + ": " + now.content());
          }

          @Override
          public void unreadable(IOException why) {
            told.add(why.getMessage());
          }
        });
    return read;
  }

  @Test
  void document_isThereAfterARestart_withItsCopy_andGoneAfterItsDeletion() throws Exception {
    try (FileStore store = started()) {
      store.compareAndSet(COUNTER, store.read(COUNTER), Optional.of(3L));
    }
    assertEquals("{\"n\":3}", Files.readString(path("counter.json")));
    assertEquals("{\"n\":3}", Files.readString(path("counter.json.last-good")));
    try (FileStore store = started()) {
      Revisioned<Long> read = store.read(COUNTER);
      assertEquals(Optional.of(3L), read.content());
      assertTrue(store.compareAndSet(COUNTER, read, Optional.empty()).isDone());
    }
    assertFalse(Files.exists(path("counter.json")));
    assertEquals(Optional.empty(), started().read(COUNTER).content());
  }

  @Test
  void writeThatFails_leavesTheDocument_andItsRevision() throws Exception {
    FileStore store = started();
    Swap<Long> one = store.compareAndSet(COUNTER, store.read(COUNTER), Optional.of(1L));
    Files.createDirectory(path("counter.json.new"));
    assertThrows(IOException.class, () -> store.compareAndSet(COUNTER, one.now(), Optional.of(2L)));
    assertEquals(one.now(), store.read(COUNTER));
    Files.delete(path("counter.json.new"));
    assertTrue(store.compareAndSet(COUNTER, one.now(), Optional.of(2L)).isDone());
  }

  @Test
  void damagedDocument_isAnErrorEachTime_untilItIsRestored() throws Exception {
    Files.writeString(path("counter.json"), "{");
    FileStore store = started();
    assertThrows(IOException.class, () -> store.read(COUNTER));
    IOException e = assertThrows(IOException.class, () -> store.read(COUNTER));
    assertTrue(e.getMessage().startsWith(store.where(COUNTER) + " is damaged: line 1, "));
    Files.writeString(path("counter.json"), "{\"n\":4}");
    assertEquals(Optional.of(4L), store.read(COUNTER).content());
  }

  @Test
  void exclusiveDocument_isOneStoresAtATime() throws Exception {
    try (FileStore store = started()) {
      store.read(EXCLUSIVE);
      store.read(EXCLUSIVE);
      IOException e = assertThrows(IOException.class, () -> started().read(EXCLUSIVE));
      assertTrue(e.getMessage().startsWith("another controller uses the data directory "));
    }
    started().read(EXCLUSIVE);
  }

  @Test
  void directory_isMadeForWhatControllersWrite_only() throws Exception {
    Path made = path("new").resolve("data");
    FileStore store = FileStore.inDirectory(made, Runnable::run);
    store.read(EDITED);
    assertFalse(Files.exists(made));
    store.read(COUNTER);
    assertTrue(Files.isDirectory(made));
  }

  @Test
  void fileOfItsOwn_isUsedWhateverTheKey() throws Exception {
    Files.writeString(path("mine.txt"), "{\"n\":5}");
    FileStore store = FileStore.inFile(path("mine.txt"), Runnable::run);
    assertEquals(Optional.of(5L), store.read(COUNTER).content());
    assertEquals(path("mine.txt").toString(), store.where(COUNTER));
  }

  @Test
  void editedDocument_isReadAgain_onceForEachEdit() throws Exception {
    FileStore store = started();
    assertEquals(new Revisioned<>(0, Optional.empty()), watched(store));
    store.poll();
    edit("{\"n\":1}");
    store.poll();
    store.poll();
    edit("{\"n\":2}");
    store.poll();
    Files.delete(path("edited.json"));
    store.poll();
    store.poll();
    edit("{\"n\":2}");
    store.poll();
    assertEquals(
        List.of("1: Optional[1]", "2: Optional[2]", "3: Optional.empty", "4: Optional[2]"), told);
    assertEquals(Optional.of(2L), store.read(EDITED).content());
  }

  @Test
  void editThatCannotBeRead_isToldOnce_andChangesNothing() throws Exception {
    edit("{\"n\":1}");
    FileStore store = started();
    watched(store);
    edit("{\"n\":");
    store.poll();
    store.poll();
    assertEquals(1, told.size());
    assertTrue(told.get(0).startsWith(path("edited.json") + " is damaged: line 1, "), told.get(0));
    assertEquals(Optional.of(1L), store.read(EDITED).content());
    edit("{\"n\":1}" + " ".repeat(100));
    store.poll();
    assertEquals(path("edited.json") + " has more than 100 bytes", told.get(1));
    edit("{\"n\":2}");
    store.poll();
    assertEquals("2: Optional[2]", told.get(2));
  }

  /** Its time and size stay the same. */
  @Test
  void permissions_thatAreChanged_areLookedAt() throws Exception {
    edit("{\"n\":1}");
    FileStore store = started();
    watched(store);
    Files.setPosixFilePermissions(
        path("edited.json"), PosixFilePermissions.fromString("rw-r--r--"));
    store.poll();
    assertEquals(List.of("open to others"), told);
    assertThrows(IOException.class, () -> started().read(EDITED));
  }

  @Test
  void documentOfTheController_isNotReadAgain() throws Exception {
    FileStore store = started();
    Revisioned<Long> one = store.compareAndSet(COUNTER, store.read(COUNTER), Optional.of(1L)).now();
    Files.writeString(path("counter.json"), "{\"n\":9}");
    store.poll();
    assertEquals(one, store.read(COUNTER));
  }

  @Test
  void documentThatOthersEdit_isNotWritten() throws Exception {
    FileStore store = started();
    Revisioned<Long> read = store.read(EDITED);
    assertThrows(
        UnsupportedOperationException.class,
        () -> store.compareAndSet(EDITED, read, Optional.of(1L)));
    assertEquals(read, store.read(EDITED));
    assertFalse(Files.exists(path("edited.json")));
  }
}
