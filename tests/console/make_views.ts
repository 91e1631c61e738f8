import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { rights } from "../every_operation/request_catalogue.ts";
import { execute } from "../helpers/http.ts";
import { invite, type Person } from "../helpers/person.ts";
import { activateTotp } from "../helpers/second_factors.ts";
import { type Console, endSessions, openSearch } from "./open_console.ts";

/** A view of the console, in a world that has something to show in it. */
export interface View {
  /** Below the console: `/role/12?tab=people`. */
  readonly path: string;
  /** A text that is there once the view is complete. */
  readonly shows: string | RegExp;
  /** Opens what has no address, or loses it. */
  readonly open?: (page: Page) => Promise<unknown>;
}

/** What one person sees, or who is not signed in. */
export interface Viewer {
  readonly userId: number | undefined;
  readonly views: readonly View[];
}

const DAY_MS = 86_400_000;
const LONG = "Kindertagesstättenverwaltungsgesellschaft am Ufer 1";
const WAITING = "kindertagesstaettenverwaltung@gesellschaft.example";
const EVA = "eva@example.com";
const VERA = "vera@example.com";

/**
 * Makes a hierarchy with people, keys, devices and measurements, and returns every view of the console: its pages, tabs,
 * forms, dialogs, what they say when there is nothing to show, and the steps of a sign-in.
 */
export async function makeViews(opened: Console): Promise<readonly Viewer[]> {
  const { admin, target, rootId } = opened;
  const countryId = await admin.create(rootId, LONG);
  const siteId = await admin.create(countryId, `${LONG}, Site`, rights("roleManagement", "viewManagement"));
  const houseId = await admin.create(countryId, "Kerkstraat 3");
  const emptyId = await admin.create(siteId, "Empty");
  const eva = await invite(target, admin, siteId, EVA);
  const until = new Date(Date.now() + 3 * DAY_MS).toISOString();
  await admin.put(`/v1/role/${countryId}/member?userEmail=${EVA}`, {
    until,
    rights: rights("viewManagement"),
  });
  await admin.put(`/v1/role/${countryId}/member?userEmail=${WAITING}`);
  await eva.create(siteId, "Shed");
  await admin.post(`/v1/role/${countryId}/key`, { name: "Gateway", rights: rights("viewManagement") });
  const ruben = await invite(target, admin, houseId, "ruben@example.com");
  const deviceId = await addMeasuredDevice(admin, houseId);
  const nobody = await target.createUser("nobody@example.com");
  const vera = await addDormant(opened);

  const [adaId, evaId, rubenId, veraId] = await Promise.all([admin, eva, ruben, vera].map(idOf));
  const relationId = await admin.relationIdOf(countryId, siteId);
  const memberId = await admin.memberIdOf(countryId, EVA);
  return [
    {
      userId: adaId,
      views: [
        ...ofRole(`/role/${countryId}`, { relationId, memberId }),
        { path: "/role/999999", shows: "There is no such role" },
        ...ofWhy(siteId),
        ...ofDevice(`/devices/${deviceId}`),
        { path: `/person/${evaId}`, shows: "Shed" },
        { path: `/person/${evaId}?do=end`, shows: "This ends" },
        { path: "/person/999999", shows: "There is no one here whom you may see" },
        { path: "/people", shows: WAITING },
        { path: "/people?list=left", shows: "ended in the last 90 days" },
        { path: "/changes", shows: "created key" },
        { path: "/changes?undo=2", shows: "Undo this change?" },
        { path: "/nothing", shows: "There is no such page" },
        ...ofFrame(emptyId),
        ...ofAccount(opened),
      ],
    },
    { userId: rubenId, views: [{ path: "/home", shows: "Who else can see this" }] },
    { userId: nobody.userId, views: [{ path: "/", shows: "You are not a member of any role" }] },
    {
      userId: veraId,
      views: [
        { path: "/", shows: "You have dormant memberships" },
        { path: "/account", shows: "Dormant: needs" },
        { path: "/devices", shows: "No device is monitored by your roles" },
      ],
    },
    { userId: undefined, views: ofSignIn() },
  ];
}

function ofRole(role: string, { relationId, memberId }: { relationId: number; memberId: number }): View[] {
  return [
    { path: role, shows: "Change name and rights" },
    { path: `${role}?tab=relations`, shows: "New role" },
    { path: `${role}?tab=people`, shows: WAITING },
    { path: `${role}?tab=people&list=access`, shows: "Key: Gateway" },
    { path: `${role}?tab=people&list=ending`, shows: EVA },
    { path: `${role}?tab=keys`, shows: "Gateway" },
    { path: `${role}?tab=keys&key=new`, shows: "Create the key" },
    { path: `${role}?tab=devices`, shows: "None here, 1 device below." },
    {
      path: `${role}?person=nobody`,
      shows: "is not an email address",
      open: (page) => page.getByRole("button", { name: "Rights of you" }).press("Enter"),
    },
    { path: `${role}?do=member&email=bo@example.com`, shows: "What this does" },
    { path: `${role}?do=member&member=${memberId}`, shows: "Change the membership" },
    { path: `${role}?do=members`, shows: "Email addresses" },
    {
      path: `${role}?do=relation&relation=${relationId}`,
      shows: /loses? view management/,
      open: (page) => page.getByRole("checkbox", { name: "view management" }).press("Space"),
    },
    { path: `${role}?do=password`, shows: "The role has no password." },
    { path: `${role}?do=create`, shows: "Name" },
    { path: `${role}?do=move`, shows: "What this does" },
    {
      path: `${role}?do=demand`,
      shows: "Your account has neither.",
      open: (page) => page.getByLabel("To act for the role, members need").selectOption("required"),
    },
    { path: `${role}?do=edit`, shows: "Save the changes" },
    { path: `${role}?do=delete`, shows: /Delete .* and/ },
    { path: `${role}?tab=devices&do=add-device`, shows: "Node ID" },
  ];
}

