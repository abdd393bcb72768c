/**
 * Graph edits as minimal changes of the flow text: routes, steps, arguments. Pure: each function takes the text and
 * returns edits, or the reason why there are none. `rewrite.ts` writes the changes; `rename.ts` and `clipboard.ts`
 * contain edits for names and copies.
 */
import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import { type GraphLanguage, graphOf, routeInArguments, verbOf } from '../../../../language/flow/graph.ts';
import type { Change } from '../../../../language/flow/text/change.ts';
import { type EditRefusal, type Edits, isRefusal } from '../../../../language/flow/text/edits.ts';
import { type FlowSource, openText, type Path, valueAt } from '../../../../language/flow/text/flow-source.ts';
import { addTo } from '../../../../language/flow/text/new-names.ts';
import { keysAt } from '../../../../language/flow/text/references.ts';
import { rewriteSource } from '../../../../language/flow/text/rewrite.ts';
import { t } from '../../../shared/web/words/translate.ts';

export interface ExitRef {
  step: string;
  /** Name of the exit in the graph. */
  outcome: string;
}

/** Routes an exit to another step. */
export function retarget(
  text: string,
  way: ExitRef & {
    target: string;
    language: GraphLanguage;
    /** Gives `exhausted.no_input` its own exit where `exhausted` routes it now. */
    narrow?: boolean;
  },
): Edits {
  return edited(text, ({ value }) => wayChanges(value, way, way.language));
}

/** Removes an exit of the step, so that the defaults apply to the outcome. */
export function removeExit(text: string, { step, outcome, language }: ExitRef & { language: GraphLanguage }): Edits {
  return edited(text, ({ value }) => {
    const place = wayPlace(value, { step, outcome }, language);
    if (place?.key !== outcome) return { refused: t('{step} has no exit {outcome} of its own', { step, outcome }) };
    const isLastExit = place.path[2] === 'exits' && keysAt(value, ['steps', step, 'exits']).length === 1;
    const path = isLastExit ? place.path.slice(0, 3) : place.path;
    if (path[2] !== 'exits' && path.at(-1) !== 'next') {
      return { refused: t('The verb needs {outcome}', { outcome }), hint: t('lead it to another step') };
    }
    return [{ do: 'remove', path }];
  });
}

export const setStart = (text: string, step: string): Edits =>
  edited(text, ({ value }) => setOrAdd(value, ['start'], step));

/** Sets an exit for all steps. */
export const setDefault = (text: string, outcome: string, target: string | undefined): Edits =>
  edited(text, ({ value }) => setOrRemove(value, ['defaults', 'exits', outcome], target));

export function addPrompt(text: string, key: string, words: string): Edits {
  return edited(text, ({ value }) => {
    const table = value['prompts'];
    if (typeof table === 'string') {
      return {
        refused: t('Prompts of this flow are files in {table}', { table }),
        hint: t('add a file {key} there', { key }),
      };
    }
    if (isObject(table) && Object.hasOwn(table, key)) return { refused: t('There is a prompt {key} already', { key }) };
    return setOrAdd(value, ['prompts', key], words);
  });
}

export function edited(text: string, changesOf: (source: FlowSource) => Change[] | EditRefusal): Edits {
  const source = openText(text);
  if (isRefusal(source)) return source;
  const changes = changesOf(source);
  return isRefusal(changes) ? changes : rewriteSource(source, changes);
}

const noStep = (name: string): EditRefusal => ({ refused: t('There is no step {name}', { name }) });

/** Verb of a step with its name. */
export function verbIn(flow: JsonObject, step: string, language: GraphLanguage) {
  const written = valueAt(flow, ['steps', step]);
  const name = isObject(written) ? verbOf(written, language) : '';
  return { name, ...(Object.hasOwn(language, name) ? language[name]! : undefined) };
}

interface WayPlace {
  path: Path;
  /** Key in the text: the outcome or a prefix of it. */
  key: string;
}

