/** Devices: lists, filters, forms, and what a page says of those that may not be changed or read. */
import assert from "node:assert/strict";
import { invite } from "../helpers/person.ts";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { addDevice, addMeter, recordReads, relationsOf } from "./device_scene.ts";
import { checkLooks, signIn, useConsole } from "./open_console.ts";

const { consoleTest } = useConsole();

consoleTest("devices are found by node ID, by number and by role", async (opened) => {
  const { page, admin, rootId, url } = opened;
  const siteId = await admin.create(rootId, "Site Groningen");
  for (let i = 1; i <= 30; i++) await addDevice(opened, rootId, { nodeId: `sensor-${i}` });
  const pumpId = await addDevice(opened, siteId, { nodeId: "pump-1", name: "Heat pump", nodeType: "pump" });
  await admin.put(`/v1/role/${rootId}/monitors?deviceId=${pumpId}`, {});
  await signIn(opened);
  await page.goto(`${url}/devices`);
  await page.getByRole("link", { name: "sensor-25" }).waitFor();
  assert.equal(await page.getByRole("link", { name: "Heat pump" }).count(), 0);
  await page.getByRole("button", { name: "Show more" }).click();
  await page.getByRole("link", { name: "Heat pump" }).waitFor();

  await page.getByRole("combobox", { name: "Monitored by the role" }).fill("site");
  await page.getByRole("option", { name: "Site Groningen" }).click();
  await page.getByText("Also monitored by").waitFor();
  assert.equal(await page.locator(".device-list .row-title").count(), 1);
  await page.reload();
  await page.getByText("Also monitored by").waitFor();
  assert.equal(
    await page.getByRole("combobox", { name: "Monitored by the role" }).inputValue(),
    "Site Groningen",
  );
  await page.getByRole("button", { name: "Show all" }).click();
  await page.getByLabel("Node ID, name or number").fill("sensor-7");
  await page.getByRole("button", { name: "Find", exact: true }).click();
  await page.getByRole("link", { name: "sensor-25" }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "sensor-7" }).waitFor();
  await page.getByLabel("Node ID, name or number").fill(String(pumpId));
  await page.getByLabel("Node ID, name or number").press("Enter");
  await page.getByRole("link", { name: "Heat pump" }).waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "sensor-7" }).waitFor();
  await page.getByLabel("Node ID, name or number").fill("nothing");
  await page.getByRole("button", { name: "Find", exact: true }).click();
  await page.getByText("No device that you may see matches.").waitFor();
  await page.getByLabel("Node ID, name or number").fill("EAT PU");
  await page.getByRole("button", { name: "Find", exact: true }).click();
  await page.getByRole("link", { name: "Heat pump" }).waitFor();
});

consoleTest("devices below a role are found by type and by any property", async (opened) => {
  const { page, admin, rootId, url } = opened;
  const regionId = await admin.create(rootId, "Region");
  const siteId = await admin.create(regionId, "Site Groningen");
  for (const [i, nodeType] of ["meter", "battery", "battery"].entries()) {
    await addDevice(opened, siteId, { nodeId: `device-${i}`, nodeType, maker: i === 2 ? "ACME" : "Other" });
  }
  await signIn(opened);
  await page.goto(`${url}/role/${regionId}?tab=devices`);
  await page.getByText("None here, 3 devices below.").waitFor();
  await page.getByRole("link", { name: "Show them" }).press("Enter");
  await page.getByRole("link", { name: "device-2" }).waitFor();
  assert.equal(await page.getByRole("listitem").getByRole("link", { name: "Site Groningen" }).count(), 3);
  await page.getByRole("link", { name: "battery", exact: true }).press("Enter");
  await page.getByRole("link", { name: "device-0" }).waitFor({ state: "detached" });
  await checkLooks(page, "role-devices");
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as CSV" }).click();
  const saved = await saving;
  assert.equal(saved.suggestedFilename(), `devices-${regionId}-below.csv`);
  const [header, ...lines] = (await Deno.readTextFile(await saved.path())).trim().split("\r\n");
  assert.match(
    header ?? "",
    /^deviceId,nodeId,externalId,roleIds,roleNames,lastUpdate,(nodeType,maker|maker,nodeType)$/,
  );
  assert.deepEqual(lines.map((line) => line.split(",").slice(1, 5)), [
    ["device-1", "", String(siteId), "Site Groningen"],
    ["device-2", "", String(siteId), "Site Groningen"],
  ]);
  await page.getByRole("link", { name: "Of this role" }).click();
  await page.getByText("None here, 2 devices below.").waitFor();

  await page.goto(`${url}/devices?role=${regionId}&below=1&type=battery`);
  await page.getByRole("link", { name: "device-1" }).waitFor();
  await page.getByText("Property").press("Enter");
  await page.getByLabel("Name", { exact: true }).fill("maker");
  await page.getByLabel("Its text").fill("ACME");
  await page.getByLabel("Its text").press("Enter");
  await page.getByRole("link", { name: "device-1" }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "device-2" }).waitFor();
  await page.getByLabel("Name", { exact: true }).fill('a"b');
  await page.getByText('Without " and').waitFor();
});

