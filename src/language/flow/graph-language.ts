/** Verbs as data for graphs, for the service and the browser. Related: `graph.ts`, `GET /admin/v1/language`. */
import { defined, mapValues } from '../../base/core/json.ts';
import type { VerbSpec } from './compiled-flow.ts';
import type { GraphLanguage, GraphVerb } from './graph.ts';
import type { Badge } from './graph-words.ts';
import type { OutcomeEntry } from './possible-outcomes.ts';
import { defaultAt, factsOf, namesOf, type VerbFacts } from './verb-facts.ts';

export function graphLanguageOf(verbs: readonly VerbSpec[]): GraphLanguage {
  return Object.fromEntries(verbs.map((spec) => [spec.verb, graphVerbOf(spec)]));
}

function graphVerbOf(spec: VerbSpec): GraphVerb {
  const {
    group = 'logic',
    label = wordsOf(spec.verb),
    icon,
    card,
    badges,
    form,
    simulated,
    inputDefaults,
  } = factsOf(spec.verb);
  const names = namesOf(spec.verb);
  return {
    group,
    ...(label !== spec.verb && { label }),
    ...(form && { form }),
    ...(simulated && { simulated }),
    ...(icon && { icon }),
    ...(card && { card }),
    ...(names && Object.keys(names).length > 0 && { names }),
    ...(badges && { badges: badges.map((badge) => withDefaults(spec.verb, badge)) }),
    ...(spec.success !== undefined && { success: spec.success }),
    ...(spec.terminal && { terminal: true }),
    ...((spec.needsCall || spec.waits) && { waits: true }),
    ...(inputDefaults && { asks: true }),
    ...(spec.short !== undefined && { short: spec.short }),
    outcomes: Object.keys(spec.outcomeTable),
    outcomeTable: mapValues(
      spec.outcomeTable as Readonly<Record<string, OutcomeEntry & { text?: string }>>,
      withoutText,
    ),
    ...(spec.outcomeDefaults && { outcomeDefaults: spec.outcomeDefaults }),
    ...(spec.writtenOut && { writtenOut: spec.writtenOut }),
  };
}

const wordsOf = (verb: string): string => verb.replaceAll('_', ' ');

type WrittenBadge = NonNullable<VerbFacts['badges']>[number];

function withDefaults(verb: string, { always, ...badge }: WrittenBadge): Badge {
  if (!always) return badge;
  const pointers = 'count' in badge ? [badge.count] : [...badge.says.matchAll(/\{([^}]*)\}/g)].map(([, at]) => at!);
  const found = pointers.map((pointer) => [pointer, defaultAt(verb, pointer)] as const);
  return { ...badge, defaults: defined(Object.fromEntries(found)) };
}

/** The texts of outcomes are in `meanings` (`language.ts`). */
const withoutText = ({ text: _, ...entry }: OutcomeEntry & { text?: string }): OutcomeEntry => entry;
