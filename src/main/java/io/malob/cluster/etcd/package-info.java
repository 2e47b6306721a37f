/** The connection to etcd. */
@NullMarked
package io.malob.cluster.etcd;

import org.jspecify.annotations.NullMarked;
