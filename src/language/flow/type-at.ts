/**
 * Type of a path in an expression that is being written. The expression is replaced in the text, because it may be
 * incomplete; only the valid parts of the flow around it are compiled. `text/expression-at.ts` finds the expression.
 */
import { isObject, type JsonObject, mapValues } from '../../base/core/json.ts';
import { verbSchemas } from '../../base/schema/schema-forms.ts';
import { astOf, compileExpression } from './expression.ts';
import { expressionSites } from './expression-sites.ts';
import type { FlowDraft } from './flow-draft.ts';
import { resultAt } from './lint-types.ts';
import type { ExpressionAt } from './text/expression-at.ts';
import { inferType } from './types/infer.ts';
import { scopeOf } from './types/scope.ts';
import type { Type } from './types/type.ts';

export interface TypeAtPath {
  type: Type;
  /** Schema that declares the value, if there is one: of a variable, an input, or the result of a verb. */
  schema?: JsonObject;
}

/** Comment of JSONata by which the expression is found again in the compiled flow. */
const MARK = '/*?*/';
/** Expression in place of the written one: the same for each path, so that the text around it is compiled once. */
const REPLACED = `vars ${MARK}`;

/**
 * Returns undefined if the step around the expression cannot be compiled. `draftsOf` compiles a text; `path` is empty
 * for the scope itself.
 */
export function typeAtPath(
  text: string,
  { from, to, isClosed }: ExpressionAt,
  path: string,
  draftsOf: (text: string) => readonly FlowDraft[],
): TypeAtPath | undefined {
  const written = path === '' ? undefined : compileExpression(path.replaceAll('\\"', '"'));
  if (written !== undefined && 'error' in written) return undefined;
  for (const draft of draftsOf(`${text.slice(0, from)} ${REPLACED}${isClosed ? '' : ' }'} ${text.slice(to)}`)) {
    for (const site of expressionSites(draft)) {
      if (!site.expression.source.includes(MARK)) continue;
      const scope = scopeOf(draft);
      const item = site.hasItem ? scope.itemNames(site.step!) : undefined;
      const seen = scope.at({ result: resultAt(site, scope), item });
      if (written === undefined) return { type: seen };
      const schema = schemaAt(draft, path);
      const type = inferType(astOf(written), seen, () => undefined);
      return { type, ...(schema && { schema }) };
    }
  }
  return undefined;
}

/** Schema of the value at a path of names: `vars.order.number`, or `steps.ask.digits`. */
function schemaAt({ flow, steps }: FlowDraft, path: string): JsonObject | undefined {
  const names = path
    .replaceAll(/\[[^\]]*\]/g, '')
    .split('.')
    .map((name) => name.trim().replaceAll('`', ''));
  const results = [...steps].map(([name, { spec }]) => [name, verbSchemas.get(spec.verb)?.['result'] ?? {}]);
  const scope = withProperties({
    vars: withProperties(mapValues(flow.vars, ({ schema }) => schema)),
    input: withProperties(mapValues(flow.input, ({ schema }) => schema)),
    steps: withProperties(Object.fromEntries(results)),
  });
  return names.reduce<JsonObject | undefined>(propertyOf, scope);
}

const withProperties = (properties: JsonObject): JsonObject => ({ properties });

/** Schema of a property of a map, or of the items of a list. */
export function propertyOf(schema: JsonObject | undefined, name: string): JsonObject | undefined {
  const owner = isObject(schema?.['items']) ? schema['items'] : schema;
  const properties = owner?.['properties'];
  const property = isObject(properties) ? properties[name] : undefined;
  return isObject(property) ? property : undefined;
}
