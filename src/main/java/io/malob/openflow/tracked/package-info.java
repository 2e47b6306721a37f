/**
 * Open vSwitch's connection tracking in messages: the actions {@code ct} and {@code nat}, which
 * openflowj does not know, and matches on what they have found out. An action {@code ct} looks a
 * packet's connection up in a zone, which is a table of connections by number; may add it there
 * ({@code commit}) with a translation of its addresses ({@code nat}) and a mark; and may continue
 * in a table, whose rules match the connection's state. The byte layouts are those of {@code struct
 * nx_action_conntrack} and {@code struct nx_action_nat} in Open vSwitch's {@code
 * lib/ofp-actions.c}; they are the same in OpenFlow 1.3 to 1.5, but for the actions that write
 * parts of a mark.
 */
package io.malob.openflow.tracked;
