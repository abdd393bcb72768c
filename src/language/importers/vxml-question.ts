/**
 * Converts VoiceXML fields and menus to `collect` and `menu`. If silence and mistakes only lead to prompts, one step
 * asks repeatedly with these prompts. Otherwise each attempt is a step with one attempt, and handlers are separate
 * steps. Used by `vxml-form.ts`; uses `vxml-input.ts` (accepted input) and `vxml-events.ts`.
 */
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { Untranslated, untranslated, worked } from './fidelity.ts';
import { END, nameFromText } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import { elementsOf, wordsOf, type XmlElement } from './read-xml.ts';
import { unviewed } from './source-views.ts';
import { promptOf } from './verb-list.ts';
import { below, isSaid } from './vxml-content.ts';
import { type EntryName, templateOf, type Vxml, type VxmlPlace } from './vxml-context.ts';
import { type FieldInput, inputOf, phrasesIn } from './vxml-input.ts';
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
    return context.todo(field, `ask for ${variable}, and ${error.message}`, next, waysOf(context, place, variable));
  }
  const options = elementsOf(field).filter(({ name }) => name === 'option');
  for (const inner of elementsOf(field)) if (/^(grammar|option|property)$/.test(inner.name)) context.nodeOf(inner);
  const { verb, args, value, choices } = input;
  const ask = planQuestion(context, place, {
    ...{ element: field, name: variable, verb, args },
    set: { [variable]: templateOf(value) },
    exits: () =>
      verb === 'menu' ? Object.fromEntries(choices.map((choice) => [choice, next()])) : { collected: next() },
    offered: options.map((option) => ({ words: wordsOf(option), keys: option.attributes['dtmf'] ?? '' })),
  });
  return input.foreign.reduce<EntryName>((next, { element, what }) => context.todo(element, what, next), ask);
}

/** Routes of a question that is to be written by hand: the handlers of the source stay reachable. */
function waysOf(context: Vxml, place: VxmlPlace, about: string): Record<string, EntryName> {
  const events = (['noinput', 'nomatch'] as const).filter((event) => handlersOf(place.scope, event).length > 0);
  const end: EntryName = () => END;
  return Object.fromEntries(
    events.map((event) => [OUTCOMES[event], context.event(event, place, { again: end, quiet: end }, about)]),
  );
}

const OUTCOMES = { noinput: 'no_input', nomatch: 'no_match' };

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

interface MenuChoice {
  element: XmlElement;
  name: string;
  words: string;
  key: string | undefined;
  say: readonly string[];
}

function choicesOf(context: Vxml, menu: XmlElement, node: ImportedNode, place: VxmlPlace): EntryName {
  const written = elementsOf(menu).filter(({ name }) => name === 'choice');
  if (written.length === 0) untranslated('offer choices: there are none');
  const counts = menu.attributes['dtmf'] === 'true';
  const isRough = menu.attributes['accept'] === 'approximate';
  if (isRough) worked(node, 'a choice is made by all of its words');
  const names = new Set<string>();
  const foreign: { element: XmlElement; what: string; ways?: Record<string, EntryName> }[] = [];
  const targets = new Map<string, EntryName>();
  const known: MenuChoice[] = [];
  let count = 0;
  for (const element of written) {
    const own = context.nodeOf(element);
    const key =
      element.attributes['dtmf']?.replaceAll(/\s+/g, '') ?? (counts && count < 9 ? String(++count) : undefined);
    const choice = choiceOf(context, { element, key, names, foreign });
    names.add(choice.name);
    const target = planChoice(context, element, own, place);
    if (choice.key === undefined && choice.say.length === 0) {
      const what = `choose ${choice.name.replaceAll('_', ' ')} by nothing: it has neither a key nor words`;
      const grammar = foreign.findLast((each) => elementsOf(element).includes(each.element));
      if (grammar === undefined) foreign.push({ element, what, ways: { [choice.name]: target } });
      else grammar.ways = { [choice.name]: target };
      continue;
    }
    known.push(choice);
    targets.set(choice.name, target);
  }
  const end: EntryName = () => END;
  const ask = known.length === 0 ? end : askChoices(context, menu, place, { known, targets });
  return foreign.reduce<EntryName>((next, { element, what, ways }) => context.todo(element, what, next, ways), ask);
}

