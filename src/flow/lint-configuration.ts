/**
 * What a flow names of a configuration that was given: phones, numbers, routes, secrets. Without one any name is believed;
 * schedules, `env` and headers are looked at by those who know their places.
 */
import { quoting } from '../core/diagnostic.ts';
import { isObject, type Json } from '../core/json.ts';
import { childPointer, type Issue, valueIssue, walk } from '../schema/document.ts';
import { didYouMean } from '../schema/suggest.ts';
import type { FlowDraft } from './flow-draft.ts';
import { hasExpression } from './template.ts';

/** Keys of verbs under which parties stand. */
const PARTIES: Readonly<Record<string, string>> = { bridge: 'to', transfer: 'to', queue: 'agents' };

export function* lintConfiguration({ steps, options: { configured } }: FlowDraft): Generator<Issue> {
  if (configured === undefined) return;
  const { users, numbers, prefixes, secrets } = configured;
  for (const { spec, compiled, argsPointer } of steps.values()) {
    const { args } = compiled;
    const key = PARTIES[spec.verb];
    if (key !== undefined) {
      const [written, pointer] = isObject(args)
        ? [args[key] ?? null, childPointer(argsPointer, key)]
        : [args, argsPointer];
      for (const [at, party] of literals(written, pointer)) {
        const [, user] = /^user:(.+)$/.exec(party) ?? [];
        if (user !== undefined && !users.includes(user)) {
          const message = quoting`the configuration has no user ${user}`;
          yield valueIssue('unknown-user', at, message, didYouMean(user, users));
        }
        const isOurs = numbers.includes(party) || prefixes.some((prefix) => party.startsWith(prefix));
        if (/^\+\d{6,}$/.test(party) && !isOurs) {
          const message = quoting`no route of the configuration takes ${party}`;
          yield valueIssue('no-route', at, message, 'add one under sip: { routes: [ … ] }');
        }
      }
      const from = isObject(args) ? args['from'] : undefined;
      if (typeof from === 'string' && !hasExpression(from) && !numbers.includes(from)) {
        const message = quoting`${from} is none of the numbers of the configuration`;
        yield valueIssue('unknown-number', `${argsPointer}/from`, message, didYouMean(from, numbers));
      }
    }
    for (const [at, value] of literalsAndTemplates(args, argsPointer)) {
      for (const [, name = ''] of value.matchAll(/\bsecrets\.([A-Za-z_]\w*)/g)) {
        if (!hasExpression(value) || secrets.includes(name)) continue;
        const message = quoting`the configuration has no secret ${name}`;
        yield valueIssue('unknown-secret', at, message, didYouMean(name, secrets));
      }
    }
  }
}

function* literalsAndTemplates(written: Json, pointer: string): Generator<[pointer: string, text: string]> {
  for (const [at, value] of walk(written, pointer)) if (typeof value === 'string') yield [at, value];
}

function* literals(written: Json, pointer: string): Generator<[pointer: string, text: string]> {
  for (const [at, text] of literalsAndTemplates(written, pointer)) if (!hasExpression(text)) yield [at, text];
}
