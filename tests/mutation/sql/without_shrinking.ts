import fc from "fast-check";

// Preloaded, because a failing random sequence is enough, and shrinking it takes a minute.
fc.configureGlobal({ endOnFailure: true });
