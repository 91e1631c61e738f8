/** The files of the project, by their paths from its root. */

export const ROOT = new URL("../../", import.meta.url);

/** The files in and below a folder, such as "src/". */
export function filesBelow(folder: string): string[] {
  return [...Deno.readDirSync(new URL(folder, ROOT))].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesBelow(`${folder}${name}/`) : [`${folder}${name}`]
  );
}

export function readText(path: string): string {
  return Deno.readTextFileSync(new URL(path, ROOT));
}
