import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";

/**
 * How a person works: by pointer, or by keys alone. Typing is not counted, nor is what leads to a field to type in it, of
 * which the search is one.
 */
export interface Hand {
  /** Presses of the pointer's button, or of the key that chooses. */
  presses: number;
  /** Opens a page, and counts from there. */
  open(address: string): Promise<void>;
  /** Presses a link, a button, a checkbox, or what unfolds more. */
  press(target: Locator): Promise<void>;
  /** Types into a field, in place of what it has: what Tab leads to is selected. */
  type(field: Locator, text: string): Promise<void>;
  /** Chooses what a search or a field for a role found. */
  choose(option: Locator): Promise<void>;
  /** Chooses from a list that the browser draws. */
  select(list: Locator, text: string): Promise<void>;
  openSearch(): Promise<void>;
  /** Fails if what was done has left the keyboard nowhere. */
  keepsFocus(): Promise<void>;
}

/** Both ways to work, with their names. A story is written once, and walked with each. */
export const HANDS = [
  { means: "by pointer", handOn: pointerOn },
  { means: "by keys alone", handOn: keysOn },
] as const;

function pointerOn(page: Page): Hand {
  return {
    presses: 0,
    async open(address) {
      await page.goto(address);
      this.presses = 0;
    },
    async press(target) {
      await target.click();
      this.presses++;
    },
    type: (field, text) => field.fill(text),
    async choose(option) {
      await this.press(option);
    },
    async select(list, text) {
      await list.selectOption(text);
      this.presses++;
    },
    openSearch: () => page.getByRole("button", { name: "Find anything" }).click(),
    keepsFocus: () => Promise.resolve(),
  };
}

/** A hand that also only moves the focus. */
export interface Keys extends Hand {
  /** Presses Tab or Shift+Tab, whichever leads there, until the element has the focus: `most` times at most. */
  walkTo(target: Locator, most?: number): Promise<void>;
}

/**
 * Works by Tab, Shift+Tab, arrows, Enter, Space and "/" alone. What has the focus on the way must show it, and must not be
 * covered.
 */
export function keysOn(page: Page): Keys {
  // A page that has just been opened may have left the focus to the browser.
  let isUsed = false;
  // What had it may just have gone away, and the page be about to give it to something else.
  const keepsFocus = () => page.locator(":focus").waitFor();
  const walkTo = async (target: Locator, most = MOST_TABS): Promise<void> => {
    await target.waitFor();
    if (isUsed) await keepsFocus();
    isUsed = true;
    for (let i = 0; i <= most; i++) {
      const { key, fault } = await target.evaluate(look);
      assert.equal(fault, undefined, `on the way to ${target}`);
      if (key === undefined) return;
      await page.keyboard.press(key);
    }
    assert.fail(`Tab does not lead to ${target}`);
  };
  return {
    presses: 0,
    walkTo,
    keepsFocus,
    async open(address) {
      await page.goto(address);
      isUsed = false;
      this.presses = 0;
    },
    async press(target) {
      await walkTo(target);
      await page.keyboard.press(await target.getAttribute("type") === "checkbox" ? "Space" : "Enter");
      this.presses++;
    },
    async type(field, text) {
      await walkTo(field);
      await page.keyboard.type(text);
    },
    async choose(option) {
      await option.waitFor();
      const chosen = page.locator("[role=option][aria-selected=true]");
      for (let i = 0; i < MOST_OPTIONS && await option.and(chosen).count() === 0; i++) {
        const before = await page.evaluate(CHOSEN);
        await page.keyboard.press("ArrowDown");
        await page.waitForFunction(`${CHOSEN} !== ${JSON.stringify(before)}`);
      }
      await option.and(chosen).waitFor();
      await page.keyboard.press("Enter");
      this.presses++;
    },
    async select(list, text) {
      await walkTo(list);
      await page.keyboard.type(text);
      this.presses++;
    },
    async openSearch() {
      isUsed = true;
      await page.keyboard.press("/");
      await page.locator("[role=combobox]:focus").waitFor();
    },
  };
}

const MOST_OPTIONS = 20;
/** The id of the chosen option, or an empty text. */
const CHOSEN = `(document.querySelector("[role=option][aria-selected=true]")?.id ?? "")`;
/** More than a person would press before they look for another way. */
const MOST_TABS = 60;

/** Where the focus is, as a person sees it. */
interface Look {
  /** The key that leads from the focus to the element. Without one, the element has it. */
  readonly key?: string;
  /** What hides where the focus is. */
  readonly fault?: string;
}

/** Runs in the page, whose types are not known here. */
const look = new Function(
  "target",
  `
  const focused = document.activeElement;
  const isBefore = target.compareDocumentPosition(focused) & Node.DOCUMENT_POSITION_FOLLOWING;
  const key = focused === target ? undefined : isBefore ? "Shift+Tab" : "Tab";
  // The view, a heading or a row has the focus as a whole; in a field for a date, a button of the browser may have it.
  if (focused.tabIndex < 0 || !focused.matches(":focus")) return { key };
  const { outlineStyle, outlineWidth } = getComputedStyle(focused);
  const name = focused.outerHTML.slice(0, 300);
  if (outlineStyle === "none" || parseFloat(outlineWidth) === 0) return { fault: "no ring: " + name };
  // A link whose name wraps as a whole also has an empty line.
  const lines = [...focused.getClientRects()].filter(({ width }) => width > 0);
  const [{ left, top, bottom, width, height } = {}] = lines;
  const isOf = (over) => [focused, ...focused.labels ?? []].some((each) => each.contains(over));
  const middle = document.elementFromPoint(left + width / 2, top + height / 2);
  const edges = [top + 2, bottom - 2].map((y) => document.elementFromPoint(left + 2, y)?.closest(".top, .notice"));
  const over = isOf(middle) ? edges.find((each) => each && !each.contains(focused)) : middle;
  return over === undefined ? { key } : { fault: name + " is covered by " + over?.outerHTML.slice(0, 300) };`,
) as (target: unknown) => Look;
