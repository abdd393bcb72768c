/** The text editor with YAML: new lines, brackets, comments, folds, colours; and two texts side by side. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from 'vitest';
import { languageOf } from '../../../src/language/flow/language.ts';
import { YamlScanner } from '../../../src/language/flow/text/scan-yaml.ts';
import { compareTexts } from '../../../src/pages/studio/web/text/compare-texts.ts';
import { type Colour, stretchesIn } from '../../../src/pages/studio/web/text/editor-colours.ts';
import { verbs as verbsOfSteps } from '../../../src/verbs/steps.ts';
import { bundleOf, launchBrowser, noBrowser } from '../graph/chromium.ts';
import { shippedFiles, textOf } from '../graph/flows.ts';

const FLOW = `flow: t # a remark
steps:
  one:
    play: "Hi."
    next: two
  two: { menu: { choices: [a, b] } }
  three: &x
    hangup: normal
`;

describe.skipIf(noBrowser !== undefined)(
  `the text editor in a browser${noBrowser ? ` (skipped: ${noBrowser})` : ''}`,
  { timeout: 60_000 },
  () => {
    let browser: Browser;
    let page: Page;
    const errors: string[] = [];
    beforeAll(async () => {
      browser = await launchBrowser();
      page = await browser.newPage({ viewport: { width: 900, height: 700 } });
      page.on('pageerror', (error) => errors.push(error.message));
      const { script, style } = await bundleOf(fileURLToPath(new URL('editor-page.tsx', import.meta.url)));
      await page.setContent('<!doctype html><html lang="en"><head><title>Text</title></head><body></body></html>');
      await page.addStyleTag({ content: style });
      await page.addScriptTag({ content: script });
    });
    afterAll(() => browser?.close());
    afterEach(async () => {
      await page.evaluate(() => editing.clear());
      expect(errors.splice(0)).toEqual([]);
    });
    /** With the cursor at `|`. */
    const open = async (marked: string): Promise<void> => {
      const at = marked.indexOf('|');
      await page.evaluate(
        ({ text: first, verbs }) => {
          editing.clear();
          editing.show(first, JSON.parse(verbs));
        },
        { text: marked.replace('|', ''), verbs: JSON.stringify(languageOf(verbsOfSteps)) },
      );
      await page.waitForFunction(() => editing.handle !== undefined);
      await page.evaluate((from) => editing.handle!.goTo({ from, to: from }), at);
    };
    /** With `|` at the cursor. */
    const text = (): Promise<string> =>
      page.evaluate(() => {
        const { text: now, at } = editing.handle!;
        return `${now.slice(0, at)}|${now.slice(at)}`;
      });

    it.each([
      ['behind a key it stands further in', 'a:\n  b:|\n', 'a:\n  b:\n    x|\n'],
      ['behind a key with an anchor, too', 'a:\n  b: &c|\n', 'a:\n  b: &c\n    x|\n'],
      ['behind the sign of a text over lines, too', 'a:\n  b: >-|\n', 'a:\n  b: >-\n    x|\n'],
      ['behind a value it stands as far in', 'a:\n  b: c|\n', 'a:\n  b: c\n  x|\n'],
      ['in a map of a list it stands below the map', 'a:\n  - b: c|\n', 'a:\n  - b: c\n    x|\n'],
      ['behind a word of a list it stands below the dash', 'a:\n  - b|\n', 'a:\n  - b\n  x|\n'],
      ['between brackets their end gets a line', 'a: {|}\n', 'a: {\n  x|\n}\n'],
    ])('inserts a new line: %s', async (_, before, after) => {
      await open(before);
      await page.keyboard.press('Enter');
      await page.keyboard.type('x');
      expect(await text()).toBe(after);
    });

    it('puts a closing bracket below the line of its opening one', async () => {
      await open('a: {\n  b: 1,\n    |');
      await page.keyboard.type('}');
      expect(await text()).toBe('a: {\n  b: 1,\n}|');
      await page.keyboard.press('Control+z');
      expect(await text()).toBe('a: {\n  b: 1,\n    |');
    });

    it('comments lines in and out, and indents by two', async () => {
      await open('a:\n  b: |1\n');
      await page.keyboard.press('Control+/');
      expect(await text()).toBe('a:\n  # b: |1\n');
      await page.keyboard.press('Control+/');
      await page.keyboard.press('Tab');
      expect(await text()).toBe('a:\n    b: |1\n');
      await page.keyboard.press('Shift+Tab');
      expect(await text()).toBe('a:\n  b: |1\n');
    });

    it('selects the enclosing text, and jumps between brackets', async () => {
      await open('a: { b: [on|e, two] }\n');
      const selected = () => page.evaluate(() => String(getSelection()));
      await page.keyboard.press('Control+i');
      expect(await selected()).toBe('one');
      await page.keyboard.press('Control+i');
      expect(await selected()).toBe('[one, two]');
      await open('a: |{ b: [one, two] }\n');
      expect(await page.locator('.cm-matchingBracket').allTextContents()).toEqual(['{', '}']);
      await page.keyboard.press('Control+Shift+\\');
      expect(await text()).toBe('a: { b: [one, two] }|\n');
      await open('a: { b: [one, two}|\n');
      expect(await page.locator('.cm-nonmatchingBracket').allTextContents()).toEqual(['}']);
    });

    const shown = async (): Promise<string[]> =>
      (await page.locator('.cm-line').allTextContents()).filter((line) => line !== '');

    it('folds and unfolds by keys without loss', async () => {
      await open(FLOW.replace('Hi', '|Hi'));
      await page.keyboard.press('Control+Shift+BracketLeft');
      expect(await shown()).toContain('  one:…');
      expect((await shown()).join('\n')).not.toContain('Hi');
      await page.keyboard.press('Control+Shift+BracketRight');
      expect((await shown()).join('\n')).toContain('Hi');
      await page.keyboard.press('Control+Alt+BracketLeft');
      expect(await shown()).toEqual(['flow: t # a remark', 'steps:…']);
      await page.keyboard.press('Control+Alt+BracketRight');
      expect((await shown()).join('\n')).toBe(FLOW.trimEnd());
      expect((await text()).replace('|', '')).toBe(FLOW);
    });

    it('folds by a press beside the line, and unfolds by the sign or by the cursor', async () => {
      await open(`|${FLOW}`);
      const signs = page.locator('.cm-foldGutter .cm-gutterElement span[title="Fold"]:visible');
      await signs.nth(1).click();
      expect(await shown()).toContain('  one:…');
      await page.getByLabel('folded lines').click();
      expect((await shown()).join('\n')).toContain('Hi');
      await signs.nth(1).click();
      await page.evaluate((at) => editing.handle!.goTo({ from: at, to: at }), FLOW.indexOf('Hi'));
      expect((await shown()).join('\n')).toContain('Hi');
    });

    it('keeps a fold while other lines change, and opens it when its own do', async () => {
      await open(`|${FLOW}`);
      await page.locator('.cm-foldGutter .cm-gutterElement span[title="Fold"]:visible').nth(1).click();
      await page.keyboard.type('# x\n');
      expect(await shown()).toContain('  one:…');
      await page.evaluate(() => {
        const at = editing.handle!.text.indexOf('Hi');
        editing.handle!.change([{ from: at, to: at + 2, insert: 'Ho' }], 'greet');
      });
      expect((await shown()).join('\n')).toContain('Ho.');
    });

    it('colours keys, texts, comments and names', async () => {
      await open(`|${FLOW}`);
      const of = (colour: Colour) => page.locator(`.cm-${colour}`).allTextContents();
      expect(await of('key')).toEqual(expect.arrayContaining(['flow', 'steps', 'one', 'menu', 'choices', 'three']));
      expect([await of('string'), await of('remark'), await of('name')]).toEqual([['"Hi."'], ['# a remark'], ['&x']]);
    });

    const proposals = (): Promise<string[]> => page.locator('.cm-completionLabel').allTextContents();

    it('proposes matches during typing, and inserts the chosen one', async () => {
      await open('flow: t\nsteps:\n  one: { play: Hi., next: | }\n  other: { hangup: normal }\n');
      await page.keyboard.type('o');
      await expect.poll(proposals).toEqual(['one', 'other']);
      await page.keyboard.type('t');
      expect(await proposals()).toEqual(['other']);
      expect(await page.locator('.cm-completionMatchedText').textContent()).toBe('ot');
      await page.keyboard.press('Backspace');
      await page.keyboard.press('ArrowDown');
      const option = page.getByRole('option', { selected: true });
      expect(await option.textContent()).toBe('other');
      expect(await page.locator('.cm-content').getAttribute('aria-activedescendant')).toBe(
        await option.getAttribute('id'),
      );
      await page.keyboard.press('ArrowDown');
      expect(await option.textContent()).toBe('one');
      await page.keyboard.press('ArrowUp');
      // So soon after a change of the list, a key belongs to the text, not to the list.
      await page.waitForTimeout(100);
      await page.keyboard.press('Enter');
      expect(await text()).toBe('flow: t\nsteps:\n  one: { play: Hi., next: other| }\n  other: { hangup: normal }\n');
      expect(await proposals()).toEqual([]);
    });

    it('proposes on request with explanations, and inserts the pressed one with its colon', async () => {
      await open('flow: t\nsteps:\n  one:\n    |\n');
      await page.keyboard.press('Control+Space');
      await expect.poll(proposals).toContain('play');
      expect(await page.locator('.cm-completionInfo').textContent()).not.toBe('');
      await page.getByRole('option', { name: /^play/ }).click();
      expect(await text()).toBe('flow: t\nsteps:\n  one:\n    play: |\n');
      await page.keyboard.press('Control+Space');
      await page.keyboard.press('Escape');
      expect(await proposals()).toEqual([]);
    });

    it('begins a new line if the proposals have just appeared', async () => {
      await open('flow: t\nsteps:\n  one: { play: Hi., next: | }\n');
      await page.keyboard.type('o');
      await page.keyboard.press('Enter');
      expect((await text()).split('\n')).toHaveLength(5);
    });

    it('underlines problems, shows them at a press on their mark, and repairs them', async () => {
      await open('flow: t\nstart: oen\nsteps:\n  one: |{ hangup: normal }\n');
      await page.evaluate(() => {
        const from = editing.handle!.text.indexOf('oen');
        const repair = { title: 'Write one', from, to: from + 3, insert: 'one' };
        const problem = { from, to: from + 3, line: 2, code: 'unknown-target', severity: 'error' as const };
        editing.handle!.show([{ ...problem, message: 'there is no step oen', hint: 'did you mean one?', repair }]);
      });
      expect(await page.locator('.cm-lintRange-error').textContent()).toBe('oen');
      await page.locator('.cm-lint-marker-error:visible').click();
      await expect
        .poll(() => page.locator('.cm-diagnostic').textContent())
        .toContain('there is no step oen\ndid you mean one?');
      await page.getByRole('button', { name: 'Write one' }).click();
      expect((await text()).replace('|', '')).toContain('start: one');
      await page.evaluate(() => editing.handle!.show([]));
      expect(await page.locator('.cm-lintRange-error, .cm-lint-marker:visible').count()).toBe(0);
      expect(await page.locator('.cm-diagnostic').count()).toBe(0);
    });

    it('shows the problem under the pointer', async () => {
      await open('flow: t\nstart: oen\n|');
      await page.evaluate(() =>
        editing.handle!.show([
          { from: 15, to: 18, line: 2, code: 'unknown-target', severity: 'warning', message: 'there is no step oen' },
        ]),
      );
      await page.locator('.cm-lintRange-warning').hover();
      await expect
        .poll(() => page.locator('.cm-diagnostic-warning').allTextContents())
        .toEqual(['there is no step oen']);
    });

    const selectedAt = () => page.evaluate(() => String(getSelection()));

    it('finds, wraps around, and replaces one or all', async () => {
      await open('a: |one\nb: One\nc: one\n');
      await page.keyboard.press('Control+f');
      await page.keyboard.type('one');
      expect(await page.locator('.cm-searchMatch').count()).toBe(3);
      await page.getByLabel('match case').check();
      expect(await page.locator('.cm-searchMatch').count()).toBe(2);
      await page.getByLabel('Find', { exact: true }).press('Enter');
      await page.keyboard.press('F3');
      expect(await page.locator('.cm-searchMatch-selected').count()).toBe(1);
      await page.keyboard.press('Shift+F3');
      await page.getByLabel('Replace', { exact: true }).fill('two');
      await page.getByRole('button', { name: 'replace', exact: true }).click();
      expect((await text()).replace('|', '')).toMatch(/^a: (two\nb: One\nc: one|one\nb: One\nc: two)\n$/);
      await page.getByLabel('match case').uncheck();
      await page.getByRole('button', { name: 'replace all' }).click();
      expect((await text()).replace('|', '')).toBe('a: two\nb: two\nc: two\n');
      await page.keyboard.press('Escape');
      expect(await page.locator('.cm-search').count()).toBe(0);
      await page.keyboard.press('Control+z');
      expect((await text()).replace('|', '')).toMatch(/One/);
    });

    it('jumps to a line, and selects the other occurrences of a word', async () => {
      await open('|a: one\nb: two\nc: one\n');
      await page.keyboard.press('Control+Alt+g');
      await page.keyboard.type('3:4');
      await page.keyboard.press('Enter');
      expect(await text()).toBe('a: one\nb: two\nc: |one\n');
      await page.keyboard.press('Control+d');
      expect(await selectedAt()).toBe('one');
      expect(await page.locator('.cm-selectionMatch').allTextContents()).toEqual(['one']);
      await page.keyboard.press('Control+d');
      await page.keyboard.type('x');
      expect((await text()).replace('|', '')).toBe('a: x\nb: two\nc: x\n');
    });

    it('shows two texts side by side, and unfolds equal lines at a press', async () => {
      const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
      const fresh = lines.with(15, 'line fifteen');
      await page.evaluate(([left, right]) => editing.compare(left, right), [
        lines.join('\n'),
        fresh.join('\n'),
      ] as const);
      expect(await page.locator('.went del, .came ins').allTextContents()).toEqual(['15', 'fifteen']);
      expect(await page.locator('tbody tr').count()).toBe(9);
      await page.getByRole('button', { name: '12 lines are the same' }).click();
      expect(await page.locator('tbody tr').count()).toBe(20);
      const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
      await page.evaluate(axe);
      const found = await page.evaluate('axe.run("table").then(({ violations }) => violations.map(({ id }) => id))');
      expect(found).toEqual([]);
    });
  },
);

