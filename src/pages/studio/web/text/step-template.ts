/** Template of several steps: a flow with the key `template`. `insert-template.ts` inserts its steps. Pure. */
import { isObject, type JsonObject } from '../../../../base/core/json.ts';
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { openText, type Path } from '../../../../language/flow/text/flow-source.ts';

/** Value that a person gives before the steps are inserted. */
export interface TemplateAsk {
  /** JSON Pointer to the value in the flow. */
  at: string;
  question: string;
  hint?: string;
  value?: string;
}

export interface StepTemplate {
  name: string;
  sentence: string;
  words: readonly string[];
  /** First of the inserted steps. Default: `start` of the flow. */
  entry?: string;
  /** Step in whose place the other flow continues. */
  exit?: string;
  asks: readonly TemplateAsk[];
  /** Text of the flow. */
  text: string;
  /** Verb of the first step. */
  verb: string;
}

/** Undefined if the flow has no key `template`. */
export function readTemplate(text: string, verbs: Readonly<Record<string, unknown>>): StepTemplate | undefined {
  const source = openText(text);
  if (isRefusal(source)) return undefined;
  const { template, steps, start } = source.value;
  if (!isObject(template) || !isObject(steps)) return undefined;
  const { words = [], asks = [], ...described } = template as unknown as Omit<StepTemplate, 'text' | 'verb'>;
  const first = steps[described.entry ?? String(start)];
  const verb = Object.keys((first ?? {}) as JsonObject).find((key) => Object.hasOwn(verbs, key));
  return verb === undefined ? undefined : { ...described, words, asks, text, verb };
}

export const pathAt = (pointer: string): Path =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => (/^\d+$/.test(key) ? Number(key) : key));
