/**
 * The browser script of every link page. It removes the token from the address bar and the history, and sends it only
 * with the form. Each page adds `page` (language, texts), `findFault()` (an error code and its field),
 * `describeRequest()`, `accept(response)`, `refuse()` for what is not valid, and `begin()`, also for a link that lost its
 * token on the way.
 */
export const LINK_PAGE_SCRIPT = `
const form = document.getElementById("form");
const button = document.getElementById("save");
const status = document.getElementById("status");
const next = document.getElementById("next");
let token = "";
let email = "";
let counting;

function takeToken() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const given = fragment.get("token");
  if (given) {
    token = given;
    email = fragment.get("email") ?? "";
    history.replaceState(null, "", location.pathname + location.search);
    clearFault();
  }
  form.hidden = token === "";
  next.hidden = true;
  begin();
}

function say(kind, text) {
  clearInterval(counting);
  status.ariaLive = null;
  status.className = kind;
  status.textContent = text;
  if (text !== "") status.scrollIntoView({ block: "nearest" });
}

function showFault(code, field) {
  field?.setAttribute("aria-invalid", "true");
  field?.focus();
  say("fault", page.faults[code] ?? page.faults.UNKNOWN);
}

function clearFault() {
  for (const input of form.querySelectorAll("input")) input.removeAttribute("aria-invalid");
  say("", "");
}

function finish(kind, text, steps = page.next[kind]) {
  if (kind === "done") leaveAddress();
  token = "";
  form.reset();
  form.hidden = true;
  say(kind, text);
  lead(steps ?? []);
  status.focus();
}

/** The sign-in of the console takes it from there, once. Browsers may refuse to keep anything. */
function leaveAddress() {
  try {
    if (email !== "") sessionStorage.setItem("rolegrid-address", email);
  } catch {
    return;
  }
}

function lead(steps) {
  next.hidden = steps.length === 0;
  next.replaceChildren(...steps.map(({ href, text }) => {
    const link = document.createElement("a");
    link.href = href;
    link.textContent = text;
    return link;
  }));
}

function formatWait(seconds) {
  const [amount, unit] = seconds < 60 ? [seconds, "second"] : [Math.ceil(seconds / 60), "minute"];
  return new Intl.NumberFormat(page.language, { style: "unit", unit, unitDisplay: "long" }).format(amount);
}

function countDown(seconds) {
  const ends = performance.now() + seconds * 1000;
  const textAt = (left) => page.faults.BUSY.replace("{wait}", formatWait(left));
  say("fault", textAt(seconds));
  counting = setInterval(() => {
    const left = Math.ceil((ends - performance.now()) / 1000);
    if (left <= 0) return clearFault();
    // Screen readers have said the wait, and do not say it again each second.
    status.ariaLive = "off";
    status.textContent = textAt(left);
  }, 250);
}

async function showResponse(response) {
  if (response.ok) return await accept(response);
  const { message } = await response.json().catch(() => ({}));
  if (response.status === 401) return refuse();
  if (response.status === 429 || response.status === 503) {
    const seconds = Number(response.headers.get("Retry-After")) || 60;
    return countDown(seconds);
  }
  if (response.status !== 400) return showFault("UNKNOWN");
  if (String(message).startsWith("PASSWORD_")) return showFault(message, form.querySelector("input"));
  // With a token, only that can be malformed: the form has checked the rest.
  if (token === "") return refuse();
  token = "";
  begin();
}

async function send() {
  const { method, path, body, busy = page.saving } = describeRequest();
  say("", busy);
  const response = await fetch(path, {
    method,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    credentials: "omit",
    cache: "no-store",
  }).catch(() => undefined);
  if (response === undefined) showFault("NETWORK");
  else await showResponse(response);
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (button.ariaDisabled === "true") return;
  clearFault();
  const fault = findFault();
  if (fault) return showFault(...fault);
  // One that is disabled would lose the focus.
  button.ariaDisabled = "true";
  await send().catch(() => showFault("UNKNOWN"));
  button.ariaDisabled = null;
});

`;

/** The end of every page's script. */
export const LINK_PAGE_START = `
addEventListener("hashchange", takeToken);
takeToken();
`;

/** The parts of a page whose form is a button, and whose links have no other way than to be opened whole. */
export const BUTTON_ONLY = `
function findFault() {
  return undefined;
}

function accept() {
  finish("done", page.done);
}

function refuse() {
  finish("fault", page.faults.OTP_INVALID_EXPIRED);
}

function begin() {
  if (token === "") finish("fault", page.faults.NO_TOKEN);
}
`;
