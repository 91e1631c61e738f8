/** The style of the console's pages, plus rules for link pages. No meaning depends on colour alone. */
export const LINK_PAGE_STYLE = Deno.readTextFileSync(new URL("../page_style.css", import.meta.url)) + `
.show { display: flex; align-items: center; gap: .5rem; min-height: 2rem; }
.show input { width: 1.125rem; height: 1.125rem; margin: 0; accent-color: var(--brand); }
#status { margin: 0; scroll-margin: 1rem; }
#status:focus { outline: none; }
#status.fault, #status.done { margin: 0 0 1rem; padding: .625rem .75rem; border: 1px solid; border-radius: 8px; }
#status.fault { background: var(--loss-soft); }
#status.done { border-color: var(--brand); background: var(--brand-soft); }
#next { margin: 0; }
#next a { display: inline-block; padding: .5rem 0; }
#next a + a { margin-inline-start: 1rem; }
.done + #next a:first-child {
  padding: .5rem .875rem; border-radius: 8px; background: var(--brand); color: var(--card); font-weight: 600;
  text-decoration: none; forced-color-adjust: none;
}
`;