consoleTest("a device is added, changed, read by another role for a while, and detached", async (opened) => {
  const { page, target, admin, rootId, url } = opened;
  const siteId = await admin.create(rootId, "Site");
  const guestId = await admin.create(rootId, "Guest");
  await signIn(opened);
  await page.goto(`${url}/role/${siteId}?tab=devices`);
  await page.getByRole("link", { name: "Add a device" }).press("Enter");
  await page.getByLabel("Node ID").fill("pump-1");
  await page.getByRole("group", { name: "name" }).getByLabel("Value").fill("Heat pump");
  await page.getByRole("button", { name: "Add the device" }).press("Enter");
  await page.getByText(/^.Heat pump. was added\.$/).waitFor();
  await page.getByRole("link", { name: "Heat pump" }).click();

  const properties = async (): Promise<Record<string, unknown>> => {
    const body = { filter: { nodeId: ["pump-1"] } };
    const { device } = await admin.post<{ device: { id: number; properties: Record<string, unknown> }[] }>(
      "/v1/device/query",
      body,
    );
    return device[0]?.properties ?? {};
  };
  await page.getByRole("heading", { name: "Heat pump" }).waitFor();
  const id = Number(page.url().split("/").at(-1));
  await admin.put(`/v1/device/${id}`, { properties: { size: 5, list: [1], old: "x" } });
  await page.reload();
  await page.getByRole("link", { name: "Change properties" }).press("Enter");
  await page.getByLabel("size", { exact: true }).fill("five");
  await page.getByText("This is not a number.").waitFor();
  await page.getByLabel("size", { exact: true }).fill("6.5");
  await page.getByRole("button", { name: "Another property" }).press("Enter");
  await page.getByLabel("Name", { exact: true }).fill("isOn");
  await page.getByLabel("Kind").selectOption("Yes or no");
  // Meanwhile, another user changes it.
  target.clock.advance(2);
  const theirs = { nodeId: "pump-1", maker: "ACME", name: "Heat pump", size: 5, list: [1], old: "x" };
  await admin.put(`/v1/device/${id}?mode=replace`, { properties: theirs });
  const save = page.getByRole("button", { name: "Save the properties" });
  const size = page.getByLabel("size", { exact: true });
  await size.press("Enter");
  await page.getByText("Another user changed the device meanwhile.").waitFor();
  assert.equal(await page.getByLabel("maker", { exact: true }).inputValue(), "ACME");
  // A property added before it takes neither its focus nor its text.
  await size.and(page.locator(":focus")).waitFor();
  assert.equal(await size.inputValue(), "6.5");
  await save.press("Enter");
  await page.getByText("The properties were changed.").waitFor();
  const kept = { nodeId: "pump-1", name: "Heat pump", size: 6.5, list: [1], maker: "ACME", isOn: true };
  assert.deepEqual(await properties(), { ...kept, old: "x" });
  // The form begins with what the page shows.
  await page.getByText("6.5", { exact: true }).first().waitFor();
  await page.getByRole("link", { name: "Change properties" }).click();
  await page.getByRole("button", { name: /^Remove .old.$/ }).click();
  await save.click();
  await page.getByText("The properties were changed.").waitFor();
  await page.getByRole("heading", { name: /^Properties of/ }).waitFor({ state: "detached" });
  assert.deepEqual(await properties(), kept);

  await page.getByRole("link", { name: "Let another role read it" }).press("Enter");
  const role = page.getByRole("combobox", { name: "Role", exact: true });
  await role.fill("guest");
  await role.press("Enter");
  await page.getByText("Guest reads what is measured at any time.").waitFor();
  await page.getByRole("group", { name: "Until" }).getByRole("button", { name: "Start of tomorrow" }).click();
  await page.getByText(/Guest reads what is measured until /).waitFor();
  await page.getByRole("button", { name: "Let it read" }).press("Enter");
  await page.getByText(/^.Guest. reads the device\.$/).waitFor();
  await page.getByRole("link", { name: /^Period of .Guest.$/ }).press("Enter");
  await checkLooks(page, "device-period");
  await page.getByRole("group", { name: "Until" }).getByRole("button", { name: "None" }).click();
  await page.getByRole("button", { name: "Change the period" }).click();
  await page.getByText("The period was changed.").waitFor();
  await page.getByRole("link", { name: /^Period of .Guest.$/ }).click();
  await page.getByRole("link", { name: "Detach it instead" }).click();
  await page.getByText("Guest no longer sees the device").waitFor();
  await page.getByRole("button", { name: "Detach", exact: true }).click();
  await page.getByText("The device was detached.").waitFor();
  assert.deepEqual((await relationsOf(opened, id)).map(({ roleId }) => roleId), [siteId]);
  assert.notEqual(guestId, siteId);
  await page.getByRole("link", { name: /^Period of .Site.$/ }).click();
  await page.getByRole("link", { name: "Detach it instead" }).click();
  await page.getByText("No other role has it: the device is deleted").waitFor();
  await page.getByRole("button", { name: "Delete the device" }).press("Enter");
  await page.getByText("The device was deleted.").waitFor();
  await page.getByText("This role monitors no devices.").waitFor();
  assert.ok(page.url().startsWith(`${url}/devices?role=${siteId}`));
});

