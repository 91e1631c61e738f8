/** Who has access to a role: rights, ways, pages, filters, files, and what a caller may not learn. */
import assert from "node:assert/strict";
import { rights } from "../every_operation/request_catalogue.ts";
import { assertError, execute, MALFORMED, testApp, UNVERIFIED } from "../helpers/http.ts";
import { invite, Person } from "../helpers/person.ts";
import { START_MS } from "../helpers/test_app.ts";
import {
  ABOVE_BOILER,
  ABOVE_PLANT,
  type AccessBody,
  ADA,
  addKey,
  addPeople,
  ADMIN,
  BOB,
  peopleOf,
  type PersonAccess,
  readPages,
  type RoleAccess,
  SELF,
  setAccessScene,
} from "./access_scene.ts";

const MINUTE_MS = 60_000;

testApp("a role's access list has the members of it and of all roles above, with rights", async (target) => {
  const { admin, ada, ids, rootId, plantId, boilerId } = await setAccessScene(target);
  const list = await peopleOf(admin, boilerId);
  const both = rights("roleManagement", "userManagement");
  assert.deepEqual(list.access, [
    { userId: ids.admin, userEmail: ADMIN, rights: both, direct: false, through: [rootId], hidden: 0 },
    { userId: ids.ada, userEmail: ADA, rights: ABOVE_BOILER, direct: false, through: [plantId], hidden: 0 },
    { userId: ids.bob, userEmail: BOB, rights: SELF, direct: true, through: [], hidden: 0 },
  ]);
  assert.equal(list.revision, list.revisionEnd);

  // Ada does not see the root, and learns only that there is a role above hers.
  assert.deepEqual((await peopleOf(ada, boilerId)).access[0], { ...list.access[0], through: [], hidden: 1 });
  assert.deepEqual((await peopleOf(ada, plantId)).access.map(({ userEmail }) => userEmail), []);
  await admin.put(`/v1/role/${plantId}`, { name: "Plant", selfRights: rights("userManagement") });
  assert.deepEqual((await peopleOf(ada, plantId)).access, [
    { userId: ids.admin, userEmail: ADMIN, rights: ABOVE_PLANT, direct: false, through: [], hidden: 1 },
    { ...list.access[1], rights: rights("userManagement"), direct: true, through: [] },
  ]);
});

testApp("several memberships give the sum of their rights and the latest of their ends", async (target) => {
  const { admin, ids, rootId, plantId, boilerId } = await setAccessScene(target);
  const put = (roleId: number, body: object) => admin.put(`/v1/role/${roleId}/member?userEmail=${BOB}`, body);
  const bob = async () => (await peopleOf(admin, boilerId)).access.find(({ userEmail }) => userEmail === BOB);
  const at = (minutes: number): string => new Date(START_MS + minutes * MINUTE_MS).toISOString();

  await put(plantId, { rights: rights("alarmManagement"), until: at(1) });
  const direct = { userId: ids.bob, userEmail: BOB, direct: true, hidden: 0 };
  const added = { ...direct, rights: { ...SELF, alarmManagement: true }, through: [plantId] };
  assert.deepEqual(await bob(), added, "one of the memberships has no end");
  await put(boilerId, { until: at(2) });
  assert.deepEqual(await bob(), { ...added, until: at(2) });
  // No right gets through from the root, and it is a way all the same.
  await put(rootId, { rights: rights(), until: at(3) });
  assert.deepEqual(await bob(), { ...added, through: [rootId, plantId], until: at(3) });

  target.clock.advance(90);
  assert.deepEqual(await bob(), { ...direct, rights: SELF, through: [rootId], until: at(3) });
  target.clock.advance(60);
  const none = { ...direct, direct: false, rights: rights(), through: [rootId], until: at(3) };
  assert.deepEqual(await bob(), none);
  target.clock.advance(60);
  assert.equal(await bob(), undefined);
});

testApp("filters narrow the list to addresses and to holders of all given rights", async (target) => {
  const { admin, boilerId, plantId } = await setAccessScene(target);
  await addPeople(target, plantId, 3);
  const found = async (filter: object): Promise<unknown[]> =>
    (await peopleOf(admin, boilerId, { filter })).access.map(({ userEmail }) => userEmail);
  assert.deepEqual(await found({ userEmail: ["ADA@example.com", "nobody@example.com", BOB] }), [ADA, BOB]);
  assert.deepEqual(await found({ userEmail: [] }), []);
  assert.deepEqual(await found({ right: ["userManagement", "alarmManagement"] }), [
    ADA,
    ...[1, 2, 3].map((n) => `person${n}@example.net`),
  ]);
  assert.deepEqual(await found({ right: ["userManagement", "viewManagement"] }), []);
  assert.deepEqual(await found({ right: ["viewManagement"], userEmail: [ADA, BOB] }), [BOB]);
});

