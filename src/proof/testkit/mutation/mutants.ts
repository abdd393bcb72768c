/** All mutants of a flow in the order of its file, or a sample of them. */
import type { JsonObject } from '../../../base/core/json.ts';
import { canonical } from '../../../base/core/json.ts';
import type { SourceDocument } from '../../../base/schema/document.ts';
import type { VerbSpec } from '../../../language/flow/compiled-flow.ts';
import { expressionMutants } from './expression-mutants.ts';
import { type Mutant, writtenFlow } from './mutant.ts';
import { promptMutants } from './prompt-mutants.ts';
import { routeMutants } from './route-mutants.ts';
import { valueMutants } from './value-mutants.ts';

/** Mutants of a valid document. Mutants with equal flows are listed once. */
export function mutantsOf(document: SourceDocument, verbs: readonly VerbSpec[]): Mutant[] {
  const flow = writtenFlow(document.value as JsonObject, verbs);
  const made = [...routeMutants(flow), ...valueMutants(flow), ...promptMutants(flow), ...expressionMutants(flow)];
  const known = new Set([canonical(document.value)]);
  const distinct = made.filter(({ root }) => {
    const text = canonical(root);
    return !known.has(text) && known.add(text);
  });
  const placed = distinct.map((mutant) => ({ mutant, ...placeOf(document, mutant) }));
  return placed.sort((a, b) => a.line - b.line || a.column - b.column).map(({ mutant }) => mutant);
}

export const placeOf = (document: SourceDocument, { pointer, atKey }: Pick<Mutant, 'pointer' | 'atKey'>) =>
  atKey === true ? document.keyLocationOf(pointer) : document.locationOf(pointer);
