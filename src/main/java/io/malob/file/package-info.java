/** Reads state files, with errors that have their place. */
@NullMarked
package io.malob.file;

import org.jspecify.annotations.NullMarked;
