/**
 * Checks of SIP headers: a step may send the names and values that it sets, and expressions read only available
 * headers.
 */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type Json, mapValues } from '../../base/core/json.ts';
import { readSipHeaders } from '../../base/core/sip-headers.ts';
import { childPointer, type Issue, keyIssue } from '../../base/schema/document.ts';
import { astOf } from './expression.ts';
import type { ExpressionSite } from './expression-sites.ts';
import { scopePaths } from './expression-tree.ts';
import type { FlowDraft, StepDraft } from './flow-draft.ts';
import { usesSecrets } from './verb-facts.ts';

export function* lintHeaders(draft: FlowDraft, sites: readonly ExpressionSite[]): Generator<Issue> {
  for (const step of draft.steps.values()) yield* headersSet(step);
  for (const { expression, pointer, offset } of sites) {
    for (const { names, position } of scopePaths(astOf(expression))) {
      if (names[0] !== 'call' || names[1] !== 'headers' || names[2] === undefined) continue;
      const finding = headerRead(names[2], draft.options.headers);
      if (finding) yield { pointer, offset: offset + position, ...finding };
    }
  }
}

/** Rendered values are checked when the header is sent. */
const literal = (value: Json): Json => (typeof value === 'string' && value.includes('${') ? '' : value);

function* headersSet({ spec, compiled, argsPointer }: StepDraft): Generator<Issue> {
  const written = isObject(compiled.args) ? compiled.args['headers'] : undefined;
  // Headers of HTTP requests are checked by their schema.
  if (usesSecrets(spec.verb) || !isObject(written)) return;
  const at = `${argsPointer}/headers`;
  for (const { name, message, hint } of readSipHeaders(mapValues(written, literal)).problems) {
    yield keyIssue('sip-header', name === undefined ? at : childPointer(at, name), message, hint);
  }
}

const READABLE = /^(x-.+|user-to-user|diversion|history-info|subject|p-asserted-identity)$/;
/** First part of a header name whose `-` was parsed as a minus. */
const BEFORE_MINUS = ['x', 'user', 'history', 'p'];

/** `more`: further headers of the configuration; undefined: any header is accepted. */
function headerRead(name: string, more: readonly string[] | undefined): Omit<Issue, 'pointer' | 'offset'> | undefined {
  if (BEFORE_MINUS.includes(name)) {
    const message = quoting`there is no SIP header ${name}: the - behind it is a minus`;
    return { code: 'unread-header', message, hint: 'names with - go in backticks: call.headers.`x-customer`' };
  }
  if (name !== name.toLowerCase()) {
    const hint = `write ${name.toLowerCase()}`;
    return { code: 'unread-header', message: quoting`SIP headers have lower-case names here, not ${name}`, hint };
  }
  if (READABLE.test(name) || more === undefined || more.includes(name)) return undefined;
  const hint = 'add it to sip.headers.read of the configuration';
  return { code: 'unread-header', message: quoting`the SIP header ${name} is not read`, hint };
}
