/** Limits of a schema in words for people: what is wrong with a value of a form field. Pure; used by `fields.ts`. */
import type { Json } from '../../../../base/core/json.ts';
import { listText, t } from '../../../shared/web/words/translate.ts';
import type { OpenApiSchema } from './openapi.ts';

type Check = (value: Json, schema: OpenApiSchema) => string | undefined;

/** A row for each keyword, most telling first. */
const CHECKS: readonly Check[] = [
  (value, { minimum, maximum }) => {
    if (typeof value !== 'number') return undefined;
    const isBelow = minimum !== undefined && value < minimum;
    const isAbove = maximum !== undefined && value > maximum;
    if (!isBelow && !isAbove) return undefined;
    if (minimum !== undefined && maximum !== undefined)
      return t('Needs a number between {minimum} and {maximum}.', { minimum, maximum });
    return minimum !== undefined && isBelow
      ? t('At least {minimum}.', { minimum })
      : t('At most {maximum}.', { maximum: maximum! });
  },
  (value, schema) =>
    typeof value === 'number' && !Number.isInteger(value) && wholeOnly(schema) ? t('Needs a whole number.') : undefined,
  (value, { minLength = 0 }) =>
    typeof value === 'string' && value.length < minLength
      ? t('At least {count, plural, one {# character} other {# characters}}.', { count: minLength })
      : undefined,
  (value, { maxLength = Number.POSITIVE_INFINITY }) =>
    typeof value === 'string' && value.length > maxLength
      ? t('At most {count, plural, one {# character} other {# characters}}; these are {length}.', {
          count: maxLength,
          length: value.length,
        })
      : undefined,
  (value, { minItems = 0 }) =>
    Array.isArray(value) && value.length < minItems
      ? t('At least {count, plural, one {# line} other {# lines}}.', { count: minItems })
      : undefined,
  (value, { maxItems = Number.POSITIVE_INFINITY }) =>
    Array.isArray(value) && value.length > maxItems
      ? t('At most {count, plural, one {# line} other {# lines}}.', { count: maxItems })
      : undefined,
  (value, { enum: words }) =>
    typeof value === 'string' && words !== undefined && !words.includes(value)
      ? t('Choose one of {words}.', { words: listText(words.map(String), 'disjunction') })
      : undefined,
];

const wholeOnly = ({ type }: OpenApiSchema): boolean =>
  [type ?? []].flat().includes('integer') && ![type].flat().includes('number');

/** Undefined if the value is within its limits. Patterns are left to the service, whose schema describes them. */
export function limitProblem(value: Json, schema: OpenApiSchema): string | undefined {
  for (const check of CHECKS) {
    const problem = check(value, schema);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
