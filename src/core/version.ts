import project from "../../deno.json" with { type: "json" };

/** The version of the service, by semantic versioning. CHANGELOG.md says what each one changed. */
export const VERSION: string = project.version;