describe('colours of tokens', () => {
  test.each(shippedFiles)('are in order for %s, and all keys have one', (file) => {
    const text = textOf(file);
    const { words } = new YamlScanner(text);
    const stretches = stretchesIn(text, words, 0, text.length);
    let at = 0;
    for (const { from, to } of stretches) {
      expect(from).toBeGreaterThanOrEqual(at);
      at = to;
    }
    const keys = stretches.filter(({ colour }) => colour === 'key');
    expect(keys).toHaveLength(words.filter(({ kind }) => kind === 'key').length);
    const middle = text.length >> 1;
    const part = stretchesIn(text, words, middle, middle + 200);
    expect(stretches.filter(({ from, to }) => from >= middle && to <= middle + 200)).toEqual(
      part.filter(({ from, to }) => from >= middle && to <= middle + 200),
    );
  });
});

describe('lines side by side', () => {
  const rowsOf = (before: string, now: string): string[] =>
    compareTexts(before, now).map(({ before: old, now: fresh }) => {
      const side = (line: typeof old) => (line === undefined ? '' : `${line.number}${line.changed ? '!' : ''}`);
      return `${side(old)}|${side(fresh)}`;
    });

  test.each([
    ['a\nb\nc', 'a\nb\nc', ['1|1', '2|2', '3|3']],
    ['a\nb\nc', 'a\nx\nc', ['1|1', '2!|2!', '3|3']],
    ['a\nc', 'a\nb\nc', ['1|1', '|2!', '2|3']],
    ['a\nb\nc', 'a\nc', ['1|1', '2!|', '3|2']],
    ['', 'a', ['1!|1!']],
  ])('aligns the lines of %j and %j', (before, now, rows) => {
    expect(rowsOf(before, now)).toEqual(rows);
  });

  it('marks the differences within a line', () => {
    const [row] = compareTexts('next: menu # x', 'next: manual # x');
    expect([row!.before!.changed, row!.now!.changed]).toEqual([
      [7, 10],
      [7, 12],
    ]);
  });
});
