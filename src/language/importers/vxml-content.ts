/**
 * Converts executable content of VoiceXML to steps: blocks, `filled` and event handlers. Used by `vxml-form.ts`; uses
 * `vxml-events.ts` and `vxml-prompts.ts`.
 *
 * Targets are `EntryName` functions, resolved after everything is planned, because dialogs can lead to each other in loops.
 */
import { defined, type Json, type JsonObject } from '../../base/core/json.ts';
import { ignored, todoOf, Untranslated, untranslated, worked } from './fidelity.ts';
import { documentNameOf } from './file-names.ts';
import { END, textOf, wordOf } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import { javascriptCondition, javascriptValue } from './javascript.ts';
import { quotedText, type TemplatePart, textOfTemplate } from './jsonata-text.ts';
import { elementsOf, wordsOf, type XmlElement } from './read-xml.ts';
import { unitTimeAt } from './source-numbers.ts';
import { unviewed } from './source-views.ts';
import { nameOfPrompt, promptOf } from './verb-list.ts';
import { type EntryName, namesOf, templateOf, type Vxml, type VxmlPlace } from './vxml-context.ts';
import { Prompter, speaks } from './vxml-prompts.ts';

export const branchOf = (cases: readonly Json[], otherwise: string): Json[] => [...cases, { else: otherwise }];

type Child = XmlElement | string;
type Plan = (context: Vxml, element: XmlElement, place: VxmlPlace, next: EntryName) => EntryName;

/**
 * Returns the first step of `children`; the last one continues at `next`. `owner` is the node to which their prompts
 * belong.
 */
export function planContent(
  context: Vxml,
  children: readonly Child[],
  place: VxmlPlace,
  next: EntryName,
  owner: ImportedNode,
): EntryName {
  const entries: EntryName[] = [];
  const after =
    (index: number): EntryName =>
    () =>
      entries[index + 1]?.() ?? next();
  const groups = groupsOf(children);
  for (const [index, group] of groups.entries()) {
    const [first] = group;
    if (first === undefined) continue;
    if (isSaid(first)) entries[index] = planWords(context, group, place, after(index), owner);
    else entries[index] = planElement(context, first as XmlElement, place, after(index));
  }
  return () => entries[0]?.() ?? next();
}

/** Groups adjacent prompts, which share a step. A condition starts a new group. */
function groupsOf(children: readonly Child[]): Child[][] {
  const groups: Child[][] = [];
  let row: Child[] | undefined;
  for (const child of children) {
    if (typeof child === 'string' && child.trim() === '') {
      row?.push(child);
    } else if (isSaid(child) && !isConditional(child)) {
      if (row === undefined) {
        row = [];
        groups.push(row);
      }
      row.push(child);
    } else {
      row = undefined;
      groups.push([child]);
    }
  }
  return groups;
}

const isConditional = (child: Child): boolean =>
  typeof child !== 'string' && unviewed(child.attributes)['cond'] !== undefined;

/** True if the child is a prompt. A list of prompts counts. */
export const isSaid = (child: Child): boolean =>
  speaks(child) ||
  (typeof child !== 'string' &&
    child.name === 'foreach' &&
    child.children.every((each) => isBlank(each) || isSaid(each)));

const isBlank = (child: Child): boolean => typeof child === 'string' && child.trim() === '';

