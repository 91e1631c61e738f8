/**
 * The style of link pages: one column, large targets, light or dark as set on the device. No meaning depends on colour
 * alone.
 */
export const LINK_PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f3f5f7; --card: #fff; --text: #1b232b; --muted: #55616d; --line: #828f9b;
  --accent: #1a5fb4; --on-accent: #fff; --fault: #a3121f; --fault-bg: #fdeced; --done: #11632f; --done-bg: #e7f5eb;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12171c; --card: #1c232a; --text: #e8edf1; --muted: #a9b5c0; --line: #76848f;
    --accent: #8ab8f5; --on-accent: #0d1a2b; --fault: #ffb3b8; --fault-bg: #3d1d21; --done: #9fdfb4; --done-bg: #17331f;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; padding: 1rem; display: grid; place-items: start center;
  background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main {
  width: 100%; max-width: 27rem; padding: 1.75rem;
  background: var(--card); border-radius: .75rem; box-shadow: 0 1px 3px rgb(0 0 0 / .16);
}
@media (min-width: 40rem) { main { margin-top: min(10vh, 5rem); } }
.brand { margin: 0 0 .25rem; color: var(--muted); font-weight: 600; overflow-wrap: anywhere; }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; }
p { margin: 0 0 1rem; }
label { display: block; margin-top: 1.25rem; font-weight: 600; }
input:not([type=checkbox]) {
  width: 100%; margin-top: .35rem; padding: .65rem .75rem; font: inherit; color: inherit;
  background: transparent; border: 1px solid var(--line); border-radius: .4rem;
}
input[aria-invalid] { border: 2px solid var(--fault); }
.hint { margin: .35rem 0 0; color: var(--muted); font-size: .9rem; }
.show { display: flex; align-items: center; gap: .6rem; min-height: 2.75rem; margin-top: .75rem; font-weight: 400; }
.show input { width: 1.15rem; height: 1.15rem; margin: 0; accent-color: var(--accent); }
button {
  width: 100%; min-height: 2.9rem; margin-top: .75rem; padding: .5rem 1rem; font: inherit; font-weight: 600;
  color: var(--on-accent); background: var(--accent); border: 0; border-radius: .4rem; cursor: pointer;
}
button:disabled { opacity: .6; cursor: default; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
#status { margin: 1rem 0 0; scroll-margin: 1rem; }
#status:empty { margin: 0; }
form { margin-top: 1rem; }
.fault, .done { padding: .75rem; border-left: 4px solid; border-radius: .25rem; }
.fault { color: var(--fault); background: var(--fault-bg); }
.done { color: var(--done); background: var(--done-bg); }
[hidden] { display: none; }
`;