testApp("a role that the caller does not manage looks like an unknown one", async (target) => {
  const { admin, ada, bob, rootId, plantId, boilerId } = await setAccessScene(target);
  const stranger = await invite(target, admin, await admin.create(rootId, "Elsewhere"), "eve@example.com");
  await addPeople(target, boilerId, 30);
  const filters = [{ filter: { userEmail: [BOB] } }, { filter: { right: [] }, cursor: "3" }];
  for (const body of [{}, { limit: 10 }, ...filters]) {
    const ask = (who: typeof ada, roleId: number, headers = {}) =>
      who.ask("POST", `/v1/role/${roleId}/access/query`, body, { headers });
    const unknown = await ask(stranger, 999_999);
    assert.equal(unknown.status, 200);
    assert.deepEqual((unknown.body as { access: unknown }).access, []);
    const seen = [
      await ask(stranger, boilerId),
      await ask(stranger, rootId),
      // Bob is only a member; Ada sees nothing above her role.
      await ask(bob, boilerId),
      await ask(bob, plantId),
      await ask(ada, plantId),
      await ask(ada, rootId),
    ];
    for (const answer of seen) {
      assert.deepEqual([answer.status, answer.text], [unknown.status, unknown.text]);
    }
  }
  const file = async (roleId: number): Promise<string> => {
    const headers = { Accept: "text/csv" };
    return (await stranger.ask("POST", `/v1/role/${roleId}/access/query`, {}, { headers })).text;
  };
  assert.equal(await file(boilerId), await file(999_999));
});

testApp("the whole list is streamed and says whether the graph changed meanwhile", async (target) => {
  const { admin, plantId, boilerId } = await setAccessScene(target);
  await addPeople(target, plantId, 2400);
  await addKey(target, { keyId: 90_001, roleId: boilerId, name: "gate" });
  const path = `/v1/role/${boilerId}/access/query`;
  const list = await peopleOf(admin, boilerId);
  assert.equal(list.access.length, 2404);
  assert.deepEqual(list.access.at(-1)?.key, { id: 90_001, name: "gate" }, "keys come after people");
  assert.equal(list.revision, list.revisionEnd);
  const { access, pages } = await readPages<PersonAccess>(admin, path, {}, 1000);
  assert.deepEqual(access, list.access);
  assert.equal(pages, 3);

  const init = { method: "POST", headers: { Authorization: `Bearer ${admin.accessToken}` } };
  const response = await target.request(path, init);
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let text = decoder.decode((await reader.read()).value, { stream: true });
  await admin.put(`/v1/role/${boilerId}/member?userEmail=person1@example.net`);
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += decoder.decode(part.value, { stream: true });
  }
  const changed = JSON.parse(text);
  assert.equal(changed.access.length, 2404);
  assert.equal(changed.revision, list.revision);
  assert.equal(changed.revisionEnd, list.revision + 1);
});

testApp("an access review can be exported as a CSV file that is safe in spreadsheets", async (target) => {
  const { admin, rootId, plantId, boilerId } = await setAccessScene(target);
  const until = new Date(START_MS + MINUTE_MS).toISOString();
  await admin.put(`/v1/role/${plantId}/member?userEmail=%3D1%2B1@example.com`, { until });
  await admin.put(`/v1/role/${boilerId}/member?userEmail=o'neil@example.com`);
  await addKey(target, { keyId: 901, roleId: boilerId, name: '-cmd|"calc", now', mask: 4 });
  const path = `/v1/role/${boilerId}/access/query`;
  const answer = await admin.ask("POST", path, {}, { headers: { Accept: "text/csv" } });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("Content-Type"), "text/csv; charset=utf-8; header=present");
  assert.equal(answer.headers.get("Content-Disposition"), `attachment; filename="access-${boilerId}.csv"`);
  const revision = answer.headers.get("X-Rolegrid-Revision");
  assert.equal(
    answer.text,
    [
      "userEmail,keyId,keyName,roleManagement,userManagement,viewManagement,deviceManagement,reportManagement," +
      "alarmManagement,direct,through,throughNames,hidden,until,revision",
      `${ADMIN},,,true,true,false,false,false,false,false,${rootId},Energy Inc,0,,${revision}`,
      `${ADA},,,true,true,false,false,false,true,false,${plantId},Plant,0,,${revision}`,
      `${BOB},,,false,false,true,false,true,false,true,,,0,,${revision}`,
      `'=1+1@example.com,,,true,true,false,false,false,true,false,${plantId},Plant,0,${until},${revision}`,
      `o'neil@example.com,,,false,false,true,false,true,false,true,,,0,,${revision}`,
      `,901,"'-cmd|""calc"", now",false,false,true,false,false,false,true,,,0,,${revision}`,
      "",
    ].join("\r\n"),
  );
});

