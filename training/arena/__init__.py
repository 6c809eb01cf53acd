"""The arena: agents against agents over common deals, with intervals by deal."""
