import { expect, it } from "vitest";
import { asking, openApi, talk } from "../support/http-api.ts";
import { api } from "../../src/adapters/http.ts";

const LONG = "The committee went through the minutes, line by line. ".repeat(300);
const NOTHING = { code: "not-found", message: "There is no such thing here." };

it("saves, lists, finds, changes, ends, brings back, moves and deletes memories", async () => {
  const { ask, as } = await openApi();
  const given = { content: "Invoices are in euro.", key: "currency", category: "decision" };
  const made = await ask("POST /memories", given);
  expect(made).toMatchObject({ status: 201, tag: '"1"', body: { ...given, scope: "user:ada" } });
  const { id } = made.body;
  expect((await ask("GET /memories?text=invoi&category=decision")).body.items).toMatchObject([
    { id },
  ]);
  expect((await ask("GET /categories")).body.items).toContainEqual({
    name: "decision",
    memories: 1,
  });
  for (const place of ["/search", "/recall"]) {
    const { body } = await ask(`POST ${place}`, { query: "which currency are invoices in?" });
    expect(body.items[0]).toMatchObject({ content: given.content, memory: { id } });
  }
  const brief = await ask("POST /brief", { query: "write an invoice", format: "snippets" });
  expect(brief.body.text).toContain("Invoices are in euro.");

  const change = { content: "Invoices are in francs." };
  const old = await ask(`PATCH /memories/${id}`, change, { "if-match": '"7"' });
  expect(old).toMatchObject({
    status: 412,
    body: { error: { code: "precondition" }, current: { id, content: given.content } },
  });
  const changed = await ask(`PATCH /memories/${id}`, change, { "if-match": made.tag });
  expect(changed).toMatchObject({ status: 200, tag: '"2"', body: change });
  expect((await ask(`DELETE /memories/${id}`, undefined, { "if-match": made.tag })).status).toBe(
    412,
  );
  expect((await ask(`POST /memories/${id}/end`, {}, { "if-match": made.tag })).status).toBe(412);
  const { values } = (await ask(`GET /memories/${id}/past`)).body;
  const contents = values.map(({ memory }: { memory: { content: string } }) => memory.content);
  expect(contents.sort()).toEqual([given.content, change.content]);
  expect((await ask(`POST /memories/${id}/end`)).status).toBe(200);
  expect((await ask("GET /memories?text=francs")).body.items).toEqual([]);
  expect((await ask(`POST /memories/${id}/undo`)).body).toMatchObject({ id, ...change });
  const moved = await as("boss")(`POST /memories/${id}/promote`, { to: "agent:default" });
  expect(moved.body).toMatchObject({ id, scope: "agent:default" });
  expect((await ask(`DELETE /memories/${id}`)).status).toBe(403);
  expect((await as("boss")(`DELETE /memories/${id}`)).body).toEqual({});
  expect((await ask(`GET /memories/${id}`)).body.error).toEqual(NOTHING);
});

