/**
 * Preloaded (`deno run --preload`) into the service: its server ends by itself, half a second after it began to listen,
 * as one does whose listener the system takes away.
 */
const serve = Deno.serve;

function serveBriefly(...args: unknown[]): Deno.HttpServer {
  const server: Deno.HttpServer = Reflect.apply(serve, Deno, args);
  setTimeout(() => server.shutdown(), 500);
  return server;
}

Object.assign(Deno, { serve: serveBriefly });
