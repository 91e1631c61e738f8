/**
 * The script's part for this page's fields; see `LINK_PAGE_SCRIPT`. Some gateways for mail drop what follows the `#` of a
 * link. Then the page asks for the address (`ask`), and for the code that is mailed to it (`code`).
 */
export const RESET_PAGE_SCRIPT = `
const address = document.getElementById("address");
const code = document.getElementById("code");
const first = document.getElementById("new-password");
const second = document.getElementById("repeat-password");
const show = document.getElementById("show");
let way = "link";

function take(next) {
  way = next;
  document.getElementById("by-address").hidden = way !== "ask";
  document.getElementById("by-code").hidden = way !== "code";
  document.getElementById("passwords").hidden = way === "ask";
  button.textContent = way === "ask" ? page.sendCode : page.save;
  form.hidden = false;
}

function begin() {
  take(token === "" ? "ask" : "link");
  if (token === "") say("fault", page.faults.NO_TOKEN);
}

function findFault() {
  if (way === "ask") return /^[^@\\s]+@[^@\\s]+$/.test(address.value.trim()) ? undefined : ["NO_ADDRESS", address];
  if (way === "code" && readCode().length !== 6) return ["CODE_WRONG", code];
  const length = [...first.value.normalize("NFC")].length;
  if (length < page.minLength) return ["PASSWORD_TOO_SHORT", first];
  if (length > page.maxLength) return ["PASSWORD_TOO_LONG", first];
  if (first.value !== second.value) return ["DIFFERENT", second];
}

function readCode() {
  return code.value.replaceAll(/\\s/g, "");
}

function describeRequest() {
  if (way === "ask") {
    email = address.value.trim();
    const path = "/user/password/reset/send?language=" + page.language;
    return { method: "POST", path, body: { email }, busy: page.sending };
  }
  // For password managers, which keep it with the new password.
  document.getElementById("username").value = email;
  const newPassword = first.value;
  if (way === "code") {
    return { method: "PUT", path: "/user/password/otp", body: { userEmail: email, otp: readCode(), newPassword } };
  }
  // Without locks, at an http address, there is no console either.
  return { method: "PUT", path: "/user/password/link", body: { token, newPassword, signIn: "locks" in navigator } };
}

async function accept(response) {
  if (way === "ask") {
    take("code");
    say("done", page.codeSent);
    return code.focus();
  }
  const signedIn = await response.json().catch(() => null);
  const kept = signedIn === null ? undefined : await keepSession(signedIn.refreshToken);
  if (kept === undefined) return finish("done", page.done);
  finish("done", page[kept].replaceAll("{email}", () => signedIn.userEmail), page.next[kept]);
}

/**
 * As the sign-in of the console does, in turn with its tabs. But the link may have come from anyone, and be of another
 * account than the reader's: it does not replace a session that lives. A session that could not be kept ends.
 */
async function keepSession(refreshToken) {
  const path = "/console/session";
  const headers = { Authorization: "Bearer " + refreshToken };
  const request = () =>
    fetch(path, {
      method: "PUT",
      headers: { ...headers, "If-None-Match": "*" },
      cache: "no-store",
      signal: AbortSignal.timeout(20_000),
    });
  const response = await navigator.locks.request(path, request).catch(() => undefined);
  if (response?.status === 412) return "otherSession";
  if (response?.ok) {
    new BroadcastChannel("rolegrid-session").postMessage("in");
    return "signedIn";
  }
  await fetch("/auth/logout", { method: "POST", headers, credentials: "omit" }).catch(() => undefined);
}

function refuse() {
  if (way === "ask") return showFault("NO_ADDRESS", address);
  if (way === "code") return showFault("CODE_WRONG", code);
  finish("fault", page.faults.OTP_INVALID_EXPIRED);
}

show.addEventListener("change", () => {
  for (const input of [first, second]) input.type = show.checked ? "text" : "password";
});
`;