it("shows conversations, their turns and messages behind folds, folds them and undoes that", async () => {
  const { tidemark, ask } = await openApi({ window: 40_000 });
  const ada = tidemark.as({ user: "ada" });
  await talk(ada, "desk", "My cat is called Moss.", LONG, LONG, "And what is my cat called?");
  await talk(ada, "chair", "Hello.");
  const { body: first } = await ask("GET /conversations?limit=1");
  const { body: rest } = await ask(`GET /conversations?after=${first.after}`);
  expect([...first.items, ...rest.items].map(({ label }) => label)).toEqual(["chair", "desk"]);
  const { id, messages, last } = rest.items[0];
  expect(last).toMatchObject({ conversation: id, mark: expect.any(String) });
  expect((await ask(`GET /conversations/${id}`)).body).toMatchObject({ id, messages });
  const folded = await ask(`POST /conversations/${id}/fold`);
  expect(folded.body).toMatchObject({ id: expect.any(String) });
  const { id: fold } = folded.body;
  const page = await ask(`GET /conversations/${id}/messages?from=0&limit=2`);
  expect(page.body).toMatchObject({ total: messages, folds: [{ id: fold }] });
  expect(page.body.items).toMatchObject([
    { position: 0, role: "user", message: { content: "My cat is called Moss." } },
    { position: 1, role: "assistant" },
  ]);
  expect((await ask("GET /folds")).body.items).toMatchObject([{ id: fold, conversation: id }]);
  expect((await ask(`GET /folds/${fold}`)).body).toMatchObject({ fold: { id: fold } });
  expect((await ask(`GET /folds/${fold}/messages`)).body.items[0].message.content).toBe(
    "My cat is called Moss.",
  );
  expect((await ask(`POST /folds/${fold}/undo`)).body.folds).toEqual([fold]);
  expect(await ask(`POST /folds/${fold}/undo`)).toMatchObject({
    status: 409,
    body: { error: { message: "This fold was undone before: its messages are back already." } },
  });
  const prompt = await ask("GET /prompt");
  expect(prompt.body).toMatchObject({ text: expect.any(String), sections: expect.any(Array) });
  expect(prompt.body.told).toEqual(expect.any(Array));
  const pin = await ask("POST /pins", { text: "Never on Friday.", conversation: id });
  expect(pin.status).toBe(201);
  expect((await ask(`GET /pins?conversation=${id}`)).body.items).toMatchObject([pin.body]);
  expect((await ask(`DELETE /pins/${pin.body.id}`)).status).toBe(200);
  expect((await ask(`DELETE /pins/${pin.body.id}`)).body.error).toEqual(NOTHING);
  expect((await ask("GET /stats?by=conversation")).body.turns).toHaveLength(2);
  expect((await ask(`DELETE /conversations/${id}`)).body).toEqual({});
  expect((await ask(`GET /conversations/${id}/messages`)).status).toBe(404);
});

it("keeps turns in the order they ended in where the clock runs back, and answers all calls", async () => {
  let now = Date.UTC(2026, 4, 9, 12);
  const { tidemark, ask } = await openApi({ now: () => (now -= 3_600_000) });
  await talk(tidemark.as({ user: "ada" }), "desk", "My cat is called Moss.", "And mine?", "Well?");
  const [{ id, last }] = (await ask("GET /conversations")).body.items;
  const { items } = (await ask(`GET /conversations/${id}/turns`)).body;
  const times = items.map(({ at }: { at: number }) => at);
  expect(times).toHaveLength(3);
  expect(times).toEqual(times.toSorted());
  expect(last.id).toBe(items[0].id);
  for (const place of [
    "stats?by=day&since=2026-05-01T00:00Z",
    "health",
    "memories",
    "prompt",
    "folds",
  ])
    expect([place, (await ask(`GET /${place}`)).status]).toEqual([place, 200]);
});

it("cuts a message of a million lines where that is asked for, and gives it whole", async () => {
  const { tidemark, ask } = await openApi();
  const text = "a line\n".repeat(1_000_000);
  const messages = [{ role: "user", text: "Print the log." }, ...[{ role: "assistant", text }]];
  await tidemark.as({ user: "ada" }).history.import({ id: "log", messages, learn: false });
  const path = "GET /conversations/log/messages?from=0";
  const { items } = (await ask(`${path}&cut=100`)).body;
  expect(items[0]).not.toHaveProperty("left");
  expect(items[1].left).toBe(text.length - 100);
  expect(JSON.stringify(items).length).toBeLessThan(1_000);
  const whole = (await ask("GET /conversations/log/messages?from=1&limit=1")).body;
  expect(JSON.stringify(whole.items[0].message)).toContain(JSON.stringify(text).slice(1, -1));
});

