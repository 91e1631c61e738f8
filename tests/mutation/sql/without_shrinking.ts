import fc from "fast-check";

// Preloaded: that a random history fails is enough. To look for the shortest one that does takes a minute.
fc.configureGlobal({ endOnFailure: true });