function ofWhy(siteId: number): View[] {
  const why = `/why?role=${siteId}&right=`;
  return [
    { path: "/why", shows: "Choose a role and a right" },
    { path: `${why}alarmManagement`, shows: "You do not have alarm management" },
    {
      path: `${why}viewManagement&person=nobody@example.com`,
      shows: "They are a member neither of it nor of a role above it.",
    },
    { path: "/why?role=999999&right=alarmManagement", shows: "There is no such role" },
  ];
}

function ofDevice(device: string): View[] {
  return [
    { path: "/devices", shows: "Heating" },
    {
      path: device,
      shows: "Each point stands for",
      open: (page) => page.getByText("Show as table").press("Enter"),
    },
    { path: `${device}?plots=each`, shows: "Each point stands for" },
    { path: `${device}?do=properties`, shows: "Save the properties" },
    { path: `${device}?do=hand-over`, shows: "Who takes over" },
    { path: "/devices/999999", shows: "There is no such device" },
  ];
}

/** What lies over or beside any page. */
function ofFrame(emptyId: number): View[] {
  return [
    { path: "/home", shows: "Shed", open: async (page) => await (await openSearch(page)).fill("hed") },
    { path: "/home", shows: "Find a role, person", open: (page) => page.keyboard.press("?") },
    { path: "/home", shows: "Sign out", open: (page) => page.getByLabel("Your account").press("Enter") },
    {
      path: `/role/${emptyId}?do=edit`,
      shows: "The role was changed.",
      open: async (page) => {
        await page.getByLabel("Name").fill("Emptier");
        await page.getByRole("button", { name: "Save the changes", disabled: false }).press("Enter");
      },
    },
  ];
}

function ofAccount({ target }: Console): View[] {
  return [
    { path: "/account", shows: "You sign in with your password alone." },
    { path: "/account?tab=profile", shows: "Language of this page" },
    { path: "/account?tab=sessions", shows: "this session" },
    { path: "/account?tab=log", shows: "What happened to your account" },
    { path: "/account/password", shows: "Old password" },
    {
      path: "/account/totp",
      shows: "Turn it on",
      open: async (page) => {
        await page.getByRole("button", { name: "Show the picture" }).press("Enter");
        await page.getByText("Cannot scan it?").press("Enter");
      },
    },
    { path: "/account/address", shows: "New" },
    { path: "/account/delete", shows: "you cannot leave" },
    {
      path: "/account/totp",
      shows: "Confirm that it is you",
      open: async (page) => {
        target.clock.advance(16 * 60);
        await page.getByRole("button", { name: "Show the picture" }).press("Enter");
      },
    },
    {
      path: "/",
      shows: "Your session has ended",
      open: async (page) => {
        await page.getByRole("heading", { name: "Energy Inc" }).waitFor();
        await endSessions(target);
        await page.getByRole("link", { name: "Devices" }).first().press("Enter");
      },
    },
  ];
}

function ofSignIn(): View[] {
  const begin = async (page: Page, password: string): Promise<void> => {
    await page.getByLabel("Email address").fill(VERA);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).press("Enter");
  };
  return [
    { path: "/", shows: "Sign in" },
    { path: "/", shows: "Address or password is wrong.", open: (page) => begin(page, "not that") },
    {
      path: "/",
      shows: "Send the link",
      open: (page) => page.getByRole("button", { name: "Forgot your password?" }).press("Enter"),
    },
    {
      path: "/",
      shows: "Second step",
      open: async (page) => {
        await page.getByRole("button", { name: "Back" }).press("Enter");
        await begin(page, `the first password of ${VERA}`);
      },
    },
    {
      path: "/",
      shows: "Recovery code",
      open: (page) => page.getByRole("button", { name: "Use a recovery code" }).press("Enter"),
    },
  ];
}

async function idOf(person: Person): Promise<number> {
  return (await person.get<{ id: number }>("/user")).id;
}

/** Adds a person with an authenticator app, whose only role demands one of every session. */
async function addDormant({ admin, target, rootId }: Console): Promise<Person> {
  const vaultId = await admin.create(rootId, "Vault");
  const vera = await invite(target, admin, vaultId, VERA);
  await activateTotp(target, vera.accessToken);
  await execute(target, "UPDATE role SET needs = 'required' WHERE id = :vaultId", { vaultId });
  return vera;
}

/** Adds a device with two lines in a plot, and returns its id. */
async function addMeasuredDevice(admin: Person, roleId: number): Promise<number> {
  const fields = ["in_C", "out_C"];
  const nodeInfluxSeries = [{ database: "plant", measurement: "heat", fields, names: { in_C: LONG } }];
  const { device } = await admin.post<{ device: { id: number } }>(`/v1/device?roleId=${roleId}`, {
    properties: { nodeId: "heating", name: "Heating", nodeInfluxSeries },
  });
  const now = Date.now();
  const points = Array.from({ length: 24 }, (_, i) => ({
    measurement: "heat",
    time: now - i * DAY_MS / 24,
    tags: { nodeId: "heating" },
    fields: { in_C: 55.25 + i, out_C: 31.5 },
  }));
  const answer = await admin.ask("POST", "/v1/telemetry?db=plant", points);
  assert.equal(answer.status, 204, answer.text);
  return device.id;
}