/** Location at which the step itself routes an outcome. */
function wayPlace(flow: JsonObject, { step, outcome }: ExitRef, language: GraphLanguage): WayPlace | undefined {
  const at: Path = ['steps', step];
  for (let key = outcome; key !== ''; key = key.includes('.') ? key.slice(0, key.lastIndexOf('.')) : '') {
    if (keysAt(flow, [...at, 'exits']).includes(key)) return { path: [...at, 'exits', key], key };
  }
  const { success } = verbIn(flow, step, language);
  if (outcome === success && valueAt(flow, [...at, 'next']) !== undefined)
    return { path: [...at, 'next'], key: outcome };
  const inArguments = routeInArguments(valueAt(flow, at) ?? null, outcome, language);
  return inArguments && { path: [...at, ...inArguments], key: outcome };
}

/** Path of the entry that routes an outcome in the step itself. Undefined if another key or the defaults route it. */
export function wayPath(flow: JsonObject, way: ExitRef, language: GraphLanguage): Path | undefined {
  const place = wayPlace(flow, way, language);
  return place?.key === way.outcome ? place.path : undefined;
}

/** Current target of an outcome, including defaults. */
export function targetNow(flow: JsonObject, { step, outcome }: ExitRef, language: GraphLanguage): string | undefined {
  const alone = { ...flow, steps: { [step]: valueAt(flow, ['steps', step]) ?? null } };
  const exits = graphOf(alone, { verbs: language }).steps[0]!.exits;
  const exit = exits.find((row) => row.outcome === outcome) ?? exits.find(({ covers }) => covers.includes(outcome));
  return exit?.target || undefined;
}

export function wayChanges(
  flow: JsonObject,
  way: ExitRef & { target: string; narrow?: boolean | undefined },
  language: GraphLanguage,
): Change[] | EditRefusal {
  const { step, outcome, target, narrow = false } = way;
  const written = valueAt(flow, ['steps', step]);
  if (written === undefined) return noStep(step);
  if (!isObject(written)) return { refused: t('{step} is not written as a step', { step }), hint: t('give it a verb') };
  if (outcome === '' || outcome.endsWith('*'))
    return { refused: t('The exit has no outcome of its own'), hint: t('name one') };
  const { success, terminal } = verbIn(flow, step, language);
  if (terminal)
    return { refused: t('The flow ends with {step}: it has no exits', { step }), hint: t('add the step before it') };
  const place = wayPlace(flow, way, language);
  if (place !== undefined && (place.key === outcome || !narrow)) return setOrAdd(flow, place.path, target);
  const exits = written['exits'];
  if (exits === undefined && outcome === success) return [addTo(flow, ['steps', step], 'next', target)];
  return setOrAdd(flow, ['steps', step, 'exits', outcome], target);
}

function setOrRemove(flow: JsonObject, path: Path, target: string | undefined): Change[] | EditRefusal {
  if (target !== undefined) return setOrAdd(flow, path, target);
  if (valueAt(flow, path) === undefined) return [];
  // Removes a map that would become empty.
  let whole = path;
  while (whole.length > 1 && keysAt(flow, whole.slice(0, -1)).length === 1) whole = whole.slice(0, -1);
  return [{ do: 'remove', path: whole }];
}

export function setOrAdd(flow: JsonObject, path: Path, to: string | number | boolean): Change[] | EditRefusal {
  const now = valueAt(flow, path);
  if (now === to) return [];
  if (now !== undefined) return [{ do: 'set', path, value: to }];
  let length = path.length - 1;
  while (length > 0 && valueAt(flow, path.slice(0, length)) === undefined) length -= 1;
  const value = path.slice(length + 1).reduceRight<Json>((inner, key) => ({ [key]: inner }), to);
  const holder = valueAt(flow, path.slice(0, length));
  if (holder !== null && !isObject(holder)) {
    return {
      refused: t('{path} is written short', { path: path.slice(0, length).join('.') }),
      hint: t('write it as a map first'),
    };
  }
  return [addTo(flow, path.slice(0, length), String(path[length]), value)];
}
