/**
 * Converts VoiceXML forms to steps. Items are visited in order, each until its variable has a value (form
 * interpretation algorithm, VoiceXML 2.0, appendix C). If a form clears a variable or jumps to one of its items, it
 * searches again from the first item; otherwise it keeps the order of the document.
 *
 * Related: `vxml-question.ts` (fields and menus), `vxml-items.ts` (records, transfers, subdialogs), `vxml-content.ts`.
 */
import type { JsonObject } from '../../base/core/json.ts';
import { Untranslated } from './fidelity.ts';
import { END, wordOf } from './flow-writer.ts';
import { javascriptCondition } from './javascript.ts';
import { elementsOf, type XmlElement } from './read-xml.ts';
import { unviewed } from './source-views.ts';
import { below, branchOf, jsonOf, planContent, variableOf } from './vxml-content.ts';
import { type EntryName, namesOf, type Vxml, type VxmlDocument, type VxmlPlace } from './vxml-context.ts';
import { planRecord, planSubdialog, planTransfer } from './vxml-items.ts';
import { planChoices, planField } from './vxml-question.ts';
import { scopeOf } from './vxml-scope.ts';

const ITEMS = ['block', 'field', 'record', 'transfer', 'subdialog', 'initial', 'object'];
const INPUTS = ['field', 'record', 'transfer', 'subdialog', 'object'];

interface Item {
  element: XmlElement;
  variable: string;
  /** True if the item is visited only while its variable is undefined. */
  isGuarded: boolean;
}

export function planForm(
  context: Vxml,
  form: XmlElement,
  document: VxmlDocument,
  above: Pick<VxmlPlace, 'returns' | 'depth'>,
): EntryName {
  const node = context.nodeOf(form);
  const elements = elementsOf(form).filter(({ name }) => ITEMS.includes(name));
  const items = elements.map((element, index): Item => {
    const name = element.attributes['name'] ?? `${element.name}_${index + 1}`;
    return {
      element,
      variable: element.name === 'block' ? wordOf(name, 'block') : context.flow.variable(name),
      isGuarded: false,
    };
  });
  const isOpen = leadsBack(form, items);
  // Prompts before the first question play once, even if questions are asked again.
  const firstAsked = isOpen
    ? items.findIndex(
        ({ element }) =>
          element.name !== 'block' ||
          element.attributes['name'] !== undefined ||
          unviewed(element.attributes)['cond'] !== undefined,
      )
    : items.length;
  for (const [index, item] of items.entries()) {
    item.isGuarded = isOpen && firstAsked >= 0 && index >= firstAsked;
    if (item.isGuarded) context.flow.variable(item.variable);
  }

  const counters = new Set<string>();
  const entries = new Map<string, EntryName>();
  const starts: EntryName[] = [];
  const startOf =
    (index: number): EntryName =>
    () =>
      starts[index]?.() ?? END;
  const place: VxmlPlace = {
    ...{ document, counters, scope: scopeOf(form, document.scope) },
    ...{ items: entries, itemNames: items.map(({ variable }) => variable), ...above },
  };
  const begin = planBegin(context, form, items, place, startOf(0));
  for (const [index, item] of items.entries()) {
    const { element } = item;
    const next = item.isGuarded ? startOf(firstAsked) : startOf(index + 1);
    const filled = planFilled(context, form, items, index, place, next, isOpen);
    const own = planItem(context, item, place, element.name === 'block' ? next : filled);
    const name = element.attributes['name'];
    if (name !== undefined) entries.set(name, own);
    starts[index] = guarded(context, item, own, startOf(index + 1));
  }
  for (const inner of elementsOf(form)) if (inner.name === 'filled' || inner.name === 'property') context.nodeOf(inner);
  return () => {
    const there = begin();
    if (!node.steps.includes(there) && there !== END) node.steps.push(there);
    return there;
  };
}

/** True if the form can visit an item again after it was filled. */
function leadsBack(form: XmlElement, items: readonly Item[]): boolean {
  const written = ({ attributes }: XmlElement) => unviewed(attributes);
  const names = items.map(({ element }) => written(element)['name']).filter((name) => name !== undefined);
  const isSet = (inner: XmlElement) => inner.name === 'assign' && names.includes(written(inner)['name'] ?? '');
  return (
    items.some(({ element }) => written(element)['expr'] !== undefined) ||
    below(form).some((inner) => inner.name === 'clear' || written(inner)['nextitem'] !== undefined || isSet(inner))
  );
}

/** Sets the variables of the form, its items and its counters to their initial values. */
function planBegin(
  context: Vxml,
  form: XmlElement,
  items: readonly Item[],
  place: VxmlPlace,
  next: EntryName,
): EntryName {
  const given = place.returns?.given ?? [];
  const written = elementsOf(form).filter(({ name }) => name === 'var' || name === 'script');
  const kept = written.filter(({ name, attributes }) => !(name === 'var' && given.includes(attributes['name'] ?? '')));
  for (const variable of written) {
    const node = context.nodeOf(variable);
    if (variable.name === 'var' && !kept.includes(variable)) node.notes.push('the subdialog is given it');
  }
  const own = planContent(context, kept, place, next, context.nodeOf(form));
  return beginning(context, form.attributes['id'] ?? place.document.name, own, () => {
    const made: JsonObject = {};
    for (const { element, variable, isGuarded } of items) {
      if (isGuarded) made[variable] = safely(() => jsonOf(context, element.attributes['expr'])) ?? null;
    }
    for (const counter of place.counters ?? []) made[counter] = 0;
    return made;
  });
}

