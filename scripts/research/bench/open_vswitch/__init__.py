"""`./malob bench open-vswitch`: new connections through a switch, by placements, OVN and plain forwarding, in pairs with the last."""
