/** Sections of the list of steps: groups without a query, results with one. Pure. */
import type { LanguageVerb, PickerEntry, PickerGroup } from '../../../../language/flow/text/language.ts';
import type { StepTemplate } from '../text/step-template.ts';
import {
  findStepsFor,
  itemOf,
  itemsFromQuery,
  listedSteps,
  listedTemplates,
  meantStep,
  type StepItem,
} from './search-steps.ts';
import { GROUPS, WORDS } from './words.ts';

export interface PickerSection {
  id: string;
  title: string;
  items: readonly StepItem[];
}

export interface SectionSource {
  verbs: Readonly<Record<string, LanguageVerb>>;
  suggested: readonly string[];
  recent: readonly string[];
  /** Number of steps of each verb in the flow. */
  uses: ReadonlyMap<string, number>;
  templates: readonly StepTemplate[];
}

type Listed = StepItem & { entry: PickerEntry };

export function sectionsFor(
  query: string,
  { verbs, suggested, recent, uses, templates }: SectionSource,
): PickerSection[] {
  const groups = Object.keys(GROUPS) as PickerGroup[];
  const all = listedSteps(verbs, groups);
  // A flow without steps has none to go back to.
  const steps = uses.size > 0 ? all : all.filter(({ entry }) => !asksForStep(entry));
  const several = listedTemplates(templates);
  if (query.trim() === '') {
    return [
      { id: 'suggested', title: WORDS.suggested, items: named(suggested, steps) },
      { id: 'recent', title: WORDS.recent, items: named(recent, steps) },
      ...groups.map((id) => ({ id, title: GROUPS[id], items: steps.filter(({ entry }) => entry.group === id) })),
      { id: 'templates', title: WORDS.templates, items: several },
    ].filter(({ items }) => items.length > 0);
  }
  const found: PickerSection = { id: 'steps', title: WORDS.steps, items: findStepsFor(query, steps, uses) };
  const filled: PickerSection = { id: 'or', title: WORDS.or, items: itemsFromQuery(query, verbs) };
  const whole: PickerSection = { id: 'templates', title: WORDS.templates, items: findStepsFor(query, several) };
  const meant = meantStep(query, steps);
  const near: PickerSection = {
    id: 'meant',
    title: WORDS.meant,
    items: meant === undefined ? [] : [itemOf(meant.verb, verbs[meant.verb]!.picker!)],
  };
  const hasAny = found.items.length + filled.items.length + whole.items.length > 0;
  return (hasAny ? [found, filled, whole] : [near]).filter(({ items }) => items.length > 0);
}

const named = (verbs: readonly string[], steps: readonly Listed[]): Listed[] =>
  verbs.flatMap((verb) => steps.find((step) => step.verb === verb) ?? []);

const asksForStep = ({ asks = [] }: PickerEntry): boolean => asks.some(({ at }) => at === '/do');