/** Step that sets initial values. Returns `next` if there are none. */
function beginning(context: Vxml, wanted: string, next: EntryName, values: () => JsonObject): EntryName {
  const name = context.reserve(`begin_${wanted}`);
  context.later(() => {
    const set = values();
    if (Object.keys(set).length > 0) context.write(name, { set, next: next() });
  });
  return () => (Object.keys(values()).length > 0 ? name : next());
}

/** A menu is a form with one question. */
export function planMenu(context: Vxml, menu: XmlElement, document: VxmlDocument): EntryName {
  const counters = new Set<string>();
  const own = planChoices(context, menu, { document, counters, scope: document.scope, depth: 0 });
  const zeros = (): JsonObject => Object.fromEntries([...counters].map((counter) => [counter, 0]));
  return beginning(context, menu.attributes['id'] ?? 'menu', own, zeros);
}

function safely<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof Untranslated) return undefined;
    throw error;
  }
}

/** Skips an item if its condition is false or it is already filled. */
function guarded(context: Vxml, { element, variable, isGuarded }: Item, own: EntryName, next: EntryName): EntryName {
  const cond = element.attributes['cond'];
  const node = context.nodeOf(element);
  let written: string | undefined;
  try {
    written = cond === undefined ? undefined : javascriptCondition(cond, namesOf(context));
  } catch (error) {
    if (!(error instanceof Untranslated)) throw error;
    return context.todo(element, `decide whether ${variable} is asked: ${error.message}`, own);
  }
  const conditions = [isGuarded ? `vars.${variable} = null` : undefined, written].filter((each) => each !== undefined);
  if (conditions.length === 0) return own;
  const when = conditions.length === 1 ? conditions[0]! : conditions.map((each) => `(${each})`).join(' and ');
  return context.step(`need_${variable}`, node, () => ({ branch: branchOf([{ when, next: own() }], next()) }));
}

function planItem(context: Vxml, { element, variable, isGuarded }: Item, place: VxmlPlace, next: EntryName): EntryName {
  const node = context.nodeOf(element);
  const within: VxmlPlace = { ...place, scope: scopeOf(element, place.scope) };
  switch (element.name) {
    case 'block': {
      const content = planContent(context, element.children, within, next, node);
      return isGuarded ? context.step(variable, node, () => ({ set: { [variable]: true }, next: content() })) : content;
    }
    case 'field':
      return planField(context, element, variable, within, next);
    case 'record':
      return planRecord(context, element, variable, within, next);
    case 'transfer':
      return planTransfer(context, element, variable, within, next);
    case 'subdialog':
      return planSubdialog(context, element, variable, within, next);
    case 'initial':
      return context.todo(
        element,
        'ask for several fields at once (`initial`): the fields behind it are asked one by one',
        next,
      );
    default:
      return context.todo(
        element,
        `do what the object ${(element.attributes['classid'] ?? '').slice(0, 200)} does`,
        next,
      );
  }
}

/** Actions after an item is filled: its own content, then the form's `filled` elements that wait for it. */
function planFilled(
  context: Vxml,
  form: XmlElement,
  items: readonly Item[],
  index: number,
  place: VxmlPlace,
  next: EntryName,
  isOpen: boolean,
): EntryName {
  const { element } = items[index]!;
  const inputs = items.filter((item) => INPUTS.includes(item.element.name));
  const ofForm = elementsOf(form).filter(({ name }) => name === 'filled');
  const entries: EntryName[] = [];
  const after =
    (at: number): EntryName =>
    () =>
      entries[at + 1]?.() ?? next();
  const own = elementsOf(element).filter(({ name }) => name === 'filled');
  const name = element.attributes['name'] ?? '';
  for (const filled of own) {
    const node = context.nodeOf(filled);
    entries.push(
      planContent(
        context,
        filled.children,
        { ...place, scope: scopeOf(element, place.scope) },
        after(entries.length),
        node,
      ),
    );
  }
  for (const filled of ofForm) {
    const { mode = 'all', namelist } = filled.attributes;
    const named = namelist?.split(/\s+/).filter(Boolean) ?? inputs.map((item) => item.element.attributes['name'] ?? '');
    if (!INPUTS.includes(element.name) || !named.includes(name)) continue;
    const isLast =
      inputs.findLast((item) => named.includes(item.element.attributes['name'] ?? ''))?.element === element;
    if (mode === 'all' && !isOpen && !isLast) continue;
    const node = context.nodeOf(filled);
    const at = entries.length;
    const content = planContent(context, filled.children, place, after(at), node);
    if (mode !== 'all' || !isOpen || named.length === 1) {
      entries.push(content);
      continue;
    }
    const others = named.filter((each) => each !== name);
    const when = others.map((each) => `$not(vars.${variableOf(context, each)} = null)`).join(' and ');
    entries.push(
      context.step('all_filled', node, () => ({
        branch: branchOf([{ when, next: content() }], after(at)()),
      })),
    );
  }
  return () => entries[0]?.() ?? next();
}
