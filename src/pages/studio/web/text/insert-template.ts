/**
 * Inserts the steps of a template (`step-template.ts`) at an exit, in one group, with the prompts, variables and
 * schedules that they use. Pure.
 */
import type { Json, JsonObject } from '../../../../base/core/json.ts';
import { graphOf } from '../../../../language/flow/graph.ts';
import type { Change } from '../../../../language/flow/text/change.ts';
import { applyEdits, type EditRefusal, isRefusal } from '../../../../language/flow/text/edits.ts';
import { type FlowSource, openText, valueAt } from '../../../../language/flow/text/flow-source.ts';
import type { LanguageVerb } from '../../../../language/flow/text/language.ts';
import { keysAt, targetsIn } from '../../../../language/flow/text/references.ts';
import { rewriteSource } from '../../../../language/flow/text/rewrite.ts';
import { deleteSteps } from './delete-steps.ts';
import { type ExitRef, targetNow } from './edit.ts';
import { inLanguageOf } from './first-words.ts';
import { insertStep } from './insert-step.ts';
import { END, reachable } from './part-ways.ts';
import { type Pasted, pasteSteps } from './paste-steps.ts';
import { promptPlaces } from './spoken-words.ts';
import { pathAt, type StepTemplate } from './step-template.ts';

export interface TemplateInsertion {
  template: StepTemplate;
  /** Answers to what the template asks, in its order. */
  answers: readonly string[];
  /** Exit at which the steps are inserted. Undefined: the flow has no steps. */
  at: ExitRef | undefined;
  /** Title of the group of the steps. */
  title: string;
  language: Readonly<Record<string, LanguageVerb>>;
  /** Name of the flow, for a text that is empty. */
  flow: string;
}

export interface InsertedTemplate extends Pick<Pasted, 'edits' | 'text' | 'bounds' | 'names'> {
  /** Name of the first step. */
  entry: string;
}

export function insertTemplate(text: string, insertion: TemplateInsertion): InsertedTemplate | EditRefusal {
  const { template, at, language } = insertion;
  if (at === undefined) return intoEmpty(text, insertion);
  const host = openText(text);
  if (isRefusal(host)) return host;
  const source = openText(template.text);
  if (isRefusal(source)) return source;
  const isLast = (targetNow(host.value, at, language) ?? END) === END;
  const clip = [
    ({ value }: FlowSource) => led(value, insertion, isLast),
    ({ value }: FlowSource) => cutDown(value, insertion),
    ({ value }: FlowSource) => worded(value, host.value, insertion),
  ].reduce<FlowSource | EditRefusal>(
    (made, change) => (isRefusal(made) ? made : rewritten(made, change(made))),
    source,
  );
  if (isRefusal(clip)) return clip;
  const made = pasteSteps(text, clip.text, language, at);
  if (isRefusal(made)) return made;
  const entry = String(clip.value['start']);
  return { ...made, entry: made.names.get(entry) ?? entry };
}

/** Inserts the steps after a step of their own, which is then deleted. */
function intoEmpty(text: string, insertion: TemplateInsertion): InsertedTemplate | EditRefusal {
  const { language, flow } = insertion;
  const begun = insertStep(text, { verb: 'todo', args: '-', language, flow });
  if (isRefusal(begun)) return begun;
  const at = { step: begun.name, outcome: 'done' };
  const made = insertTemplate(applyEdits(text, begun.edits), { ...insertion, at });
  if (isRefusal(made)) return made;
  const left = deleteSteps(made.text, { steps: [begun.name], to: made.entry, language });
  if (isRefusal(left)) return left;
  return { ...made, text: left.text, edits: [{ from: 0, to: text.length, insert: left.text }] };
}

function rewritten(source: FlowSource, changes: readonly Change[]): FlowSource | EditRefusal {
  if (changes.length === 0) return source;
  const edits = rewriteSource(source, changes);
  return isRefusal(edits) ? edits : openText(applyEdits(source.text, edits));
}

/** Writes the answers and the first step. Routes to the exit lead out of the template, unless the flow ends there. */
function led(flow: JsonObject, { template, answers, language }: TemplateInsertion, isLast: boolean): Change[] {
  const { entry, exit, asks } = template;
  const answered = asks.map(({ at }, index): Change => {
    const path = pathAt(at);
    return { do: 'set', path, value: typedAs(valueAt(flow, path), answers[index] ?? '') };
  });
  const begun: Change[] = entry === undefined ? [] : [{ do: 'set', path: ['start'], value: entry }];
  const routes = isLast ? [] : targetsIn(flow, language).filter(({ name }) => name === exit);
  return [...answered, ...begun, ...routes.map(({ path }): Change => ({ do: 'set', path, value: END }))];
}

const NUMBER = /^\d{1,15}(?:\.\d+)?$/;

const typedAs = (value: Json | undefined, answer: string): Json =>
  typeof value === 'number' && NUMBER.test(answer) ? Number(answer) : answer;

/** Removes the steps that only the defaults of the template reach, because the flow has its own, and its exit. */
function cutDown({ defaults: _, ...flow }: JsonObject, { language }: TemplateInsertion): Change[] {
  const reached = reachable(graphOf(flow, { verbs: language }));
  return keysAt(flow, ['steps']).flatMap((step): Change[] =>
    reached.has(step) ? [] : [{ do: 'remove', path: ['steps', step] }],
  );
}

/** Groups the steps, and writes their words in the language of the flow. */
function worded(flow: JsonObject, host: JsonObject, { title, language }: TemplateInsertion): Change[] {
  const steps = keysAt(flow, ['steps']);
  const group = freeTitle(title, host);
  const grouped = steps.map((step): Change => ({ do: 'add', path: ['steps', step], key: 'section', value: group }));
  const said = steps.flatMap((step) => promptPlaces(flow, step, language));
  const words = said.flatMap(({ path, said: english }): Change[] => {
    const hasLanguage = path.at(-1) === 'text' && valueAt(flow, [...path.slice(0, -1), 'language']) !== undefined;
    const own = hasLanguage || !/\s/.test(english) ? english : inLanguageOf(host, english);
    return own === english ? [] : [{ do: 'set', path, value: own }];
  });
  return [...grouped, ...words];
}

/** The title, or the first free one with a number, so that two templates are two groups. */
function freeTitle(title: string, host: JsonObject): string {
  const taken = keysAt(host, ['steps']).map((step) => valueAt(host, ['steps', step, 'section']));
  if (!taken.includes(title)) return title;
  let number = 2;
  while (taken.includes(`${title} ${number}`)) number++;
  return `${title} ${number}`;
}
