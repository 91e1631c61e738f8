/**
 * Preloaded (`deno run --preload`) into the service: half a second after it starts to listen, its server ends
 * by itself, as if the system had closed its listener.
 */
const serve = Deno.serve;

function serveBriefly(...args: unknown[]): Deno.HttpServer {
  const server: Deno.HttpServer = Reflect.apply(serve, Deno, args);
  setTimeout(() => server.shutdown(), 500);
  return server;
}

Object.assign(Deno, { serve: serveBriefly });
