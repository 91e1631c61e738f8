import { backup, DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { TestApp } from "../helpers/test_app.ts";
import { catalogue, type CatalogueRequest, requestOf, type Scene, setScene } from "./request_catalogue.ts";

/**
 * Sets the scene. The returned function brings it back, whatever has changed since: in a file by copying it back, which
 * takes a fraction of the time of setting it; on a server by setting it anew.
 */
export async function keepScene(target: TestApp): Promise<() => Promise<Scene>> {
  const scene = await setScene(target);
  if (!target.url.startsWith("file:")) {
    return async () => {
      await target.reset();
      return await setScene(target);
    };
  }
  const path = fileURLToPath(target.url);
  const kept = `${path}.kept`;
  await copyDatabase(path, kept);
  return async () => {
    await copyDatabase(kept, path);
    return scene;
  };
}

/** Every request of the catalogue, each in the scene as it was set. */
export async function* eachInItsScene(
  target: TestApp,
): AsyncGenerator<{ readonly scene: Scene; readonly request: CatalogueRequest }> {
  const bringBack = await keepScene(target);
  for (const { route } of catalogue(await bringBack())) {
    const scene = await bringBack();
    yield { scene, request: requestOf(scene, route) };
  }
}

async function copyDatabase(from: string, to: string): Promise<void> {
  using source = new DatabaseSync(from, { readOnly: true });
  await backup(source, to);
}
