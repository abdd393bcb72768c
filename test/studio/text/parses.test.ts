/** Calls of the YAML parser in the studio: one for each version of a text. `flow-reader.ts` makes all of them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdits, type Edits, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { flowReader } from '../../../src/language/flow/text/flow-reader.ts';
import { GraphSource } from '../../../src/language/flow/text/graph-source.ts';
import { renameOutcome, renameReturn, renameStep } from '../../../src/language/flow/text/rename.ts';
import { copySteps } from '../../../src/pages/studio/web/text/clipboard.ts';
import { addPrompt, removeExit, retarget, setDefault, setStart } from '../../../src/pages/studio/web/text/edit.ts';
import { pasteSteps } from '../../../src/pages/studio/web/text/paste-steps.ts';
import { changeWords, spokenWords } from '../../../src/pages/studio/web/text/spoken-words.ts';
import { filesBelow } from '../../files.ts';
import { companyFlow } from '../graph/company-flow.ts';
import { graphIn, language, shippedFiles, textOf } from '../graph/flows.ts';
import { everyEdit } from './every-edit.ts';
import { manners } from './manners.ts';
import { addStep, insertStep, joinStep, removeStep, setArgument, setEvent } from './plain-edits.ts';

const callsOf = (work: () => unknown): number => {
  const before = flowReader.parserCalls;
  work();
  return flowReader.parserCalls - before;
};

/** Calls of the parser from the gesture to the new graph, for a flow that is drawn. */
function callsOfEdit(text: string, edit: (text: string) => Edits): number {
  const source = new GraphSource({ verbs: language });
  source.read(text);
  return callsOf(() => {
    const edits = edit(text);
    if (!isRefusal(edits)) expect(source.read(applyEdits(text, edits)).isCurrent).toBe(true);
  });
}

/** Number of texts so far, which makes each of them new to the parser. */
let texts = 0;
const fresh = (text: string): string => (text.endsWith('\n') ? `${text}# ${++texts}\n` : text + ' '.repeat(++texts));

/** As `callsOfEdit`, without the clipboard, which is a text of its own: it is known from the first paste. */
function callsOfPaste(text: string, paste: (text: string) => Edits): number {
  callsOfEdit(fresh(text), paste);
  return callsOfEdit(fresh(text), paste);
}

describe('the YAML parser', () => {
  it('is used by one module only', () => {
    const folder = fileURLToPath(new URL('../../../src', import.meta.url));
    const users = filesBelow(folder).filter(
      (file) => /\.tsx?$/.test(file) && /from '.*read-yaml\.ts'/.test(readFileSync(file, 'utf8')),
    );
    expect(users).toEqual([join(folder, 'language/flow/text/flow-reader.ts')]);
  });

  it('is called once for a text that is drawn for the first time', () => {
    const text = fresh(companyFlow(20));
    expect(callsOf(() => new GraphSource({ verbs: language }).read(text))).toBe(1);
    expect(callsOf(() => spokenWords(text, graphIn(text).steps[0]!.name, language))).toBe(0);
  });

  it.each(Object.entries(everyEdit))('is called at most once in each manner of writing: %s', (name, edit) => {
    const count = name.includes('paste') ? callsOfPaste : (text: string) => callsOfEdit(fresh(text), edit);
    const calls = manners.map(({ text }) => count(text, edit));
    expect(Math.max(...calls)).toBe(1);
  });

  it('is called once for an edit that follows an edit', () => {
    let now = fresh(companyFlow(40));
    const names = graphIn(now).steps.map(({ name }) => name);
    const source = new GraphSource({ verbs: language });
    source.read(now);
    for (const [index, name] of names.slice(0, 12).entries()) {
      const calls = callsOf(() => {
        const edits = renameStep(now, { from: name, to: `renamed_${index}` }, language);
        if (isRefusal(edits)) throw new Error(edits.refused);
        now = applyEdits(now, edits);
        source.read(now);
      });
      expect(calls).toBe(1);
    }
  });

  it('reads in a large flow only the step that an edit changes', () => {
    const text = fresh(companyFlow(300));
    const name = graphIn(text).steps[40]!.name;
    const source = new GraphSource({ verbs: language });
    source.read(text);
    const edits = setArgument(text, { step: name, path: ['label'], value: 'x' });
    expect([isRefusal(edits), flowReader.parsedSlices]).toEqual([false, 1]);
  });

  it.each(shippedFiles)('is called at most once for each act on a step of %s', (file) => {
    const text = fresh(textOf(file));
    const graph = graphIn(text);
    for (const { name, exits } of graph.steps) {
      const exit = exits.find(({ outcome }) => !outcome.endsWith('*'));
      const step = { play: 'One more.' };
      const words = spokenWords(text, name, language).map(({ path }) => ({ path, text: 'Other words.' }));
      const acts: ((now: string) => Edits)[] = [
        (now) => addStep(now, { name: 'one_more', step, after: name, language }),
        (now) => removeStep(now, name),
        (now) => joinStep(now, { name, language }),
        (now) => renameStep(now, { from: name, to: 'another_name' }, language),
        (now) => renameReturn(now, { from: 'done', to: 'finished' }),
        (now) => setArgument(now, { step: name, path: ['label'], value: 'x' }),
        (now) => changeWords(now, words),
        (now) => setStart(now, name),
        (now) => setEvent(now, 'hangup', name),
        (now) => setDefault(now, 'error', name),
        (now) => addPrompt(now, 'another_prompt', 'Hello.'),
      ];
      if (exit !== undefined) {
        const way = { step: name, outcome: exit.outcome, language };
        acts.push(
          (now) => retarget(now, { ...way, target: graph.steps[0]!.name }),
          (now) => removeExit(now, way),
          (now) => insertStep(now, { name: 'one_more', step, after: name, outcome: exit.outcome, language }),
          (now) => renameOutcome(now, name, { from: exit.outcome, to: 'another_outcome' }, language),
        );
      }
      for (const act of acts) expect(callsOfEdit(text, act)).toBeLessThanOrEqual(1);
      const copied = copySteps(text, [name], language);
      if (typeof copied !== 'string') throw new Error(copied.refused);
      const paste = (now: string): Edits => {
        const pasted = pasteSteps(now, copied, language, name);
        return isRefusal(pasted) ? pasted : pasted.edits;
      };
      expect(callsOfPaste(text, paste)).toBeLessThanOrEqual(1);
    }
  });

  it('is called at most once for any argument', () => {
    const text = fresh(manners[0]!.text);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const say = (now: string) => setArgument(now, { step: 'first', path: ['play'], value });
        expect(callsOfEdit(text, say)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
