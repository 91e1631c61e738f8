/** The script's part for this page's two fields; see `LINK_PAGE_SCRIPT`. */
export const RESET_PAGE_SCRIPT = `
const first = document.getElementById("new-password");
const second = document.getElementById("repeat-password");
const show = document.getElementById("show");

function findFault() {
  const length = [...first.value.normalize("NFC")].length;
  if (length < page.minLength) return ["PASSWORD_TOO_SHORT", first];
  if (length > page.maxLength) return ["PASSWORD_TOO_LONG", first];
  if (first.value !== second.value) return ["DIFFERENT", second];
}

function describeRequest() {
  // For password managers, which keep it with the new password.
  document.getElementById("username").value = email;
  return { method: "PUT", path: "/user/password/link", body: { token, newPassword: first.value } };
}

show.addEventListener("change", () => {
  for (const input of [first, second]) input.type = show.checked ? "text" : "password";
});
`;
