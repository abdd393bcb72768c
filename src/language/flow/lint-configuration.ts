/**
 * Checks of call destinations: their syntax, and names of a given configuration that steps use: phones, numbers,
 * routes, providers of messages and of payments. Without a configuration any name is accepted. Schedules, `env`,
 * secrets and headers are checked with the expressions and steps that name them.
 */
import { destinationProblem } from '../../base/core/address-syntax.ts';
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject } from '../../base/core/json.ts';
import { childPointer, type Issue, keyIssue, valueIssue } from '../../base/schema/document.ts';
import { didYouMean } from '../../base/schema/suggest.ts';
import type { ConfiguredNames, FlowDraft, StepDraft } from './flow-draft.ts';
import { type NamedKind, placesNaming, valuesAt } from './named-places.ts';
import { hasExpression } from './outcome-conditions.ts';
import { factsOf, namesOf } from './verb-facts.ts';

export function* lintConfiguration({ steps, options: { configured } }: FlowDraft): Generator<Issue> {
  for (const step of steps.values()) {
    for (const [at, party] of namedBy(step, 'party')) {
      const problem = destinationProblem(party);
      if (problem !== undefined) yield wrongParty(at, party, problem);
      else if (configured !== undefined) yield* unknownParty(at, party, configured);
    }
    if (configured === undefined) continue;
    yield* unknownCallerId(step, configured);
    yield* unknownProvider(step, configured);
  }
}

/** Literal texts of a step that name this. */
function* namedBy({ spec, compiled: { args }, argsPointer }: StepDraft, named: NamedKind): Generator<[string, string]> {
  for (const pointer of placesNaming(namesOf(spec.verb), named)) {
    for (const [path, value] of valuesAt(args, pointer)) {
      if (typeof value === 'string' && !hasExpression(value))
        yield [path.reduce<string>(childPointer, argsPointer), value];
    }
  }
}

function wrongParty(pointer: string, party: string, problem: string): Issue {
  const isName = /^[A-Za-z][\w.-]*$/.test(party);
  const hint = isName ? `did you mean user:${party}?` : 'such as "+33199001122", user:anna or sip:anna@phones.example';
  return valueIssue('wrong-party', pointer, `${quoting`${party}`} ${problem}`, hint);
}

function* unknownParty(pointer: string, party: string, configured: ConfiguredNames): Generator<Issue> {
  const { users, numbers, prefixes } = configured;
  const [, user] = /^user:(.+)$/.exec(party) ?? [];
  if (user !== undefined && !users.includes(user)) {
    yield valueIssue(
      'unknown-user',
      pointer,
      quoting`the configuration has no user ${user}`,
      didYouMean(user, users) ?? 'add it under sip: { users: [ … ] }',
    );
  }
  const isOurs = numbers.includes(party) || prefixes.some((prefix) => party.startsWith(prefix));
  if (/^(\+\d{6,}|\d{3,})$/.test(party) && !isOurs) {
    const message = quoting`no route of the configuration takes ${party}`;
    const country = prefixes.find((prefix) => /^\+\d/.test(prefix));
    const isLocal = !party.startsWith('+') && country !== undefined;
    const hint = isLocal ? `write it with its country: ${country}…` : 'add one under sip: { routes: [ … ] }';
    yield valueIssue('no-route', pointer, message, hint);
  }
}

function* unknownCallerId(step: StepDraft, { numbers }: ConfiguredNames): Generator<Issue> {
  for (const [pointer, number] of namedBy(step, 'number')) {
    if (numbers.includes(number)) continue;
    const message = quoting`${number} is none of the numbers of the configuration`;
    yield valueIssue('unknown-number', pointer, message, didYouMean(number, numbers));
  }
}

function* unknownProvider(
  { spec, compiled: { args }, argsPointer }: StepDraft,
  configured: ConfiguredNames,
): Generator<Issue> {
  const { section } = factsOf(spec.verb);
  if (section === undefined) return;
  const names = configured[section.name];
  if (names === undefined) return;
  if (names.length === 0) {
    const message = `the configuration has nobody who ${section.does}`;
    yield keyIssue('unknown-provider', argsPointer, message, `add one under ${section.name}: [ … ]`);
    return;
  }
  const provider = isObject(args) ? args['provider'] : undefined;
  if (typeof provider !== 'string' || names.includes(provider)) return;
  const message = quoting`the configuration has no provider ${provider}`;
  yield valueIssue('unknown-provider', `${argsPointer}/provider`, message, didYouMean(provider, names));
}