testApp("a client that prefers CSV gets the complete list as a file", async (target) => {
  const { admin, boilerId } = await setAccessScene(target);
  await addPeople(target, boilerId, 1200);
  const path = `/v1/role/${boilerId}/access/query`;
  const typeFor = async (accept: string): Promise<string | undefined> => {
    const answer = await admin.ask("POST", path, {}, { headers: { Accept: accept } });
    return answer.headers.get("Content-Type")?.split(";")[0];
  };
  for (const accept of ["text/csv", "text/csv, */*;q=0.1", "application/json;q=0.5, text/csv", "TEXT/CSV"]) {
    assert.equal(await typeFor(accept), "text/csv", accept);
  }
  const json = [
    "",
    "*/*",
    "application/json",
    "text/csv;q=0.5, application/json",
    "text/html",
    "text/csv;q=0",
  ];
  for (const accept of json) assert.equal(await typeFor(accept), "application/json", accept);

  const headers = { Accept: "text/csv" };
  assert.equal((await admin.ask("POST", path, {}, { headers })).text.split("\r\n").length, 1 + 1203 + 1);
  for (const body of [{ limit: 10 }, { cursor: "3" }]) {
    assertError(await admin.ask("POST", path, body, { headers }), 400, MALFORMED);
  }
});

testApp("a list breaks off when its session ends, and the log records it", async (target) => {
  const { admin, plantId, boilerId } = await setAccessScene(target);
  await addPeople(target, plantId, 3000);
  const path = `/v1/role/${boilerId}/access/query`;
  const init = { method: "POST", headers: { Authorization: `Bearer ${admin.accessToken}` } };
  const response = await target.request(path, init);
  const reader = response.body!.getReader();
  await reader.read();
  await execute(target, "UPDATE session SET ended_at = :now", { now: target.clock.now() });
  await assert.rejects(async () => {
    while (!(await reader.read()).done);
  });
  assert.ok(target.logLines.some((line) => line.includes("request.stream_failed")));
  assertError(await admin.ask("POST", path), 401, UNVERIFIED);
});

testApp("a key that may ask sees the lists of the roles it reaches; others see none", async (target) => {
  const { admin, rootId, plantId, boilerId } = await setAccessScene(target);
  const makeKey = async (asks: boolean): Promise<Person> => {
    const body = { name: "Gate", rights: rights(), asks };
    return new Person(target, (await admin.post<{ secret: string }>(`/v1/role/${plantId}/key`, body)).secret);
  };
  const [asking, other] = [await makeKey(true), await makeKey(false)];
  const { access } = await peopleOf(admin, boilerId);
  assert.equal(access.length, 5);
  // The key does not see the root.
  const seen = access.map((one) => one.userEmail === ADMIN ? { ...one, through: [], hidden: 1 } : one);
  assert.deepEqual((await peopleOf(asking, boilerId)).access, seen);
  assert.deepEqual((await peopleOf(asking, rootId)).access, []);
  assert.deepEqual((await peopleOf(other, boilerId)).access, []);
  const ofBob = await asking.post<AccessBody<RoleAccess>>("/v1/access/query", { userEmail: BOB });
  assert.deepEqual(ofBob.access.map(({ roleId }) => roleId), [boilerId]);
  const [keyId] = access.flatMap(({ key }) => key === undefined ? [] : [key.id]).slice(1);
  const own = await other.post<AccessBody<RoleAccess>>("/v1/access/query", { keyId });
  assert.deepEqual(own.access.map(({ roleId }) => roleId), [plantId, boilerId]);
  assert.deepEqual(
    (await other.post<AccessBody<RoleAccess>>("/v1/access/query", { userEmail: BOB })).access,
    [],
  );
});
