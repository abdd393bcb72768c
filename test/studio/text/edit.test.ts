/** Every edit in every style of YAML; the expected changed lines are in `made/`. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdits, type Edit, type Edits, inverseOf, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { openText } from '../../../src/language/flow/text/flow-source.ts';
import { renameStep } from '../../../src/language/flow/text/rename.ts';
import { retarget } from '../../../src/pages/studio/web/text/edit.ts';
import { companyFlow } from '../graph/company-flow.ts';
import { documentIn, graphIn, language, shippedFiles, textOf } from '../graph/flows.ts';
import { everyEdit } from './every-edit.ts';
import { type Manner, manners } from './manners.ts';
import { addStep, joinStep, removeStep, setArgument, successorOf } from './plain-edits.ts';

/** Returns the lines that differ, with invisible characters escaped. */
function changedLines(before: string, edits: Edits): string {
  if (isRefusal(edits)) return `refused: ${edits.refused} (${edits.hint ?? ''})\n`;
  const old = before.split(/(?<=\n)/);
  const made = applyEdits(before, edits).split(/(?<=\n)/);
  const table = [...old, ''].map(() => new Array<number>(made.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = made.length - 1; j >= 0; j--)
      table[i]![j] = old[i] === made[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
  const lines: string[] = [];
  const say = (sign: string, number: number, line: string): void => {
    const shown = line.replace(/\n$/, '').replaceAll(/[\t\r\ufeff]/g, (hidden) => JSON.stringify(hidden).slice(1, -1));
    lines.push(`${String(number + 1).padStart(3)} ${sign} ${shown}${line.endsWith('\n') ? '' : ' (no line end)'}`);
  };
  for (let i = 0, j = 0; i < old.length || j < made.length; ) {
    if (old[i] === made[j] && i < old.length) {
      i += 1;
      j += 1;
    } else if (i < old.length && (j >= made.length || table[i + 1]![j]! >= table[i]![j + 1]!)) say('-', i, old[i++]!);
    else say('+', j, made[j++]!);
  }
  return `${lines.join('\n')}\n`;
}

describe.each(Object.entries(everyEdit))('%s', (name, edit) => {
  it('changes the same characters as ever, in every manner of writing', async () => {
    const report = manners.map((manner) => `== ${manner.name}\n${changedLines(manner.text, edit(manner.text))}`);
    await expect(report.join('\n')).toMatchFileSnapshot(`made/${name.replaceAll(' ', '-')}.txt`);
  });

  it.each(manners)('is undone to the byte: $name', ({ text }) => {
    const edits = edit(text);
    if (isRefusal(edits)) return;
    const made = applyEdits(text, edits);
    expect(made).not.toBe(text);
    expect(applyEdits(made, inverseOf(text, edits))).toBe(text);
  });

  it('says the same in every manner', () => {
    const said = manners.map(({ text }) => valueAfter(text, edit(text))).filter((value) => value !== undefined);
    expect(said.length).toBeGreaterThan(manners.length - 2);
    for (const value of said) expect(value).toEqual(said[0]);
  });

  it.each(manners.filter(({ name: manner }) => manner.includes('Windows')))(
    'keeps the line ends: $name',
    ({ text }) => {
      const edits = edit(text);
      if (!isRefusal(edits)) expect(applyEdits(text, edits)).not.toMatch(/(?<!\r)\n/);
    },
  );
});

const valueAfter = (text: string, edits: Edits): unknown =>
  isRefusal(edits) ? undefined : documentIn(applyEdits(text, edits));

it('has one flow in all manners', () => {
  for (const { text } of manners) expect(documentIn(text)).toEqual(documentIn(manners[1]!.text));
});

interface Sound {
  text: string;
  edits: Edits;
}

/** Applies an edit and checks that the result can be parsed and that its inverse restores every byte. */
function soundly({ text, edits }: Sound): string {
  if (isRefusal(edits)) throw new Error(`${edits.refused}: ${edits.hint}`);
  const made = applyEdits(text, edits);
  expect(isRefusal(openText(made))).toBe(false);
  expect(applyEdits(made, inverseOf(text, edits))).toBe(text);
  return made;
}

/** Counts the lines that were removed and added. */
function linesApart(before: string, after: string): { gone: number; come: number } {
  const left = before.split('\n');
  const come = after.split('\n').filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return { gone: left.length, come: come.length };
}

describe.each(shippedFiles)('in %s', (file) => {
  const text = textOf(file);
  const graph = graphIn(text);
  const exits = graph.steps.flatMap((step) =>
    step.exits.filter(({ outcome }) => !outcome.endsWith('*')).map((exit) => ({ step: step.name, ...exit })),
  );

  it('reroutes every exit in one line', () => {
    for (const { step, outcome, target } of exits) {
      const other = graph.steps.find(({ name }) => name !== target)?.name ?? '$end';
      const made = soundly({ text, edits: retarget(text, { step, outcome, target: other, language }) });
      const exit = graphIn(made)
        .steps.find(({ name }) => name === step)!
        .exits.find((row) => row.outcome === outcome);
      expect(exit).toMatchObject({ target: other, own: true });
      const { gone, come } = linesApart(text, made);
      expect({ gone: gone <= 1, come: come <= 1 }).toEqual({ gone: true, come: true });
    }
  });

  it('renames every step, and renames it back to the byte', () => {
    for (const { name } of graph.steps) {
      const made = soundly({ text, edits: renameStep(text, { from: name, to: 'another_name' }, language) });
      expect(graphIn(made).steps.map((step) => step.name)).not.toContain(name);
      expect(soundly({ text: made, edits: renameStep(made, { from: 'another_name', to: name }, language) })).toBe(text);
    }
  });

  it('adds a step on every edge, and joins the edge again', () => {
    for (const { step, outcome, target } of exits) {
      if (target === '' || target === step) continue;
      const play = { play: 'One more.' };
      const added = soundly({
        text,
        edits: addStep(text, { name: 'one_more', step: play, after: step, outcome, between: true, language }),
      });
      const row = graphIn(added).steps.find(({ name }) => name === 'one_more')!.exits[0];
      expect(row).toMatchObject({ outcome: 'done', target });
      const joined = soundly({ text: added, edits: joinStep(added, { name: 'one_more', language }) });
      const led = graphIn(joined)
        .steps.find(({ name }) => name === step)!
        .exits.find((exit) => exit.outcome === outcome);
      expect(led).toMatchObject({ target });
    }
  });

  it('joins or removes every step, and nothing else', () => {
    if (graph.steps.length === 1) return;
    const flow = documentIn(text) as never;
    for (const { name } of graph.steps) {
      const removed = soundly({ text, edits: removeStep(text, name) });
      expect(linesApart(text, removed).come).toBe(0);
      expect(graphIn(removed).steps.map((step) => step.name)).toEqual(
        graph.steps.map((step) => step.name).filter((other) => other !== name),
      );
      const edits = joinStep(text, { name, language });
      if (successorOf(flow, name, language) === undefined) expect(edits).toHaveProperty('refused');
      else if (!isRefusal(edits)) soundly({ text, edits });
    }
  });
});

describe('edits one after the other', () => {
  const word = fc.constantFrom('ask', 'first', 'sorry', 'third', 'fourth', '$end');
  const outcome = fc.constantFrom('one', 'two', 'exhausted', 'exhausted.no_match', 'done', 'error', 'hangup', 'limit');
  const act = fc.oneof(
    fc.tuple(word, outcome, word, fc.boolean()).map(
      ([step, way, target, narrow]) =>
        (text: string) =>
          retarget(text, { step, outcome: way, target, language, narrow }),
    ),
    fc.tuple(word, word).map(
      ([from, to]) =>
        (text: string) =>
          renameStep(text, { from, to }, language),
    ),
    fc.tuple(word, word, outcome, fc.boolean()).map(
      ([name, after, way, between]) =>
        (text: string) =>
          addStep(text, { name, step: { play: 'Hi.' }, after, outcome: way, between, language }),
    ),
    word.map((name) => (text: string) => removeStep(text, name)),
    word.map((name) => (text: string) => joinStep(text, { name, language })),
    fc.tuple(word, fc.string({ unit: 'grapheme' })).map(
      ([step, value]) =>
        (text: string) =>
          setArgument(text, { step, path: ['play'], value }),
    ),
    fc.constantFrom(...Object.values(everyEdit)),
  );

  it('are all undone, whatever they are and however the flow is written', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...manners),
        fc.array(act, { minLength: 1, maxLength: 6 }),
        ({ text }: Manner, acts) => {
          const undo: (() => void)[] = [];
          let now = text;
          for (const make of acts) {
            const edits = make(now);
            if (isRefusal(edits)) {
              expect(edits.refused).not.toBe('');
              continue;
            }
            const before = now;
            const back = inverseOf(now, edits);
            now = applyEdits(now, edits);
            expect(isRefusal(openText(now))).toBe(false);
            undo.push(() => {
              now = applyEdits(now, back);
              expect(now).toBe(before);
            });
          }
          for (const step of undo.toReversed()) step();
          expect(now).toBe(text);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('in a big flow', () => {
  const big = companyFlow(70);
  /** An anchor at the top, because of which the text is not parsed in slices. */
  const anchor = 'doc: &words A line.\n';
  const whole = big.replace(/^(?=defaults:)/m, anchor);
  const at = whole.indexOf(anchor);
  const exits = graphIn(big).steps.flatMap(({ name, exits: rows }) =>
    rows.filter(({ outcome }) => !outcome.endsWith('*')).map(({ outcome }) => ({ step: name, outcome })),
  );
  const step = { play: 'One more.' };
  const edits: Readonly<Record<string, (text: string, way: { step: string; outcome: string }) => Edits>> = {
    'lead elsewhere': (text, way) => retarget(text, { ...way, target: 'bye', language }),
    'add a step': (text, way) =>
      addStep(text, { name: 'more', step, after: way.step, outcome: way.outcome, between: true, language }),
    'add a step at the end': (text) => addStep(text, { name: 'more', step, language }),
    remove: (text, way) => removeStep(text, way.step),
    join: (text, way) => joinStep(text, { name: way.step, language }),
    rename: (text, way) => renameStep(text, { from: way.step, to: 'another' }, language),
    'change an argument': (text, way) => setArgument(text, { step: way.step, path: ['label'], value: 'x' }),
  };

  it.each(Object.entries(edits))('edits the lines around a step as in the whole: %s', (_, make) => {
    const back = ({ from, to, insert }: Edit): Edit => {
      const by = from >= at ? anchor.length : 0;
      return { from: from - by, to: to - by, insert };
    };
    for (const way of exits.filter((__, index) => index % 20 === 0)) {
      const [part, all] = [make(big, way), make(whole, way)];
      expect(isRefusal(part) ? part : applyEdits(big, part)).toEqual(
        isRefusal(all) ? all : applyEdits(big, all.map(back)),
      );
    }
  });
});