consoleTest("hostile properties are shown as text", async (opened) => {
  const { page, rootId, url } = opened;
  const img = "<img src=x onerror=alert(1)>";
  const id = await addDevice(opened, rootId, {
    nodeId: `\u202e${img}`,
    name: "🦉".repeat(256),
    nodeType: '"><script>alert(1)</script>',
    [img]: { deep: [{ deeper: img }, []], yes: true, nothing: null, size: 1.23456789 },
    long: "W".repeat(8000),
    nodeInfluxSeries: [
      null,
      { database: 5 },
      { database: "d", measurement: "m", fields: "f" },
      { database: img, measurement: `m"; DROP`, fields: [img], tags: { nodeId: "somebody else's" } },
    ],
  });
  await signIn(opened);
  await page.goto(`${url}/devices`);
  await page.getByText(`\u202e${img}`).waitFor();
  await checkLooks(page, "devices-hostile");
  const reads = recordReads(opened);
  await page.goto(`${url}/devices/${id}`);
  await page.getByText("Nothing has been measured yet, or it is no longer kept.").waitFor();
  // A device cannot show what another one measured.
  assert.deepEqual(reads[0]?.[0]?.tags, new Map([["nodeId", `\u202e${img}`]]));
  await page.getByText("3 entries of nodeInfluxSeries cannot be shown").waitFor();
  await page.getByText("1.23456789").waitFor();
  await page.getByText("8,000 characters").waitFor();
  await checkLooks(page, "device-hostile");
  await page.setViewportSize({ width: 390, height: 844 });
  assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 390);
  assert.equal(await page.locator("main img, main script").count(), 0);
});

consoleTest("a member who may only read is told so, as is one who may no longer read", async (opened) => {
  const { page, target, admin, rootId, url } = opened;
  const siteId = await admin.create(rootId, "Site", ALL, rights("viewManagement"));
  const meterId = await addMeter(opened);
  await admin.put(`/v1/role/${siteId}/monitors?deviceId=${meterId}`, {});
  const otherId = await addDevice(opened, rootId, { nodeId: "other" });
  await invite(target, admin, siteId, "bo@example.com");
  await signIn(opened, "bo@example.com", "the first password of bo@example.com");
  await page.goto(`${url}/devices/${otherId}`);
  await page.getByRole("heading", { name: "There is no such device" }).waitFor();
  await page.getByRole("link", { name: "All devices" }).click();
  await page.getByRole("link", { name: "House meter" }).click();
  await page.getByText("To change it, you need device management on a role that monitors it").waitFor();
  await page.getByRole("img", { name: /power_W/ }).waitFor();
  assert.equal(await page.getByRole("link", { name: "Energy Inc" }).count(), 0);
  const { monitors } = await admin.post<{ monitors: { id: number }[] }>(
    `/v1/role/${siteId}/monitors/query`,
  );
  await admin.delete(`/v1/role/${siteId}/monitors/${monitors[0]?.id}`);
  await page.getByRole("button", { name: "Closer" }).click();
  await page.getByText("You may not read these measurements").first().waitFor();
});
