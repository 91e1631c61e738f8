/**
 * What the page does in the browser; `page` holds its language and texts. The token is kept in memory alone: it
 * leaves the address bar and the history at once, and goes out only with the form.
 */
export const RESET_PAGE_SCRIPT = `
const form = document.getElementById("form");
const first = document.getElementById("new-password");
const second = document.getElementById("repeat-password");
const show = document.getElementById("show");
const button = document.getElementById("save");
const status = document.getElementById("status");
let token = "";

function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    token = given;
    history.replaceState(null, "", location.pathname + location.search);
    clearFault();
  }
  form.hidden = token === "";
  if (token === "") say("fault", page.faults.NO_TOKEN);
}

function say(kind, text) {
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
  for (const input of [first, second]) input.removeAttribute("aria-invalid");
  say("", "");
}

function findFault() {
  const length = [...first.value.normalize("NFC")].length;
  if (length < page.minLength) return ["PASSWORD_TOO_SHORT", first];
  if (length > page.maxLength) return ["PASSWORD_TOO_LONG", first];
  if (first.value !== second.value) return ["DIFFERENT", second];
}

function finish(kind, text) {
  token = "";
  form.reset();
  form.hidden = true;
  say(kind, text);
  status.focus();
}

function formatWait(seconds) {
  const [amount, unit] = seconds < 60 ? [seconds, "second"] : [Math.ceil(seconds / 60), "minute"];
  return new Intl.NumberFormat(page.language, { style: "unit", unit, unitDisplay: "long" }).format(amount);
}

async function showAnswer(response) {
  if (response.ok) return finish("done", page.done);
  const { message } = await response.json().catch(() => ({}));
  if (response.status === 401) return finish("fault", page.faults.OTP_INVALID_EXPIRED);
  if (response.status === 429 || response.status === 503) {
    const seconds = Number(response.headers.get("Retry-After")) || 60;
    return say("fault", page.faults.BUSY.replace("{wait}", formatWait(seconds)));
  }
  if (response.status !== 400) return showFault("UNKNOWN");
  if (String(message).startsWith("PASSWORD_")) return showFault(message, first);
  finish("fault", page.faults.NO_TOKEN); // Only the token can be malformed: the form checked the rest.
}

async function send() {
  const response = await fetch("/user/password/link", {
    method: "PUT",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token, newPassword: first.value }),
    credentials: "omit",
    cache: "no-store",
  }).catch(() => undefined);
  if (response === undefined) showFault("NETWORK");
  else await showAnswer(response);
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (button.disabled) return;
  clearFault();
  const fault = findFault();
  if (fault) return showFault(...fault);
  say("", page.saving);
  button.disabled = true;
  await send().catch(() => showFault("UNKNOWN"));
  button.disabled = false;
});

show.addEventListener("change", () => {
  for (const input of [first, second]) input.type = show.checked ? "text" : "password";
});

addEventListener("hashchange", takeToken);
takeToken();
`;
