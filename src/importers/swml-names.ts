/**
 * Expressions of SWML (JavaScript) as JSONata: names, comparisons, `&&` and `||`. What else JavaScript can is refused, so that
 * nothing is translated by half. Neighbour: `swml.ts`.
 */
import { untranslated } from './fidelity.ts';
import type { FlowWriter } from './flow-writer.ts';
import { pathBelow, quotedText, type TemplatePart, textOfTemplate } from './jsonata-text.ts';

const OF_CALL: Readonly<Record<string, string>> = {
  from: 'call.from',
  to: 'call.to',
  call_id: 'call.id',
  direction: 'call.direction',
};
/** What methods leave behind, and steps of ours do not. */
const LEFT_BEHIND =
  /^(prompt_result|return_value|record_\w+|connect_\w+|detect\w*|request_(url|result|response_\w+)|send_\w+)$/;
const METHODS: Readonly<Record<string, string>> = {
  toLowerCase: '$lowercase',
  toUpperCase: '$uppercase',
  trim: '$trim',
};
const LONGEST = 2000;

/** A text with `${ … }` or `%{ … }` in it as one of ours. */
export function swmlText(flow: FlowWriter, written: string): string {
  const parts: TemplatePart[] = [];
  let from = 0;
  for (const match of written.matchAll(/[$%]\{([^{}]*)\}/g)) {
    if (match.index > from) parts.push({ text: written.slice(from, match.index) });
    parts.push({ expression: operandOf(flow, match[1]!.trim()).expression });
    from = match.index + match[0].length;
  }
  if (from < written.length) parts.push({ text: written.slice(from) });
  if (parts.some((part) => 'text' in part && /[$%]\{/.test(part.text))) {
    untranslated(`write ${written.slice(0, 200)} as JSONata`);
  }
  return textOfTemplate(parts);
}

/** A condition of `cond` or `goto`. */
export function swmlCondition(flow: FlowWriter, written: string): string {
  const text = written.trim().replace(/^[$%]\{(.*)\}$/s, '$1');
  if (text === '' || text.length > LONGEST) untranslated('it has a condition that is not translated');
  return splitAt(text, '||')
    .map((some) =>
      splitAt(some, '&&')
        .map((one) => comparisonOf(flow, one.trim()))
        .join(' and '),
    )
    .join(' or ');
}

/** What is quoted is not looked into. */
function splitAt(text: string, operator: string): string[] {
  const parts = [''];
  for (const [piece] of text.matchAll(/"[^"]*"|'[^']*'|\|\||&&|[^"'|&]+|./gs)) {
    if (piece === operator) parts.push('');
    else parts[parts.length - 1] += piece;
  }
  return parts;
}

const COMPARISON = /^((?:"[^"]*"|'[^']*'|[^"'=!<>])+?)\s*(===?|!==?|>=|<=|>|<)\s*((?:"[^"]*"|'[^']*'|[^"'=!<>])+)$/s;

function comparisonOf(flow: FlowWriter, text: string): string {
  const match = COMPARISON.exec(text);
  if (!match) {
    const [, not, rest = ''] = /^(!?)\s*(.*)$/s.exec(text) ?? [];
    const truth = `$boolean(${operandOf(flow, rest.trim()).expression})`;
    return not === '!' ? `$not(${truth})` : truth;
  }
  const [left, right] = [operandOf(flow, match[1]!.trim()), operandOf(flow, match[3]!.trim())];
  const operator = match[2]!;
  if (/^[<>]/.test(operator)) return `$number(${left.expression}) ${operator} $number(${right.expression})`;
  // JavaScript takes '5' for 5.
  const isLoose = left.isNumber || right.isNumber;
  const [a, b] = [left, right].map(({ expression }) => (isLoose ? `$string(${expression})` : expression));
  return operator.startsWith('!') ? `$not(${a} = ${b})` : `${a} = ${b}`;
}

interface Operand {
  expression: string;
  isNumber: boolean;
}

function operandOf(flow: FlowWriter, text: string): Operand {
  const quoted = /^(?:"([^"\\]*)"|'([^'\\]*)')$/.exec(text);
  if (quoted) return { expression: quotedText(quoted[1] ?? quoted[2] ?? ''), isNumber: false };
  if (/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return { expression: text, isNumber: true };
  if (/^(true|false|null)$/.test(text)) return { expression: text, isNumber: false };
  const name = /^([A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\.\d+|\[\s*(?:\d+|"[^"]*"|'[^']*')\s*\])*)(?:\.(\w+)\(\))?$/.exec(text);
  const method = name?.[2];
  if (!name || (method !== undefined && !Object.hasOwn(METHODS, method))) {
    untranslated(`write ${text.slice(0, 200) || 'an empty expression'} as JSONata`);
  }
  const path = [...name[1]!.matchAll(/\w+|"[^"]*"|'[^']*'/g)].map(([part]) => part.replaceAll(/^["']|["']$/g, ''));
  const expression = nameOf(flow, path);
  return { expression: method === undefined ? expression : `${METHODS[method]}(${expression})`, isNumber: false };
}

function nameOf(flow: FlowWriter, path: readonly string[]): string {
  const [scope = '', field = '', ...rest] = path;
  if (scope === 'call') {
    if (rest.length > 0 || !Object.hasOwn(OF_CALL, field)) untranslated(`find call.${field} out: it is not known here`);
    return OF_CALL[field]!;
  }
  if (scope === 'params' && field !== '') return pathBelow(`input.${flow.input(field)}`, rest);
  if (scope === 'envs' && field !== '') return pathBelow(`env.${field}`, rest);
  const [variable = '', ...below] = scope === 'vars' ? path.slice(1) : path;
  if (variable === '' || LEFT_BEHIND.test(variable))
    untranslated(`find ${variable || 'vars'} out: it is not known here`);
  return pathBelow(`vars.${flow.variable(variable)}`, below);
}