interface ChoiceContext {
  element: XmlElement;
  key: string | undefined;
  /** Names of the choices before it. */
  names: ReadonlySet<string>;
  /** Receives the grammars that must be written by hand. */
  foreign: { element: XmlElement; what: string }[];
}

/** Phrases and key of a choice. A grammar of its own takes the place of its words. */
function choiceOf(context: Vxml, { element, key, names, foreign }: ChoiceContext): MenuChoice {
  const grammars = elementsOf(element).filter(({ name }) => name === 'grammar');
  const words = wordsOf({
    ...element,
    children: element.children.filter((child) => typeof child === 'string' || child.name !== 'grammar'),
  });
  const keys = key === undefined ? [] : [key];
  const say: string[] = [];
  for (const grammar of grammars) {
    context.nodeOf(grammar);
    try {
      const phrases = phrasesIn(grammar, context.grammars);
      keys.push(...phrases.keys);
      say.push(...phrases.say);
    } catch (error) {
      if (!(error instanceof Untranslated)) throw error;
      foreign.push({ element: grammar, what: error.message });
    }
  }
  if (say.length === 0 && words !== '') say.push(words.slice(0, 100));
  const wrong = keys.find((each) => !/^[0-9*#]{1,8}$/.test(each));
  const own = keys.find((each) => each !== wrong);
  if (wrong !== undefined) foreign.push({ element, what: `choose by ${wrong.slice(0, 20)}` });
  if (keys.length > 1 && wrong === undefined)
    foreign.push({ element, what: `choose by ${keys.slice(1).join(', ').slice(0, 60)}, too` });
  let name = nameFromText(words || say[0] || '') || `key_${{ '*': 'star', '#': 'pound' }[own!] ?? own ?? 'none'}`;
  if (/^(error|hangup|limit|timeout|exhausted|start)$/.test(name)) name = `say_${name}`;
  for (let number = 2; names.has(name); number++) name = `${name.replace(/_\d+$/, '')}_${number}`;
  return { element, name, words, key: own, say: [...new Set(say)].slice(0, 50) };
}

function askChoices(
  context: Vxml,
  menu: XmlElement,
  place: VxmlPlace,
  { known, targets }: { known: readonly MenuChoice[]; targets: ReadonlyMap<string, EntryName> },
): EntryName {
  const node = context.nodeOf(menu);
  const offers = known.map(({ name, key, say }): [string, JsonObject] => [
    name,
    defined<JsonObject>({ dtmf: key, say: say.length > 0 ? [...say] : undefined }),
  ]);
  const offered = known.map(({ words, key }) => ({ words, keys: key ?? '' }));
  const probe = inputOf(PROBE, node, place.scope, new Map());
  const { digits: _, speech, ...others } = probe.args;
  const least = isObject(speech) ? speech['min_confidence'] : undefined;
  const times: JsonObject = least === undefined ? others : { ...others, speech: { min_confidence: least } };
  const says = elementsOf(menu).some(({ name }) => name === 'prompt' || name === 'enumerate');
  const element = says ? menu : { ...menu, children: [...menu.children, ENUMERATE] };
  for (const inner of elementsOf(menu)) if (inner.name === 'property') context.nodeOf(inner);
  const args = { choices: Object.fromEntries(offers), ...times };
  return planQuestion(context, place, {
    ...{ element, name: menu.attributes['id'] ?? 'menu', verb: 'menu', args, offered },
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
        below(element).every(({ attributes }) => unviewed(attributes)['cond'] === undefined),
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
