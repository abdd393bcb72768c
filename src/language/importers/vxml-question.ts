/**
 * Converts VoiceXML fields and menus to `collect` and `menu`. If silence and mistakes only lead to prompts, one step
 * asks repeatedly with these prompts. Otherwise each attempt is a step with one attempt, and handlers are separate
 * steps. Used by `vxml-form.ts`; uses `vxml-input.ts` (accepted input) and `vxml-events.ts`.
 */
import { defined, type Json, type JsonObject } from '../../base/core/json.ts';
import { Untranslated, untranslated, worked } from './fidelity.ts';
import { END, nameFromText } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import { elementsOf, wordsOf, type XmlElement } from './read-xml.ts';
import { promptOf } from './verb-list.ts';
import { below, isSaid } from './vxml-content.ts';
import { type EntryName, templateOf, type Vxml, type VxmlPlace } from './vxml-context.ts';
import { type FieldInput, inputOf } from './vxml-input.ts';
import { type Offered, Prompter } from './vxml-prompts.ts';
import { handlersOf, scopeOf } from './vxml-scope.ts';

/** Limit for questions that VoiceXML repeats without limit. */
const MAX_ATTEMPTS = 20;
const SILENT: Json = { silence: '200ms' };

interface Question {
  element: XmlElement;
  name: string;
  verb: 'collect' | 'menu';
  args: JsonObject;
  set?: JsonObject;
  /** Routes of the answers. */
  exits(): JsonObject;
  offered: readonly Offered[];
}

export function planField(
  context: Vxml,
  field: XmlElement,
  variable: string,
  place: VxmlPlace,
  next: EntryName,
): EntryName {
  const node = context.nodeOf(field);
  let input: FieldInput;
  try {
    input = inputOf(field, node, place.scope, context.grammars);
  } catch (error) {
    if (!(error instanceof Untranslated)) throw error;
    return context.todo(field, `ask for ${variable}, and ${error.message}`, next);
  }
  const options = elementsOf(field).filter(({ name }) => name === 'option');
  for (const inner of elementsOf(field)) if (/^(grammar|option|property)$/.test(inner.name)) context.nodeOf(inner);
  const { verb, args, value, choices } = input;
  return planQuestion(context, place, {
    ...{ element: field, name: variable, verb, args },
    set: { [variable]: templateOf(value) },
    exits: () =>
      verb === 'menu' ? Object.fromEntries(choices.map((choice) => [choice, next()])) : { collected: next() },
    offered: options.map((option) => ({ words: wordsOf(option), keys: option.attributes['dtmf'] ?? '' })),
  });
}

export function planChoices(context: Vxml, menu: XmlElement, place: VxmlPlace): EntryName {
  const node = context.nodeOf(menu);
  const within: VxmlPlace = { ...place, scope: scopeOf(menu, place.scope) };
  try {
    return choicesOf(context, menu, node, within);
  } catch (error) {
    if (!(error instanceof Untranslated)) throw error;
    return context.todo(menu, error.message, () => END);
  }
}

