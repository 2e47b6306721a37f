/**
 * Data that must survive a restart: documents under keys, with revisions, watches and
 * compare-and-set. In files or in memory; another store is another implementation of {@link
 * io.malob.store.Store}. May use the packages for state files and JSON.
 */
@NullMarked
package io.malob.store;

import org.jspecify.annotations.NullMarked;
