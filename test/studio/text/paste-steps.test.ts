/** Steps of the flows that are shipped, copied into the same flow and into others. */
import { describe, expect, it } from 'vitest';
import { compileFlow } from '../../../src/language/flow/compile.ts';
import { applyEdits, inverseOf, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { copySteps } from '../../../src/pages/studio/web/text/clipboard.ts';
import type { ExitRef } from '../../../src/pages/studio/web/text/edit.ts';
import { type Pasted, pasteSteps } from '../../../src/pages/studio/web/text/paste-steps.ts';
import { verbs } from '../../../src/verbs/steps.ts';
import { rounds } from '../../rounds.ts';
import { graphIn, language, pathOf, shippedFiles, textOf } from '../graph/flows.ts';

const errorsIn = (text: string, file = 'shop.flow.yaml'): string[] =>
  compileFlow(text, pathOf(file), verbs, {}).diagnostics.flatMap(({ severity, code, message }) =>
    severity === 'error' ? `${code}: ${message}` : [],
  );

const copied = (text: string, steps: readonly string[]): string => {
  const found = copySteps(text, steps, language);
  if (typeof found !== 'string') throw new Error(found.refused);
  return found;
};

function pasted(text: string, clipboard: string, at?: string | ExitRef): Pasted {
  const found = pasteSteps(text, clipboard, language, at);
  if (isRefusal(found)) throw new Error(`${found.refused}: ${found.hint}`);
  expect(applyEdits(text, found.edits)).toBe(found.text);
  expect(applyEdits(found.text, inverseOf(text, found.edits))).toBe(text);
  return found;
}

const commentsIn = (text: string): number => text.split('\n').filter((line) => /^\s*#/.test(line)).length;

/** Each n-th group of steps is pasted. */
const EVERY = Math.max(1, Math.round(10 / rounds(1)));

describe.each(shippedFiles)('steps of %s', (file) => {
  const text = textOf(file);
  const names = graphIn(text).steps.map(({ name }) => name);
  const groups = [
    ...names.map((name) => [name]),
    ...names.flatMap((_, index) => (index % 3 === 0 ? [names.slice(index, index + 3)] : [])),
  ].filter((_, index) => index % EVERY === 0);

  it('are sound in a line of the same flow', () => {
    const before = errorsIn(text, file);
    const lines = graphIn(text).steps.flatMap(({ name: step, exits }) =>
      exits.flatMap(({ outcome, own }) => (own && !outcome.endsWith('*') ? { step, outcome } : [])),
    );
    for (const [index, steps] of groups.entries()) {
      const found = pasted(text, copied(text, steps), lines[(index * 7) % lines.length]);
      expect(
        errorsIn(found.text, file).filter((error) => !before.includes(error)),
        `${steps}`,
      ).toEqual([]);
      expect(commentsIn(found.text)).toBeGreaterThanOrEqual(commentsIn(text));
    }
  });

  it('are sound in another flow, or need a step that it does not have', () => {
    const other = shippedFiles[(shippedFiles.indexOf(file) + 5) % shippedFiles.length]!;
    const into = textOf(other);
    const before = errorsIn(into, other);
    for (const steps of groups) {
      const found = pasteSteps(into, copied(text, steps), language);
      if (isRefusal(found)) {
        expect(found.refused).toMatch(/reads the result of \w+, which this flow does not have/);
        continue;
      }
      pasted(into, copied(text, steps));
      // Files beside the flow are not on the clipboard.
      const now = errorsIn(found.text, other).filter(
        (error) => !before.includes(error) && !error.startsWith('missing-file'),
      );
      expect(now, `${steps} into ${other}`).toEqual([]);
    }
  });
});

const SHOP = `flow: shop
defaults: { exits: { error: bye } }
vars:
  count: { type: number, default: 0 }
  name: { type: string }
schedules:
  shop: { timezone: Europe/Paris, open: [{ days: [mon-fri], from: "09:00", to: "18:00" }] }
  other: { timezone: Europe/Paris, open: [] }
start: hours
steps:
  hours: { schedule: shop, exits: { open: ask, closed: bye, holiday: bye } }
  # Asks for the bread.
  ask:
    menu: { prompt: For bread press 1., choices: { bread: { dtmf: "1" } } }
    set: { count: "\${ vars.count + 1 }" }
    exits: { bread: done, exhausted: bye }
  done: { play: "\${ steps.ask.choice } it is", next: bye }
  bye: { hangup: normal }
`;

const PLAIN = `flow: plain
start: hello
steps:
  hello: { play: Hello there., next: end, exits: { error: end } }
  end: { hangup: normal }
`;

describe('a copy of steps', () => {
  it('has the variables and schedules that they use, and no others', () => {
    const text = copied(SHOP, ['hours', 'ask']);
    expect(text).toContain('vars:\n  count: { type: number, default: 0 }\n');
    expect(text).toContain('schedules:\n  shop:');
    expect(text).not.toMatch(/other|name:/);
    expect(text).toContain('# Asks for the bread.');
  });

  it('brings its tables along, and leads unknown targets and outcomes to the landing', () => {
    const { text, names } = pasted(PLAIN, copied(SHOP, ['hours', 'ask']));
    expect([...names.keys()]).toEqual(['hours', 'ask']);
    expect(text).toContain('vars: { count: { type: number, default: 0 } }\n');
    expect(text).toContain('schedules: { shop: { timezone: Europe/Paris,');
    expect(text).toContain('  # Asks for the bread.\n  ask:\n');
    expect(text).toContain('open: ask, closed: end, holiday: end');
    expect(text).toContain('exits: { bread: end, exhausted: end }');
    expect(text).toContain('defaults:');
    expect(errorsIn(text)).toEqual([]);
  });

  it('renames a variable that means something else there', () => {
    const into = PLAIN.replace('start:', 'vars: { count: { type: string } }\nstart:');
    const { text } = pasted(into, copied(SHOP, ['ask']));
    expect(text).toContain('count_2: { type: number, default: 0 }');
    expect(text).toContain('set: { count_2: "${ vars.count_2 + 1 }" }');
    expect(errorsIn(text)).toEqual([]);
  });

  it('declares variables that a text from elsewhere does not', () => {
    const { text } = pasted(PLAIN, 'say: { play: "Hello ${ vars.customer }", set: { seen: true }, next: hello }');
    expect(text).toContain('vars: { seen: { type: boolean }, customer: {} }');
    expect(errorsIn(text)).toEqual([]);
  });

  it('is inserted in a line: the line leads to its first step, its success to the next step', () => {
    const { text, graph } = pasted(SHOP, copied(SHOP, ['ask', 'done']), { step: 'hours', outcome: 'open' });
    expect(text).toContain('exits: { open: ask_2, closed: bye');
    expect(text).toContain('done_2: { play: "${ steps.ask_2.choice } it is", next: ask }');
    expect(graph.steps.map(({ name }) => name)).toEqual(['hours', 'ask_2', 'done_2', 'ask', 'done', 'bye']);
    expect(errorsIn(text)).toEqual([]);
  });

  it('bounds the loop that it closes in a line', () => {
    const again = 'again: { play: Once more., next: ask }';
    const { text, bounds } = pasted(SHOP, again, { step: 'ask', outcome: 'exhausted' });
    expect(text).toContain('again: { play: Once more., next: bye }');
    expect(bounds).toEqual([]);
    const loop = pasted(SHOP, `${again}\nor: { play: Or not., next: bye }`, { step: 'ask', outcome: 'bread' });
    expect(errorsIn(loop.text)).toEqual([]);
  });

  it('is refused in another flow if it reads the result of a step that is not copied', () => {
    expect(pasteSteps(PLAIN, copied(SHOP, ['done']), language)).toEqual({
      refused: 'done reads the result of ask, which this flow does not have',
      hint: 'copy ask, too',
    });
  });
});
