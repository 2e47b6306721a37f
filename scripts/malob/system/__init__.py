"""What commands do to the system: processes, namespaces, Open vSwitch, files, locks, clean-up, waiting."""
