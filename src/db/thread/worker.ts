import { serveConnections } from "./serve_connections.ts";

/** The program of a thread with database connections. */
serveConnections();