it("keeps records, notes, files, tasks and proposals", async () => {
  const { tidemark, ask, as } = await openApi();
  const record = await ask("POST /records", { category: "procedure", content: "# Rollback\nTag." });
  const { id } = record.body;
  expect(record.status).toBe(201);
  expect((await ask(`PATCH /records/${id}`, { keywords: ["release"] })).body.keywords).toEqual([
    "release",
  ]);
  expect((await ask(`POST /records/${id}/reclassify`, { category: "decision" })).status).toBe(200);
  await ask(`POST /records/${id}/archive`);
  expect((await ask("GET /records")).body.items).toEqual([]);
  expect((await ask("GET /records?archived=true")).body.items).toMatchObject([{ id }]);
  await ask(`POST /records/${id}/restore`);
  expect((await ask(`GET /records/${id}`)).body).toMatchObject({ id, category: "decision" });
  expect((await ask(`DELETE /records/${id}`)).status).toBe(200);

  expect((await ask("PUT /notes/ideas/cats.md", { text: "Boxes." })).status).toBe(200);
  const note = await ask("GET /notes/ideas/cats.md");
  expect(note.body).toMatchObject({ name: "ideas/cats.md", text: "Boxes." });
  expect(
    (await ask("PUT /notes/ideas/cats.md", { text: "No." }, { "if-match": '"x"' })).body,
  ).toMatchObject({
    current: { text: "Boxes." },
  });
  const match = { "if-match": note.tag };
  expect((await ask("PUT /notes/ideas/cats.md", { text: "More boxes." }, match)).status).toBe(200);
  expect((await ask("GET /notes?scope=user:ada")).body.items).toMatchObject([
    { name: "ideas/cats.md" },
  ]);
  expect((await ask("DELETE /notes/ideas/cats.md")).status).toBe(200);

  await ask("POST /memories", { content: "Invoices are in euro." });
  const path = "scopes/user/ada/MEMORY.md";
  const file = await ask(`GET /files/${path}`);
  const [[from]] = file.body.learnt;
  expect(file.body.text.split("\n")[from - 1]).toContain("Invoices are in euro.");
  const own = { text: "Call me Ada.\n" };
  const written = await ask("PUT /files/scopes/user/ada/USER.md", own);
  expect(written.body).toMatchObject({ ...own, scope: "user:ada", learnt: [] });
  const stale = await ask(
    "PUT /files/scopes/user/ada/USER.md",
    { text: "" },
    { "if-match": '"x"' },
  );
  expect(stale).toMatchObject({ status: 412, body: { current: own } });
  const paths = (await ask("GET /files?scope=user:ada&limit=200")).body.items.map(
    ({ path: one }: { path: string }) => one,
  );
  expect(paths).toEqual(expect.arrayContaining([path, "scopes/user/ada/USER.md"]));
  expect((await ask("PUT /files/notes/USER.md", own)).status).toBe(404);
  expect((await ask("PUT /files/scopes/user/bob/USER.md", own)).body.error).toEqual(NOTHING);

  const task = await ask("POST /tasks", { description: "Move the billing service." });
  expect(task.body).toEqual({ id: expect.any(String), brief: expect.anything() });
  expect((await ask(`POST /tasks/${task.body.id}/notes`, { text: "Half way." })).status).toBe(200);
  expect((await as("bob")(`POST /tasks/${task.body.id}/done`)).body.error).toEqual(NOTHING);
  expect((await ask(`POST /tasks/${task.body.id}/done`, { result: "Moved." })).body).toEqual({
    ended: true,
  });
  expect((await ask(`POST /tasks/${task.body.id}/failed`, { error: "x" })).status).toBe(404);

  const agent = tidemark.as({ user: "ada", team: "crew" });
  const { proposal } = await agent.memory.promote(
    (await agent.memory.save("Tests run before a push.")).id,
    { to: "team:crew" },
  );
  const crew = api(tidemark, { identify: () => ({ user: "ada", team: "crew", role: "human" }) });
  const { body } = await asking(crew)("GET /proposals");
  expect(body.items).toMatchObject([{ id: proposal, words: "Tests run before a push." }]);
  expect((await asking(crew)(`POST /proposals/${proposal}/accept`, { words: "else" })).status).toBe(
    409,
  );
  const { digest } = body.items[0];
  expect((await asking(crew)(`POST /proposals/${proposal}/accept`, { digest })).status).toBe(200);
  expect((await asking(crew)(`POST /proposals/${proposal}/decline`)).body.error).toEqual(NOTHING);
});

