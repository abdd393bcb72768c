/**
 * Resolves SWML names and translates texts with expressions. `javascript.ts` parses the expressions.
 */
import { isObject, type Json } from '../../base/core/json.ts';
import { untranslated } from './fidelity.ts';
import type { FlowWriter } from './flow-writer.ts';
import { javascriptCondition, javascriptValue } from './javascript.ts';
import { pathBelow, type TemplatePart, textOfTemplate } from './jsonata-text.ts';

export interface SwmlNames {
  readonly flow: FlowWriter;
  /** Section in which names are resolved. */
  readonly section: string;
  /** Prefix of the parameter variables of a section. Undefined if the section receives no parameters. */
  parametersOf(section: string): string | undefined;
}

const OF_CALL: Readonly<Record<string, string>> = {
  from: 'call.from',
  to: 'call.to',
  call_id: 'call.id',
  direction: 'call.direction',
};
/** Variables of SWML methods without a counterpart in steps. */
const LEFT_BEHIND =
  /^(record_\w+|connect_failed_reason|detect_(?!result)\w*|request_(url|response_headers)|send_\w+|prompt_confidence|pay_(?!result)\w+|sip_refer_response_code|tap_\w+)$/;
const LONGEST = 2000;

/** Converts a text with `${ … }` or `%{ … }` to a template. */
export function swmlText(names: SwmlNames, written: string): string {
  const parts: TemplatePart[] = [];
  let from = 0;
  for (const match of written.matchAll(/[$%]\{([^{}]*)\}/g)) {
    if (match.index > from) parts.push({ text: written.slice(from, match.index) });
    parts.push({ expression: javascriptValue(match[1]!, (path) => nameOf(names, path)) });
    from = match.index + match[0].length;
  }
  if (from < written.length) parts.push({ text: written.slice(from) });
  if (parts.some((part) => 'text' in part && /[$%]\{/.test(part.text))) {
    untranslated(`write ${written.slice(0, 200)} as JSONata`);
  }
  return textOfTemplate(parts);
}

/** Converts all texts in a value. */
export function swmlValue(names: SwmlNames, value: Json): Json {
  if (typeof value === 'string') return swmlText(names, value);
  if (Array.isArray(value)) return value.map((each) => swmlValue(names, each));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, swmlValue(names, each)]));
}

/** Converts a condition of `cond` or `goto`. */
export function swmlCondition(names: SwmlNames, written: string): string {
  const text = written.trim().replace(/^[$%]\{(.*)\}$/s, '$1');
  if (text === '' || text.length > LONGEST) untranslated('it has a condition that is not translated');
  return javascriptCondition(text, (path) => nameOf(names, path));
}

function nameOf({ flow, section, parametersOf }: SwmlNames, path: readonly string[]): string {
  const [scope = '', field = '', ...rest] = path;
  if (scope === 'call') {
    if (rest.length > 0 || !Object.hasOwn(OF_CALL, field)) untranslated(`find call.${field} out: it is not known here`);
    return OF_CALL[field]!;
  }
  if (scope === 'params' && field !== '') {
    const prefix = parametersOf(section);
    if (prefix !== undefined) return pathBelow(`vars.${flow.variable(`${prefix}_${field}`)}`, rest);
    return pathBelow(`input.${flow.input(field)}`, rest);
  }
  if (scope === 'envs' && field !== '') return pathBelow(`env.${field}`, rest);
  const [variable = '', ...below] = scope === 'vars' ? path.slice(1) : path;
  if (variable === '' || LEFT_BEHIND.test(variable))
    untranslated(`find ${variable || 'vars'} out: it is not known here`);
  return pathBelow(`vars.${flow.variable(variable)}`, below);
}
