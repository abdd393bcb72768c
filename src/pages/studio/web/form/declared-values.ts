/** Values that a flow declares and words can speak: variables, inputs and facts of the call, with their types. Pure. */
import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import { nameInExpression } from '../../../../language/flow/text/references.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { valueAtNames } from '../simulator/call-values.ts';

export interface DeclaredValue {
  /** `vars.order.number` */
  expression: string;
  /** Type in words. Empty if the flow does not declare it. */
  type: string;
}

const TYPES: Readonly<Record<string, string>> = {
  string: t('text ## type'),
  number: t('number ## type'),
  integer: t('number ## type'),
  boolean: t('yes or no'),
  array: t('list ## type'),
  object: t('record ## type'),
};
const FACTS = ['call.from', 'call.to'];
/** Levels of records whose fields are listed. */
const DEEPEST = 2;

export function declaredValues(flow: JsonObject): DeclaredValue[] {
  return [
    ...['vars', 'input'].flatMap((section) => fieldsOf(section, flow[section], DEEPEST)),
    ...FACTS.map((expression) => ({ expression, type: t('text ## type') })),
  ];
}

function fieldsOf(path: string, schemas: Json | undefined, levels: number): DeclaredValue[] {
  if (!isObject(schemas ?? null) || levels === 0) return [];
  return Object.entries(schemas as JsonObject).flatMap(([name, schema]) => {
    const expression = `${path}.${nameInExpression(name)}`;
    const { type, properties } = isObject(schema) ? schema : ({} as JsonObject);
    const own = { expression, type: (typeof type === 'string' && TYPES[type]) || '' };
    return [own, ...fieldsOf(expression, properties, levels - 1)];
  });
}

/** Expressions that words can speak. */
export const speakable = (flow: JsonObject): string[] => declaredValues(flow).map(({ expression }) => expression);

const MAX_CHARACTERS = 40;

/** Value of the simulated call at a path of names, in words of one line. Empty if there is none. */
export function valueInCall(scope: JsonObject | undefined, expression: string): string {
  const value = scope && valueAtNames(scope, expression);
  if (value === undefined || value === null) return '';
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(/\s+/g, ' ');
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text;
}