it("shows users to a host alone: what there is, what would go, and takes it away", async () => {
  const { ask, as } = await openApi();
  const boss = as("boss");
  await ask("POST /memories", { content: "Ada likes tea." });
  await as("bob")("POST /memories", { content: "Bob likes coffee." });
  for (const place of ["GET /users", "GET /users/ada/export", "DELETE /users/ada"])
    expect((await ask(place)).body.error.code).toBe("forbidden");
  const users = (await boss("GET /users")).body.items.map(({ user }: { user: string }) => user);
  expect(users.sort()).toEqual(["ada", "bob"]);
  const { body: lines } = await boss("GET /users/bob/export");
  expect(lines).toContain("Bob likes coffee.");
  expect(lines).not.toContain("Ada likes tea.");
  expect((await boss("GET /users/bob/forget")).body).toMatchObject({ memories: 1 });
  expect((await boss("DELETE /users/bob")).body).toMatchObject({ memories: 1 });
  expect((await as("bob")("GET /memories")).body.items).toEqual([]);
  expect((await ask("GET /health")).body).toMatchObject({ ok: true });
  expect((await ask("GET /whoami")).body).toMatchObject({
    ...{ identity: { user: "ada" }, write: true, host: false },
    scopes: ["agent:default", "user:ada"],
  });
});

it("refuses in one sentence what cannot be meant or is not allowed", async () => {
  const { ask, as, handle } = await openApi();
  const wrong = async (...asked: Parameters<typeof ask>) => {
    const { status, body } = await ask(...asked);
    expect(Object.keys(body.error)).toEqual(["code", "message"]);
    expect(body.error.message).toMatch(/^[^\n]{5,300}[.?]$/);
    return [status, body.error.code];
  };
  for (const query of ["limit=0", "after=made-up", "colour=blue"])
    expect(await wrong(`GET /memories?${query}`)).toEqual([400, "config"]);
  for (const body of ["{ no json", { content: 7 }, { text: "x" }])
    expect(await wrong("POST /memories", body)).toEqual([400, "config"]);
  expect(await wrong("POST /memories", { content: "x".repeat(1_000_001) })).toEqual([
    413,
    "too-large",
  ]);
  // What all users share is not one user's to change.
  for (const [place, body] of [
    ["POST /memories", { content: "x", scope: "user:bob" }],
    ["POST /memories", { content: "x", scope: "agent:default" }],
    ["PUT /notes/a.md", { text: "x", scope: "agent:default" }],
    ["PUT /files/AGENTS.md", { text: "x" }],
  ] as const)
    expect(await wrong(place, body)).toEqual([403, "scope-denied"]);
  expect(await wrong("GET /nowhere")).toEqual([404, "not-found"]);
  expect(await wrong("GET /events", undefined, { "last-event-id": "x" })).toEqual([400, "config"]);
  expect((await as("nobody")("GET /memories")).status).toBe(401);
  for (const place of ["POST /memories", "PUT /notes/a.md", "POST /folds/x/undo", "DELETE /pins/x"])
    expect(await as("reader")(place)).toMatchObject({ status: 403 });
  expect((await as("reader")("POST /search", { query: "x" })).status).toBe(200);
  // Slices of a body without a length count, too.
  const slices = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(300_000).fill(32)),
  });
  const sliced = {
    method: "POST",
    body: slices,
    duplex: "half",
    headers: { authorization: "Bearer ada" },
  };
  const at = "http://127.0.0.1/api/v1/memories";
  expect((await handle(new Request(at, sliced as RequestInit))).status).toBe(413);
});