function choicesOf(context: Vxml, menu: XmlElement, node: ImportedNode, place: VxmlPlace): EntryName {
  const written = elementsOf(menu).filter(({ name }) => name === 'choice');
  if (written.length === 0) untranslated('offer choices: there are none');
  let key = 0;
  const counts = menu.attributes['dtmf'] === 'true';
  const targets = new Map<string, EntryName>();
  const choices: JsonObject = {};
  const offered: Offered[] = [];
  for (const choice of written) {
    const own = context.nodeOf(choice);
    const words = wordsOf({
      ...choice,
      children: choice.children.filter((child) => typeof child === 'string' || child.name !== 'grammar'),
    });
    const keys = choice.attributes['dtmf']?.replaceAll(/\s+/g, '') ?? (counts && key < 9 ? String(++key) : undefined);
    if (keys !== undefined && !/^[0-9*#]{1,8}$/.test(keys)) untranslated(`choose by ${keys.slice(0, 20)}`);
    if (elementsOf(choice).some(({ name }) => name === 'grammar')) untranslated('choose by a grammar of its own');
    if (keys === undefined && words === '') untranslated('choose by nothing');
    let name = nameFromText(words) || `key_${{ '*': 'star', '#': 'pound' }[keys!] ?? keys}`;
    if (/^(error|hangup|limit|timeout|exhausted|start)$/.test(name)) name = `say_${name}`;
    for (let number = 2; Object.hasOwn(choices, name); number++) name = `${name.replace(/_\d+$/, '')}_${number}`;
    choices[name] = defined<JsonObject>({ dtmf: keys, say: words === '' ? undefined : [words.slice(0, 100)] });
    offered.push({ words, keys: keys ?? '' });
    targets.set(name, planChoice(context, choice, own, place));
  }
  const probe = inputOf(PROBE, node, place.scope, new Map());
  const { digits: _, speech, ...others } = probe.args;
  const least = (speech as JsonObject)['min_confidence'];
  const times: JsonObject = least === undefined ? others : { ...others, speech: { min_confidence: least } };
  const says = elementsOf(menu).some(({ name }) => name === 'prompt' || name === 'enumerate');
  const element = says ? menu : { ...menu, children: [...menu.children, ENUMERATE] };
  for (const inner of elementsOf(menu)) if (inner.name === 'property') context.nodeOf(inner);
  return planQuestion(context, place, {
    ...{ element, name: menu.attributes['id'] ?? 'menu', verb: 'menu', args: { choices, ...times }, offered },
    exits: () => Object.fromEntries([...targets].map(([name, target]) => [name, target()])),
  });
}

const piece = (name: string, attributes: Record<string, string>): XmlElement => ({
  ...{ name, attributes, children: [], source: `<${name}/>` },
  at: { file: '', line: 1, column: 1 },
});
/** Probe elements, to read the properties that a scope sets for questions. */
const PROBE = piece('field', { type: 'digits' });
const ENUMERATE = piece('enumerate', {});

function planChoice(context: Vxml, choice: XmlElement, node: ImportedNode, place: VxmlPlace): EntryName {
  const { next, event } = choice.attributes;
  if (event !== undefined) {
    const again: EntryName = () => context.questions.get(place.scope.element)?.() ?? END;
    return context.event(event, place, { again, quiet: again }, event.replaceAll('.', '_'));
  }
  if (next === undefined)
    return context.todo(
      choice,
      `lead on to ${(choice.attributes['expr'] ?? 'nowhere').slice(0, 200)}: it is known on the call only`,
      () => END,
    );
  return context.target(next, place) ?? context.application(next, node);
}

/** Prompts by the first attempt in which they play. */
function levelsOf(
  context: Vxml,
  { element, offered }: Question,
  node: ImportedNode,
): { count: number; pieces: Json[] }[] {
  const byCount = new Map<number, (XmlElement | string)[]>();
  for (const child of element.children) {
    if (!isSaid(child)) continue;
    const isPrompt = typeof child !== 'string' && child.name === 'prompt';
    const count = isPrompt ? Math.max(1, Math.round(Number(child.attributes['count'] ?? 1)) || 1) : 1;
    if (isPrompt && child.attributes['cond'] !== undefined)
      worked(context.nodeOf(child), 'it is said whatever its condition says');
    byCount.set(count, [...(byCount.get(count) ?? []), child]);
  }
  if (!byCount.has(1)) byCount.set(1, []);
  return [...byCount]
    .sort(([a], [b]) => a - b)
    .map(([count, children]) => ({ count, pieces: new Prompter(context, node, offered).pieces(children) }));
}

function planQuestion(context: Vxml, place: VxmlPlace, question: Question): EntryName {
  const node = context.nodeOf(question.element);
  let levels: { count: number; pieces: Json[] }[];
  try {
    levels = levelsOf(context, question, node);
  } catch (error) {
    if (!(error instanceof Untranslated)) throw error;
    return context.todo(question.element, error.message, () => String(Object.values(question.exits())[0] ?? END));
  }
  const words = levels.length <= 2 ? retriesOf(context, place, levels) : undefined;
  const nowhere: EntryName = () => END;
  const isCaught = handlersOf(place.scope, 'error').length > 0;
  const error = isCaught
    ? context.event('error.noresource', place, { again: nowhere, quiet: nowhere }, question.name)
    : undefined;
  const hangup = context.hangupIn(place);
  const failed = (): JsonObject => defined<JsonObject>({ error: error?.(), hangup: hangup?.() });
  const ask = (wanted: string, pieces: readonly Json[], more: JsonObject, exits: () => JsonObject): EntryName =>
    context.step(wanted, node, () => {
      const { name: _, ...step } = {
        name: wanted,
        [question.verb]: defined<JsonObject>({ prompt: promptOf(pieces), ...question.args, ...more }),
        ...(question.set && { set: question.set }),
        exits: { ...question.exits(), ...exits(), ...failed() },
      };
      return step;
    });
  if (words !== undefined) {
    const entry = ask(question.name, levels[0]!.pieces, { attempts: MAX_ATTEMPTS, ...words }, () => ({
      exhausted: END,
    }));
    note(node, `the source asks for ever; ${MAX_ATTEMPTS} times are enough`);
    remember(context, question, entry);
    return entry;
  }

  let silence: EntryName = () => END;
  let mistake: EntryName = () => END;
  const exhausted = (): JsonObject => {
    const [quiet, wrong] = [silence(), mistake()];
    return quiet === wrong ? { exhausted: quiet } : { 'exhausted.no_input': quiet, 'exhausted.no_match': wrong };
  };
  const asks = levels.map(({ pieces }, index) =>
    ask(index === 0 ? question.name : `${question.name}_again`, pieces, { attempts: 1 }, exhausted),
  );
  const again = levels.length <= 2 ? asks.at(-1)! : byRound(context, place, question, node, levels, asks);
  let listening: EntryName | undefined;
  const quiet: EntryName = () => {
    listening ??= ask(`${question.name}_listen`, [], { attempts: 1 }, exhausted);
    return listening();
  };
  silence = context.event('noinput', place, { again, quiet }, question.name);
  mistake = context.event('nomatch', place, { again, quiet }, question.name);
  remember(context, question, asks[0]!);
  return asks[0]!;
}

function remember(context: Vxml, { element, name }: Question, entry: EntryName): void {
  context.questions.set(element, entry);
  context.later(() => void context.shadows.set(name, { kind: 'field', step: entry() }));
  context.shadows.set(name, { kind: 'field', step: entry() });
}

const note = (node: ImportedNode, what: string): void => {
  if (!node.notes.includes(what)) node.notes.push(what);
};

/** Branches to the question step whose prompts belong to the current attempt. */
function byRound(
  context: Vxml,
  place: VxmlPlace,
  { name }: Question,
  node: ImportedNode,
  levels: readonly { count: number }[],
  asks: readonly EntryName[],
): EntryName {
  const counter = context.flow.variable(`${name}_prompts`, { type: 'integer', default: 0 });
  place.counters?.add(counter);
  return context.step(`${name}_round`, node, () => {
    const cases = levels
      .slice(1)
      .map(({ count }, index): Json => ({ when: `vars.${counter} >= ${count - 2}`, next: asks[index + 1]!() }));
    return { branch: [...cases.reverse(), { else: asks[0]!() }], set: { [counter]: `\${ vars.${counter} + 1 }` } };
  });
}

/** Prompts before the next attempt, if the handlers only play prompts. Undefined if they do more. */
function retriesOf(context: Vxml, place: VxmlPlace, levels: readonly { pieces: Json[] }[]): JsonObject | undefined {
  const question = levels.at(-1)!.pieces;
  const made: JsonObject = {};
  for (const event of ['noinput', 'nomatch'] as const) {
    const handlers = handlersOf(place.scope, event);
    const isWords = handlers.every(
      ({ element }) =>
        element.attributes['cond'] === undefined &&
        element.children.every((child) => isBlank(child) || isSaid(child) || isReprompt(child)) &&
        below(element).every(({ attributes }) => attributes['cond'] === undefined),
    );
    if (!isWords) return undefined;
    const retries: Json[] = [];
    const most = handlers.at(-1)?.count ?? 0;
    for (let count = 1; count <= Math.min(most, MAX_ATTEMPTS); count++) {
      const handler = handlers.findLast((each) => each.count <= count)?.element;
      if (handler === undefined) retries.push(promptOf(question) ?? SILENT);
      else {
        const said = safePieces(context, handler);
        if (said === undefined) return undefined;
        const asksAgain = handler.children.some(isReprompt);
        retries.push(promptOf([...said, ...(asksAgain ? question : [])]) ?? SILENT);
      }
    }
    if (retries.length === 0 && levels.length > 1) retries.push(promptOf(question) ?? SILENT);
    if (retries.length > 0) made[event === 'noinput' ? 'no_input' : 'no_match'] = retries;
  }
  return made;
}

const isBlank = (child: XmlElement | string): boolean => typeof child === 'string' && child.trim() === '';
const isReprompt = (child: XmlElement | string): boolean => typeof child !== 'string' && child.name === 'reprompt';

function safePieces(context: Vxml, handler: XmlElement): Json[] | undefined {
  try {
    const node = context.nodeOf(handler);
    for (const child of handler.children) if (isReprompt(child)) context.nodeOf(child as XmlElement);
    return new Prompter(context, node).pieces(handler.children.filter((child) => !isReprompt(child)));
  } catch (error) {
    if (error instanceof Untranslated) return undefined;
    throw error;
  }
}
