/** Turns a step `todo` into a step of a verb. Routes that the verb can take stay, the others lead as for a new step. Pure. */
import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import { findOutcomes } from '../../../../language/flow/possible-outcomes.ts';
import type { Change } from '../../../../language/flow/text/change.ts';
import { type EditRefusal, isRefusal } from '../../../../language/flow/text/edits.ts';
import { openText, valueAt } from '../../../../language/flow/text/flow-source.ts';
import type { LanguageVerb } from '../../../../language/flow/text/language.ts';
import { rewriteSource } from '../../../../language/flow/text/rewrite.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { setOrAdd } from './edit.ts';
import { inWordsOf } from './first-words.ts';
import { declarations, type Inserted, stepOn } from './insert-step.ts';
import { isLater } from './later-step.ts';
import { END } from './part-ways.ts';

export interface Turn {
  /** Name of the step `todo`. */
  step: string;
  verb: string;
  /** Arguments of the verb, as `first-arguments.ts` gives them. */
  args: Json;
  language: Readonly<Record<string, LanguageVerb>>;
}

export function turnStep(text: string, { step: name, verb, args, language }: Turn): Inserted | EditRefusal {
  const source = openText(text);
  if (isRefusal(source)) return source;
  const { value: flow } = source;
  const old = valueAt(flow, ['steps', name]);
  if (!isLater(old)) return { refused: t('{name} is not a step to do', { name }) };
  const { todo: _, next: oldNext, exits: oldExits, ...others } = old;
  const ways = new Map(Object.entries((isObject(oldExits) ? oldExits : {}) as Record<string, string>));
  const { success } = language[verb]!;
  const [first] = ways.values();
  const next = ways.get(success ?? '') ?? (typeof oldNext === 'string' ? oldNext : (ways.get('done') ?? first ?? END));
  const at = { step: name, outcome: success ?? 'done' };
  const made = stepOn(flow, { verb, args: inWordsOf(flow, args), at, language, name, next });
  const { exits: newExits, ...whole } = made.step;
  const exits = keptWays((newExits ?? {}) as Record<string, string>, ways, { verb, args, language });
  const value: JsonObject = { ...whole, ...(Object.keys(exits).length > 0 && { exits }), ...others };
  const defaults = made.broken === undefined ? [] : setOrAdd(flow, ['defaults', 'exits', 'error'], made.broken);
  if (isRefusal(defaults)) return defaults;
  const changes: Change[] = [
    ...defaults,
    ...declarations(flow, { verb, args, language }),
    { do: 'set', path: ['steps', name], value },
  ];
  const edits = rewriteSource(source, changes);
  return isRefusal(edits) ? edits : { edits, name, next, ...(made.broken !== undefined && { broken: made.broken }) };
}

/** Routes of the new step, with those of the old one that its verb can take. */
function keptWays(
  made: Readonly<Record<string, string>>,
  ways: ReadonlyMap<string, string>,
  { verb, args, language }: Omit<Turn, 'step'>,
): Record<string, string> {
  const { success } = language[verb]!;
  const outcomes = findOutcomes(language[verb]!, args);
  const exits = { ...made };
  for (const [outcome, target] of ways) {
    const found = outcomes.find(({ name }) => name === outcome || name.startsWith(`${outcome}.`));
    const isOwn = found !== undefined && found.entry.target === undefined && outcome !== success;
    if (isOwn && exits[outcome.split('.')[0]!] !== target) exits[outcome] = target;
  }
  return exits;
}