it("shows one user nothing of another's, nor that it is there", async () => {
  const { tidemark, ask, as } = await openApi({ window: 40_000 });
  const ada = tidemark.as({ user: "ada" });
  await talk(ada, "zwiebel-desk", "The zwiebel is mine.", LONG, "And the zwiebel?");
  const { body: memory } = await ask("POST /memories", { content: "The zwiebel is red." });
  const { body: record } = await ask("POST /records", { category: "decision", content: "zwiebel" });
  const { body: fold } = await ask("POST /conversations/zwiebel-desk/fold");
  await ask("PUT /notes/zwiebel.md", { text: "zwiebel" });
  const { body: pin } = await ask("POST /pins", { text: "zwiebel" });
  const [{ id }] = (await ask("GET /conversations")).body.items;
  const bob = as("bob");
  const named = (one: string): string[] => [
    ...["", "/past"].map((end) => `GET /memories/${one}${end}`),
    ...["end", "undo"].map((what) => `POST /memories/${one}/${what}`),
    ...["GET", "DELETE"].flatMap((how) => [
      `${how} /records/${one}`,
      `${how} /conversations/${one}`,
    ]),
    ...["messages", "turns"].map((what) => `GET /conversations/${one}/${what}`),
    ...["", "/messages"].map((end) => `GET /folds/${one}${end}`),
    ...[`POST /folds/${one}/undo`, `DELETE /pins/${one}`, `DELETE /memories/${one}`],
    ...[`GET /notes/${one}`, `GET /files/${one}`, `POST /proposals/${one}/decline`],
  ];
  const ids = [memory.id, record.id, fold.id, pin.id, id, "zwiebel-desk", "zwiebel.md"];
  for (const place of ids.flatMap(named)) {
    const theirs = await bob(place);
    const nobodys = await bob(place.replace(/(?<=^\w+ \/\w+\/)[^/]+/, "0".repeat(22)));
    expect([place, theirs.status, theirs.body]).toEqual([place, nobodys.status, nobodys.body]);
    expect(theirs.status).toBe(404);
  }
  for (const place of [
    ...["memories", "memories?text=zwiebel", "categories", "records", "notes", "conversations"],
    ...["folds", "pins", "files", "proposals", "stats?by=day", "prompt", "whoami", "health"],
  ])
    expect(JSON.stringify((await bob(`GET /${place}`)).body)).not.toMatch(/zwiebel|ada/);
  for (const place of ["search", "recall", "brief"])
    expect(JSON.stringify((await bob(`POST /${place}`, { query: "zwiebel" })).body)).not.toContain(
      "red",
    );
  expect((await bob(`GET /notes/zwiebel.md?scope=user:ada`)).status).toBe(404);
  expect((await bob(`GET /files/scopes/user/ada/notes/zwiebel.md`)).status).toBe(404);
});

it("masks secrets that stand in verbatim history and in pages, and puts no mark in a page's place", async () => {
  const { tidemark, ask } = await openApi();
  const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
  const ada = tidemark.as({ user: "ada" });
  await talk(ada, "desk", `The key is ${secret}, keep it.`);
  await ada.workspace.write("USER.md", `Mine: ${secret}`, "user:ada");
  const [{ id }] = (await ask("GET /conversations")).body.items;
  const { body } = await ask(`GET /conversations/${id}/messages`);
  expect(body.items[0].message.content).toContain("masked]");
  const hits = await ask("POST /search", { query: "the key", in: ["history"] });
  const path = "/files/scopes/user/ada/USER.md";
  const file = await ask(`GET ${path}`);
  expect(JSON.stringify([body, hits.body, file.body])).not.toContain(secret);
  expect(await ask(`PUT ${path}`, { text: file.body.text })).toMatchObject({ status: 409 });
  expect(await ada.workspace.read("USER.md", "user:ada")).toContain(secret);
  const error = await ask(`GET /memories?kind=${secret}`);
  expect(JSON.stringify(error.body)).not.toContain(secret);
});

it("describes every call in OpenAPI by the schemas that check it, for anyone", async () => {
  const { handle } = await openApi();
  const { body } = await asking(handle, "nobody")("GET /openapi.json");
  expect(body.openapi).toBe("3.1.0");
  const paths = Object.keys(body.paths);
  expect(paths.length).toBeGreaterThan(42);
  const { requestBody } = body.paths["/api/v1/memories"].post;
  const { schema } = requestBody.content["application/json"];
  expect(schema.required).toEqual(["content"]);
  expect(schema.properties).toMatchObject({
    content: { type: "string" },
    importance: { type: "number" },
  });
  expect(body.paths["/api/v1/folds"].get.parameters).toContainEqual({
    ...{ name: "limit", in: "query", required: false },
    schema: { type: "integer", description: "a whole number from 1 to 1000" },
  });
  expect(body.paths["/api/v1/notes/{name}"].put.parameters).toMatchObject([
    { name: "name", in: "path", required: true },
  ]);
});

it("answers 503 when it is closed and 500 without a trace where a caller's function fails", async () => {
  const { tidemark, ask } = await openApi();
  const failing = api(tidemark, {
    identify: () => Promise.reject(new Error("boom at /root/x.ts")),
  });
  const { status, body } = await asking(failing)("GET /memories");
  expect([status, body]).toEqual([
    500,
    { error: { code: "internal", message: "This went wrong inside." } },
  ]);
  await tidemark.close();
  expect(await ask("GET /memories")).toMatchObject({
    status: 503,
    body: { error: { code: "closed" } },
  });
});
