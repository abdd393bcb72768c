/**
 * Random acts of a hand on random flows: the flow is sound after each of them, and undo gives back its characters.
 * `TEST_ROUNDS=50` tries fifty times as many.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileFlow } from '../../../src/language/flow/compile.ts';
import type { FlowGraph } from '../../../src/language/flow/graph.ts';
import { languageOf } from '../../../src/language/flow/language.ts';
import {
  applyEdits,
  type Edit,
  type EditRefusal,
  inverseOf,
  isRefusal,
} from '../../../src/language/flow/text/edits.ts';
import { extractSteps } from '../../../src/language/flow/text/extract-flow.ts';
import { openText } from '../../../src/language/flow/text/flow-source.ts';
import { GraphSource } from '../../../src/language/flow/text/graph-source.ts';
import { inlineStep } from '../../../src/language/flow/text/inline-flow.ts';
import { setNote } from '../../../src/language/flow/text/notes.ts';
import { renameStep } from '../../../src/language/flow/text/rename.ts';
import { copySteps } from '../../../src/pages/studio/web/text/clipboard.ts';
import { reroute } from '../../../src/pages/studio/web/text/close-loop.ts';
import { deleteSteps, planDeletion } from '../../../src/pages/studio/web/text/delete-steps.ts';
import { insertStep } from '../../../src/pages/studio/web/text/insert-step.ts';
import { moveSteps } from '../../../src/pages/studio/web/text/move-steps.ts';
import { pasteSteps } from '../../../src/pages/studio/web/text/paste-steps.ts';
import { changeWords, spokenWords } from '../../../src/pages/studio/web/text/spoken-words.ts';
import { verbs } from '../../../src/verbs/steps.ts';
import { rounds } from '../../rounds.ts';
import { graphIn, language, pathOf, shippedFiles, textOf } from '../graph/flows.ts';
import { LANGUAGE } from './extracted-calls.ts';
import { argumentsOf } from './first-answers.ts';
import { setArgument } from './plain-edits.ts';

const { verbs: known } = languageOf(verbs);
const NAMES = Object.keys(known).filter((verb) => verb !== 'todo');

/** Random numbers that an act reads as choices among what the flow offers. */
interface Act {
  kind: string;
  a: number;
  b: number;
  c: number;
}

type Hand = (text: string, act: Act) => readonly Edit[] | EditRefusal;

const NOTHING: EditRefusal = { refused: 'there is nothing to choose' };
const among = <Item>(items: readonly Item[], number: number): Item | undefined => items[number % (items.length || 1)];
const stepsOf = (text: string): string[] => graphIn(text).steps.map(({ name }) => name);
const waysOf = (text: string) =>
  graphIn(text).steps.flatMap(({ name: step, exits }) =>
    exits.flatMap(({ outcome }) => (outcome.endsWith('*') ? [] : [{ step, outcome }])),
  );
const editsOf = (made: { edits: readonly Edit[] } | EditRefusal): readonly Edit[] | EditRefusal =>
  isRefusal(made) ? made : made.edits;

const WITHOUT_FILES = shippedFiles.filter((file) => file.startsWith('flows/'));

