/**
 * Reports URLs built inside an expression: values are encoded (`url-values.ts`) only in a text with templates, such as
 * `https://crm.example/${ vars.id }`.
 */
import type { Issue } from '../../base/schema/document.ts';
import { astOf } from './expression.ts';
import type { ExpressionSite } from './expression-sites.ts';
import { type AstNode, nodesOf, startOf } from './expression-tree.ts';
import { isUrl, urlPartOf } from './url-values.ts';

/** Matches pointers of URL arguments. */
const URL_ARGUMENTS = /(^|\/)(get|post|put|patch|delete|url)$/;

export function* lintUrls(sites: readonly ExpressionSite[]): Generator<Issue> {
  for (const site of sites) {
    const tree = astOf(site.expression);
    const isWholeUrl = site.whole && URL_ARGUMENTS.test(site.argument ?? '') && site.step?.spec.form !== 'assignments';
    const joined = isWholeUrl ? resultsOf(tree).filter(isJoined) : [...nodesOf(tree)].filter(beginsUrl);
    const left = joined.map(partsOf).find(([, ...values]) => values.some((each) => urlPartOf(each) === 'value'));
    if (left) {
      yield {
        ...{ code: 'url-joined', pointer: site.pointer, offset: site.offset },
        message: 'values that `&` puts into a URL are not encoded, so that they can change its path',
        hint: 'write a text in place of it, such as "https://crm.example/${ vars.id }": there each value is encoded',
      };
    }
    const name = String((tree['procedure'] as AstNode | undefined)?.value);
    if (tree.type !== 'function' || site.whole || !/^encodeUrl$/.test(name)) continue;
    const at = startOf(tree['procedure'] as AstNode) ?? 0;
    yield {
      ...{ code: 'url-encoded-twice', pointer: site.pointer, offset: site.offset + at },
      message: 'a value in a URL is encoded anyway, and $encodeUrl leaves / ? & and # in it',
      hint: 'leave $encodeUrl out; where the value is a path with several parts, write $encodeUrlPath',
    };
  }
}

const isJoined = ({ type, value }: AstNode): boolean => type === 'binary' && value === '&';

function beginsUrl(node: AstNode): boolean {
  const [first] = isJoined(node) ? partsOf(node) : [];
  return first?.type === 'string' && isUrl(String(first.value));
}

/** Operands of a chain of `&`, in order. */
export function partsOf(node: AstNode): AstNode[] {
  if (!isJoined(node)) return [node];
  return [...partsOf(node.lhs as AstNode), node.rhs as AstNode];
}

/** Nodes whose value can be the value of the expression. */
export function resultsOf(node: AstNode): AstNode[] {
  const inner: unknown[] =
    node.type === 'condition'
      ? [node['then'], node['else']]
      : node.type === 'block'
        ? [(node['expressions'] as unknown[]).at(-1)]
        : [];
  return inner.length === 0 ? [node] : inner.flatMap((each) => (each ? resultsOf(each as AstNode) : []));
}
