/**
 * Reports URLs whose host is a value from outside: of a caller, an agent, or a response. The sender of the value then
 * receives the request and the secrets in it; the guard of the HTTP client refuses only private addresses. A variable
 * with an `enum`, or with a `pattern` that begins with a host, is checked when it is assigned. `lint-urls.ts` reports
 * values that change the path.
 */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject } from '../../base/core/json.ts';
import { type Issue, valueAt, valueIssue } from '../../base/schema/document.ts';
import type { VariableSpec } from './declared-values.ts';
import { astOf } from './expression.ts';
import type { ExpressionSite } from './expression-sites.ts';
import { type AstNode, type ScopePath, scopePaths } from './expression-tree.ts';
import { type FlowDraft, URL_KEYS } from './flow-draft.ts';
import { partsOf, resultsOf } from './lint-urls.ts';
import { factsOf, usesSecrets } from './verb-facts.ts';

/** Fields of `call` that the far end sets. */
const OUTSIDE_FIELDS = ['from', 'to', 'headers'];
const SCHEME = /^(https?|wss?):\/\//i;
const ONLY_SCHEME = /^(https?|wss?):\/\/$/i;
const WITH_HOST = /^(https?|wss?):\/\/[^/?#]+[/?#]/i;
/** A pattern that allows one host, such as `^https://crm\.example/`. */
const HOST_PATTERN = /^\^(https\??|wss\??):\\?\/\\?\/[\w.\\:-]+\\?\//;

export function* lintUrlHosts(draft: FlowDraft, sites: readonly ExpressionSite[]): Generator<Issue> {
  const tainted = taintedVariables(draft, sites);
  for (const site of sites) {
    if (!isUrlArgument(site) || !decidesHost(draft, site)) continue;
    const path = outsidePath(draft, site, tainted);
    if (path === undefined) continue;
    const message = quoting`the host of this URL is a value from outside: ${path.names.join('.')}`;
    const hint =
      'write the host: "https://crm.example/${ … }"; or give a variable a pattern: "^https://crm\\.example/"';
    yield { ...valueIssue('url-from-value', site.pointer, message, hint), offset: site.offset + path.position };
  }
}

const isUrlArgument = ({ step, argument = '' }: ExpressionSite): boolean =>
  step !== undefined && usesSecrets(step.spec.verb) && URL_KEYS.some((key) => argument === `/${key}`);

/** True if the expression is the URL, or a part of it before the end of the host. */
function decidesHost({ root }: FlowDraft, { whole, pointer, offset }: ExpressionSite): boolean {
  if (whole) return true;
  const text = valueAt(root, pointer);
  if (typeof text !== 'string') return false;
  const before = text
    .slice(0, offset)
    .replace(/\$\{\s*$/, '')
    .trimStart();
  return before === '' || (SCHEME.test(before) && !WITH_HOST.test(before));
}

/** Variables to which the flow assigns such values, directly or through other variables. */
function taintedVariables(draft: FlowDraft, sites: readonly ExpressionSite[]): ReadonlySet<string> {
  const tainted = new Set<string>();
  const assigning = sites.filter((site) => site.assigns !== undefined && decidesHost(draft, site));
  for (let before = -1; before < tainted.size; ) {
    before = tainted.size;
    for (const site of assigning) {
      const name = site.assigns!;
      if (!tainted.has(name) && !isBounded(draft.flow.vars, name) && outsidePath(draft, site, tainted))
        tainted.add(name);
    }
  }
  return tainted;
}

function outsidePath(
  { steps }: Pick<FlowDraft, 'steps'>,
  { expression, step }: ExpressionSite,
  tainted: ReadonlySet<string>,
): ScopePath | undefined {
  return resultsOf(astOf(expression))
    .flatMap(hostPaths)
    .find(({ names: [scope, name = ''] }) => {
      if (scope === 'vars') return tainted.has(name);
      if (scope === 'call') return OUTSIDE_FIELDS.includes(name);
      const source = scope === 'result' ? step : scope === 'steps' ? steps.get(name) : undefined;
      return source !== undefined && factsOf(source.spec.verb).untrusted === true;
    });
}

/** Paths in the part of a result that decides the host: none if that is a literal. */
function hostPaths(node: AstNode): readonly ScopePath[] {
  const isScheme = ({ type, value }: AstNode): boolean => type === 'string' && ONLY_SCHEME.test(String(value));
  const decisive = partsOf(node).find((part) => !isScheme(part));
  return decisive === undefined ? [] : scopePaths(decisive);
}

/** True if the schema of a variable allows only hosts that the author has written. */
function isBounded(specs: Readonly<Record<string, VariableSpec>>, name: string): boolean {
  const schema = Object.hasOwn(specs, name) ? specs[name]!.schema : {};
  const { enum: values, const: value, pattern } = isObject(schema) ? schema : {};
  return values !== undefined || value !== undefined || (typeof pattern === 'string' && HOST_PATTERN.test(pattern));
}