const HANDS: Readonly<Record<string, Hand>> = {
  insert(text, { a, b }) {
    const at = among(waysOf(text), a);
    const verb = among(NAMES, b)!;
    const start = graphIn(text).start ?? stepsOf(text)[0]!;
    return at ? editsOf(insertStep(text, { verb, args: argumentsOf(verb, start), at, language: known })) : NOTHING;
  },
  reroute(text, { a, b }) {
    const way = among(waysOf(text), a);
    const target = among([...stepsOf(text), '$end'], b)!;
    return way ? editsOf(reroute(text, { ...way, target, language })) : NOTHING;
  },
  delete(text, { a, b, c }) {
    const steps = stepsOf(text);
    const gone = [...new Set([among(steps, a)!, ...(c % 3 === 0 ? [among(steps, b)!] : [])])];
    const plan = planDeletion(text, gone, language);
    if (isRefusal(plan)) return plan;
    const { target, lost } = among(plan.targets, c)!;
    const along = b % 2 === 0 ? lost : [];
    return editsOf(deleteSteps(text, { steps: gone, to: target, along, language }));
  },
  rename: (text, { a, b }) => renameStep(text, { from: among(stepsOf(text), a)!, to: `renamed_${b}` }, language),
  note(text, { a, b }) {
    const source = openText(text);
    return isRefusal(source) ? source : setNote(source, among(stepsOf(text), a)!, b % 4 === 0 ? '' : `Note ${b}.`);
  },
  words(text, { a, b }) {
    const spoken = spokenWords(text, among(stepsOf(text), a)!, language);
    // Words in place of a template decide which outcomes there are.
    const words = spoken.filter((each) => !each.text.includes('${'));
    return words.length === 0 ? NOTHING : changeWords(text, [{ path: words[0]!.path, text: `Other words, ${b}.` }]);
  },
  paste(text, { a, b, c }) {
    // Steps of this flow, or of another one, which needs no files beside it.
    const from = c % 2 === 0 ? text : textOf(among(WITHOUT_FILES, c)!);
    const steps = stepsOf(from);
    const copied = copySteps(from, [...new Set([among(steps, a)!, among(steps, b)!])], language);
    if (typeof copied !== 'string') return copied;
    return editsOf(pasteSteps(text, copied, language, b % 3 === 0 ? undefined : among(waysOf(text), b)));
  },
  move(text, { a, b, c }) {
    const steps = stepsOf(text);
    const moved = [...new Set([among(steps, a)!, ...(c % 2 === 0 ? [among(steps, a + 1)!] : [])])];
    const line = among(waysOf(text), b);
    return line ? editsOf(moveSteps(text, { steps: moved, line, language })) : NOTHING;
  },
  extract(text, { a, b, c }) {
    const steps = stepsOf(text);
    const chosen = steps.slice(a % steps.length, (a % steps.length) + 1 + (b % 4));
    const made = extractSteps(text, { language: LANGUAGE, name: `part_${c}`, steps: chosen });
    return 'problems' in made ? { refused: 'it cannot be extracted' } : made.edits;
  },
  inline(text, { a }) {
    const runs = graphIn(text).steps.flatMap(({ name, verb }) => (verb === 'subflow' ? name : []));
    const step = among(runs, a);
    return step === undefined ? NOTHING : editsOf(inlineStep(text, { step, language: LANGUAGE }));
  },
  label: (text, { a, b }) =>
    setArgument(text, {
      step: among(stepsOf(text), a)!,
      path: ['label'],
      value: b % 3 === 0 ? undefined : `Label ${b}`,
    }),
};

const acts = fc.array(
  fc.record({
    kind: fc.constantFrom(...Object.keys(HANDS)),
    a: fc.nat(1000),
    b: fc.nat(1000),
    c: fc.nat(1000),
  }),
  { minLength: 1, maxLength: 12 },
);

/** Errors by code. A name in a message may change, since steps are renamed. */
function errorsIn(text: string, file: string): string[] {
  const { diagnostics } = compileFlow(text, pathOf(file), verbs, {});
  return diagnostics.flatMap(({ severity, code, message }) => (severity === 'error' ? `${code}: ${message}` : []));
}
/** The whole text, read at once, has no lines. */
const withoutLines = (graph: FlowGraph): unknown =>
  JSON.parse(JSON.stringify(graph, (key, value) => (key === 'line' ? undefined : (value as unknown))));
const commentsIn = (text: string): string[] => [...text.matchAll(/(?<=^|\s)#\s*(\S.*)$/gm)].map(([, words]) => words!);

describe('a random act on a flow', () => {
  it('keeps the flow sound and its comments, and is undone to the character', () => {
    const run = (file: string, list: readonly Act[]): void => {
      const first = textOf(file);
      const known = errorsIn(first, file);
      const source = new GraphSource({ verbs: language });
      source.read(first);
      let text = first;
      const done: { before: string; edits: readonly Edit[] }[] = [];
      for (const act of list) {
        const edits = HANDS[act.kind]!(text, act);
        if ('refused' in edits) continue;
        const after = applyEdits(text, edits);
        const context = `${act.kind} of ${JSON.stringify(list)} in ${file}\n${after}`;
        const made = errorsIn(after, file).filter((error) => !known.includes(error));
        expect(made, context).toEqual([]);
        expect(withoutLines(source.read(after).graph), context).toEqual(withoutLines(graphIn(after)));
        const kept = commentsIn(after);
        if (act.kind !== 'delete' && act.kind !== 'note') {
          expect(
            commentsIn(text).filter((comment) => !kept.includes(comment)),
            context,
          ).toEqual([]);
        }
        done.push({ before: text, edits });
        text = after;
      }
      for (const { before, edits } of done.toReversed()) {
        text = applyEdits(text, inverseOf(before, edits));
        expect(text).toBe(before);
      }
    };
    fc.assert(fc.property(fc.constantFrom(...shippedFiles), acts, run), { numRuns: rounds(10) });
  });
});
