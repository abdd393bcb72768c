/** Hands at a flow editor: they do what a person does, and count it. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** A point on the heading of a card, away from its buttons. */
const ON_HEADING = { x: 40, y: 12 };

export interface Hands {
  /** Clicks, key chords and typed texts so far: one act each. */
  acts(): number;
  click(target: Locator): Promise<void>;
  /** Key chords, one act each. */
  press(...keys: string[]): Promise<void>;
  /** Types a text where the focus is: one act. */
  type(text: string): Promise<void>;
  /** Clicks into a field, replaces its text, and types. */
  write(field: Locator, text: string): Promise<void>;
  /** Opens a list of the platform, and clicks an option. */
  choose(list: Locator, option: string): Promise<void>;
  /** Selects the step of a card. */
  select(card: Locator): Promise<void>;
  /** Clicks the plus that leads on from an element of a card. */
  plus(at: Locator): Promise<void>;
}

export function handsAt(page: Page): Hands {
  let acts = 0;
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) {
      acts++;
      await page.keyboard.press(key);
    }
  };
  const type = async (text: string): Promise<void> => {
    acts++;
    await page.keyboard.type(text);
  };
  const click = async (target: Locator): Promise<void> => {
    acts++;
    await target.click();
  };
  return {
    acts: () => acts,
    click,
    press,
    type,
    async write(field, text) {
      await click(field);
      if (!(await isAllSelected(field))) await press('Control+a');
      await type(text);
      await expect.poll(() => field.inputValue()).toBe(text);
    },
    async choose(list, option) {
      acts += 2;
      await list.selectOption(option);
    },
    async select(card) {
      acts++;
      await card.click({ position: ON_HEADING });
    },
    async plus(at) {
      await at.hover();
      await click(at.locator('.plus'));
    },
  };
}

interface FieldSelection {
  selectionStart: number;
  selectionEnd: number;
  value: string;
}

/** True if the next typed text replaces the whole text of the field. */
const isAllSelected = (field: Locator): Promise<boolean> =>
  field.evaluate((element) => {
    const { selectionStart, selectionEnd, value } = element as unknown as FieldSelection;
    return selectionStart === 0 && selectionEnd === value.length;
  });