function planWords(
  context: Vxml,
  group: readonly Child[],
  place: VxmlPlace,
  next: EntryName,
  owner: ImportedNode,
): EntryName {
  const [first] = group;
  const prompts = group.filter((child) => typeof child !== 'string' && child.name === 'prompt') as XmlElement[];
  const node = prompts.length > 0 ? context.nodeOf(prompts[0]!) : owner;
  const cond = typeof first === 'string' || first?.name !== 'prompt' ? undefined : first.attributes['cond'];
  let pieces: Json[];
  let when: string | undefined;
  try {
    when = cond === undefined ? undefined : javascriptCondition(cond, namesOf(context));
    pieces = new Prompter(context, node).pieces(group);
  } catch (error) {
    if (!(error instanceof Untranslated)) throw error;
    if (group.length === 1) {
      if (typeof first !== 'string') return context.todo(first!, error.message, next);
      const made = todoOf(owner, error.message);
      return context.step('todo', owner, () => ({ ...made, next: next() }));
    }
    const entries: EntryName[] = group.map((child, index) =>
      planWords(context, [child], place, () => entries[index + 1]?.() ?? next(), owner),
    );
    return () => entries[0]!();
  }
  if (pieces.length === 0) return next;
  const play = context.step(`say_${nameOfPieces(pieces)}`, node, () => ({ play: promptOf(pieces)!, next: next() }));
  for (const prompt of prompts.slice(1)) context.nodeOf(prompt).steps.push(...node.steps.slice(-1));
  if (when === undefined) return play;
  return context.step('whether_to_say', node, () => ({ branch: branchOf([{ when, next: play() }], next()) }));
}

/** Step name from the constant words of the prompts, or else from the sound. */
function nameOfPieces(pieces: readonly Json[]): string {
  const texts = pieces.map((piece): Json => {
    if (typeof piece === 'string') return piece.replaceAll(/\$\{[^}]*\}/g, ' ');
    const { audio, text } = (piece ?? {}) as JsonObject;
    return audio === undefined ? piece : { text: typeof text === 'string' ? text : documentNameOf(String(audio)) };
  });
  const name = nameOfPrompt(texts);
  return name === 'something' ? 'words' : name;
}

function planElement(context: Vxml, element: XmlElement, place: VxmlPlace, next: EntryName): EntryName {
  const plan = Object.hasOwn(PLANS, element.name) ? PLANS[element.name]! : undefined;
  try {
    return plan ? plan(context, element, place, next) : untranslated(`do what <${element.name.slice(0, 60)}> does`);
  } catch (error) {
    if (!(error instanceof Untranslated)) throw error;
    return context.todo(element, error.message, next);
  }
}

/** Converts a JavaScript value; literals stay literals. */
export function jsonOf(context: Vxml, written: string | undefined): Json {
  if (written === undefined) return null;
  const expression = javascriptValue(written, namesOf(context));
  if (/^-?\d{1,15}(\.\d+)?$/.test(expression) || /^(true|false|null)$/.test(expression))
    return JSON.parse(expression) as Json;
  const [, text] = /^'([^'$]*)'$/.exec(expression) ?? [];
  return text ?? templateOf(expression);
}

/** Variable for a name with or without its scope. */
export function variableOf(context: Vxml, written: string | undefined): string {
  const name = (written ?? '').trim().replace(/^(application|document|dialog)\./, '');
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) untranslated(`set ${name.slice(0, 60) || 'a variable without a name'}`);
  return context.flow.variable(name);
}

const set = (context: Vxml, node: ImportedNode, wanted: string, values: JsonObject, next: EntryName): EntryName =>
  context.step(wanted, node, () => ({ set: values, next: next() }));

const assign: Plan = (context, element, _place, next) => {
  const { name, expr } = element.attributes;
  const variable = variableOf(context, name);
  return set(context, context.nodeOf(element), `set_${variable}`, { [variable]: jsonOf(context, expr) }, next);
};

const clear: Plan = (context, element, place, next) => {
  const written = element.attributes['namelist']?.split(/\s+/).filter(Boolean) ?? place.itemNames ?? [];
  if (written.length === 0) untranslated('clear the fields: there are none');
  const names = written.map((name) => variableOf(context, name));
  return set(context, context.nodeOf(element), 'clear', Object.fromEntries(names.map((name) => [name, null])), next);
};

