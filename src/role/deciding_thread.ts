import { serveConnections } from "../db/thread/serve_connections.ts";
import { DECIDERS } from "./deciders.ts";

/** The program of the thread that writes to a database file: it also decides changes. */
serveConnections(DECIDERS);
