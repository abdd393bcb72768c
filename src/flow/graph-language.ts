/** Verbs as data for graphs, for the service and the browser. Related: `graph.ts`, `GET /admin/v1/language`. */
import { mapValues } from '../core/json.ts';
import { verbSchemas } from '../schema/schema-forms.ts';
import type { VerbSpec } from './compiled-flow.ts';
import type { GraphLanguage, GraphVerb, VerbGroup } from './graph.ts';
import type { OutcomeEntry } from './possible-outcomes.ts';
import { factsOf } from './verb-facts.ts';

export function graphLanguageOf(verbs: readonly VerbSpec[]): GraphLanguage {
  return Object.fromEntries(verbs.map((spec) => [spec.verb, graphVerbOf(spec)]));
}

function graphVerbOf(spec: VerbSpec): GraphVerb {
  const schema = verbSchemas.get(spec.verb);
  const { icon } = factsOf(spec.verb);
  return {
    group: (schema?.['group'] ?? 'logic') as VerbGroup,
    ...(icon && { icon }),
    ...(spec.success !== undefined && { success: spec.success }),
    ...(spec.terminal && { terminal: true }),
    ...((spec.needsCall || spec.waits) && { waits: true }),
    ...(schema?.['inputDefaults'] === true && { asks: true }),
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

/** The texts of outcomes are in `meanings` (`language.ts`). */
const withoutText = ({ text: _, ...entry }: OutcomeEntry & { text?: string }): OutcomeEntry => entry;