const condition: Plan = (context, element, place, next) => {
  const node = context.nodeOf(element);
  const ways: { cond?: string | undefined; children: Child[] }[] = [
    { cond: element.attributes['cond'] ?? '', children: [] },
  ];
  for (const child of element.children) {
    if (typeof child !== 'string' && (child.name === 'elseif' || child.name === 'else')) {
      context.nodeOf(child);
      ways.push({ cond: child.name === 'else' ? undefined : (child.attributes['cond'] ?? ''), children: [] });
    } else ways.at(-1)!.children.push(child);
  }
  const conditions = ways.map(({ cond }) =>
    cond === undefined ? undefined : javascriptCondition(cond, namesOf(context)),
  );
  let entries: EntryName[] = [];
  const branch = context.step('whether', node, () => {
    const cases = conditions.flatMap((when, index): Json[] =>
      when === undefined ? [] : [{ when, next: entries[index]!() }],
    );
    const otherwise = conditions.indexOf(undefined);
    return { branch: branchOf(cases, otherwise < 0 ? next() : entries[otherwise]!()) };
  });
  entries = ways.map(({ children }) => planContent(context, children, place, nextIn(children, place, next), node));
  return branch;
};

/** A handler that ends with `reprompt` asks the question again. */
export const nextIn = (children: readonly Child[], place: VxmlPlace, next: EntryName): EntryName =>
  place.again !== undefined && children.some((child) => typeof child !== 'string' && child.name === 'reprompt')
    ? place.again
    : next;

/** Literal references are known at import time. */
function referenceOf(context: Vxml, { name, attributes }: XmlElement, ...keys: string[]): string {
  const written = keys.map((key) => attributes[key]).find((each) => each !== undefined);
  if (written !== undefined) return written;
  const { expr } = attributes;
  const value = expr === undefined ? undefined : jsonOf(context, expr);
  if (typeof value === 'string' && !value.startsWith('${')) return value;
  return untranslated(`lead on to ${(expr ?? `where <${name}> says`).slice(0, 200)}: it is known on the call only`);
}

const goTo: Plan = (context, element, place) => {
  const node = context.nodeOf(element);
  const { nextitem, expritem } = element.attributes;
  if (expritem !== undefined)
    untranslated(`lead on to the item ${expritem.slice(0, 100)}: it is known on the call only`);
  if (nextitem !== undefined)
    return place.items?.get(nextitem) ?? untranslated(`lead on to ${nextitem.slice(0, 60)}: there is no such item`);
  const reference = referenceOf(context, element, 'next');
  return context.target(reference, place) ?? context.application(reference, node);
};

/** Submitting to an imported document passes no values: its steps read the same variables. */
const submit: Plan = (context, element, place) => {
  const node = context.nodeOf(element);
  const reference = referenceOf(context, element, 'next');
  return context.target(reference, place) ?? context.application(reference, node);
};

const exit: Plan = (context, element) => {
  const node = context.nodeOf(element);
  if (element.attributes['namelist'] !== undefined || element.attributes['expr'] !== undefined)
    worked(node, 'what it gives back goes nowhere');
  return () => END;
};

const back: Plan = (context, element, place) => {
  const node = context.nodeOf(element);
  const { namelist = '', event, eventexpr } = element.attributes;
  if (event !== undefined || eventexpr !== undefined)
    untranslated(`return with the event ${(event ?? eventexpr)!.slice(0, 60)}`);
  const { returns } = place;
  if (returns === undefined) return () => END;
  const names = namelist
    .split(/\s+/)
    .filter(Boolean)
    .map((name) => [name, variableOf(context, name)] as const);
  const parts = names.map(([name, variable]) => `${quotedText(name.replace(/^.*\./, ''))}: vars.${variable}`);
  return set(context, node, 'return', { [returns.name]: templateOf(`{ ${parts.join(', ')} }`) }, returns.next);
};

const raise: Plan = (context, element, place, next) => {
  const event = element.attributes['event'] ?? untranslated('throw an event: its name is known on the call only');
  context.nodeOf(element);
  return context.event(event, place, { again: place.again ?? next, quiet: next }, wordOf(event, 'event'));
};

const log: Plan = (context, element, _place, next) => {
  const node = context.nodeOf(element);
  const { label, expr } = element.attributes;
  const parts: TemplatePart[] = label === undefined ? [] : [{ text: `${label}: ` }];
  for (const child of element.children) {
    if (typeof child === 'string') parts.push({ text: child.replaceAll(/\s+/g, ' ') });
    else if (child.name === 'value') {
      context.nodeOf(child);
      parts.push({ expression: javascriptValue(child.attributes['expr'] ?? '', namesOf(context)) });
    } else untranslated(`log <${child.name.slice(0, 60)}>`);
  }
  if (expr !== undefined) parts.push({ expression: javascriptValue(expr, namesOf(context)) });
  const message = textOfTemplate(parts).trim().slice(0, 1000);
  return message === '' ? next : context.step('log', node, () => ({ log: message, next: next() }));
};

/** Converts a script of assignments. Functions must be written by hand. */
const script: Plan = (context, element, _place, next) => {
  const node = context.nodeOf(element);
  if (element.attributes['src'] !== undefined) untranslated(`run ${element.attributes['src'].slice(0, 200)}`);
  const statements = wordsOf(element)
    .split(';')
    .map((each) => each.trim())
    .filter(Boolean);
  const assigned = statements.map((statement) => {
    const [, name, expr] =
      /^(?:var\s+)?([A-Za-z_$][\w$.]*)\s*=(?!=)\s*(.+)$/s.exec(statement) ??
      untranslated(`run ${statement.slice(0, 200)}`);
    const variable = variableOf(context, name);
    return [variable, jsonOf(context, expr)] as const;
  });
  const entries: EntryName[] = assigned.map(([variable, value], index) =>
    set(context, node, `set_${variable}`, { [variable]: value }, () => entries[index + 1]?.() ?? next()),
  );
  return entries[0] ?? next;
};

/** The response is a single value; VoiceXML reads it as XML. */
const data: Plan = (context, element, place, next) => {
  const node = context.nodeOf(element);
  const { name, src, srcexpr, method = 'get', namelist = '' } = element.attributes;
  const url = src !== undefined ? textOf(src) : srcexpr === undefined ? undefined : jsonOf(context, srcexpr);
  if (typeof url !== 'string' || !/^(https?:\/\/|\$\{)/.test(url))
    untranslated(`ask ${String(url ?? 'a URL').slice(0, 200)}: it is not an address of the web`);
  worked(node, 'the answer is read as JSON, not as XML');
  const names = namelist
    .split(/\s+/)
    .filter(Boolean)
    .map((each) => variableOf(context, each));
  const isPost = method.toLowerCase() === 'post';
  const form = Object.fromEntries(names.map((each) => [each, `\${ vars.${each} }`]));
  const query = names.map((each) => `${each}=\${ vars.${each} }`).join('&');
  const request = defined<JsonObject>({
    [isPost ? 'post' : 'get']: isPost || query === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${query}`,
    form: isPost && names.length > 0 ? form : undefined,
    timeout: unitTimeAt(node, element.attributes, 'fetchtimeout'),
  });
  const variable = name === undefined ? undefined : variableOf(context, name);
  const failed = context.event('error.badfetch', place, { again: place.again ?? next, quiet: next }, 'fetch');
  return context.step(`request_${variable ?? 'data'}`, node, () => ({
    request,
    ...(variable !== undefined && { set: { [variable]: '${ $exists(result.body) ? result.body : null }' } }),
    exits: { ok: next(), not_found: failed(), failed: failed() },
  }));
};

const PLANS: Readonly<Record<string, Plan>> = {
  assign,
  clear,
  submit,
  exit,
  log,
  script,
  data,
  var: assign,
  if: condition,
  goto: goTo,
  return: back,
  throw: raise,
  disconnect: (context, element) => context.step('hang_up', context.nodeOf(element), () => ({ hangup: 'normal' })),
  // `nextIn` resolves its target from the enclosing content.
  reprompt: (context, element, place, next) => {
    const node = context.nodeOf(element);
    if (place.again === undefined) ignored(node, 'nothing was asked before it');
    return next;
  },
};

/** True if no content after these children is executed. */
export function leaves(children: readonly Child[]): boolean {
  const last = children.filter((child) => !isBlank(child)).at(-1);
  if (last === undefined || typeof last === 'string') return false;
  if (/^(goto|submit|exit|disconnect|return)$/.test(last.name)) return true;
  return false;
}

/** All descendants of an element. */
export const below = (element: XmlElement): XmlElement[] =>
  elementsOf(element).flatMap((child) => [child, ...below(child)]);
