/**
 * Copies steps to the clipboard as YAML, with the entries of tables that they use, and reads them from it, also from the
 * text of an e-mail. `paste-steps.ts` pastes them. Pure.
 */
import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import type { GraphLanguage } from '../../../../language/flow/graph.ts';
import { type EditRefusal, isRefusal } from '../../../../language/flow/text/edits.ts';
import {
  type FlowSource,
  find,
  lineStart,
  openText,
  startOf,
  valueAt,
} from '../../../../language/flow/text/flow-source.ts';
import { withRemarksAbove, writtenPair } from '../../../../language/flow/text/map-text.ts';
import { keysAt } from '../../../../language/flow/text/references.ts';
import { mannerOf, writePair } from '../../../../language/flow/text/write-yaml.ts';
import { isAlias, isMap, nodesIn } from '../../../../language/flow/text/yaml/nodes.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { TABLES, usedBy } from './clipboard-tables.ts';

const MAX_CLIPBOARD = 500_000;
const YAML = mannerOf('');

/** The steps as a map with their comments, and what they use: prompts, variables, inputs, schedules, local flows. */
export function copySteps(text: string, names: readonly string[], verbs: GraphLanguage): string | EditRefusal {
  const source = openText(text);
  if (isRefusal(source)) return source;
  const known = keysAt(source.value, ['steps']);
  const missing = names.find((name) => !known.includes(name));
  if (missing !== undefined) return { refused: t('There is no step {missing}', { missing }) };
  const steps = known
    .filter((name) => names.includes(name))
    .map((name) => `${writtenStep(source, name) ?? writePair(name, stepIn(source, name), YAML)}\n`)
    .join('');
  const used = usedBy(source.value, names, verbs);
  const tables = TABLES.flatMap((table) => {
    const entries = used[table].map((name) => `${writePair(name, valueAt(source.value, [table, name])!, YAML)}\n`);
    return entries.length === 0 ? [] : `${table}:\n${indented(entries.join(''))}`;
  });
  return tables.length === 0 ? steps : `${tables.join('')}steps:\n${indented(steps)}`;
}

const indented = (lines: string): string => lines.replaceAll(/^(?=.)/gm, '  ');

export const stepIn = ({ value }: FlowSource, name: string): Json => (value['steps'] as JsonObject)[name]!;

/**
 * Text of a step as its author wrote it. Undefined if it depends on its surroundings: on an anchor, or on enclosing
 * braces.
 */
export function writtenStep(source: FlowSource, name: string): string | undefined {
  const { pair, parent, node } = find(source, ['steps', name])!;
  const isBound = [...nodesIn(node)].some((part) => part.anchor !== undefined || isAlias(part));
  const isFlow = isMap(parent) && parent.flow;
  if (isBound || pair === undefined) return undefined;
  return isFlow ? undefined : `${remarksOf(source.text, startOf(pair.key))}${writtenPair(source, pair, isFlow)}`;
}

/** Comment lines above a key, in its column, without their indentation. */
function remarksOf(text: string, key: number): string {
  const line = lineStart(text, key);
  if (text.slice(line, key).trim() !== '') return '';
  const remarks = text.slice(withRemarksAbove(text, line, key - line), line);
  return remarks.replaceAll('\r\n', '\n').replaceAll(/^ +/gm, '');
}

/** Parses the clipboard as a flow that consists only of these steps. */
export function readClipboard(clipboard: string): FlowSource | EditRefusal {
  if (clipboard.length > MAX_CLIPBOARD) return { refused: t('That is too long to be pasted') };
  for (const candidate of candidatesIn(clipboard)) {
    const source = openText(candidate);
    if (isRefusal(source)) continue;
    const { steps } = source.value;
    if (isObject(steps) && areSteps(steps)) return source;
    if (steps === undefined && areSteps(source.value)) {
      const isFlow = isMap(source.contents) && source.contents.flow;
      const wrapped = isFlow
        ? `steps: ${candidate.replaceAll('\n', '\n  ')}`
        : `steps:\n${candidate.replaceAll(/^(?=.)/gm, '  ')}`;
      const made = openText(`${wrapped.trimEnd()}\n`);
      if (!isRefusal(made)) return made;
    }
  }
  return {
    refused: t('There are no steps on the clipboard'),
    hint: t('steps are YAML, such as bye: { hangup: normal }'),
  };
}

const areSteps = (value: JsonObject): boolean =>
  Object.keys(value).length > 0 && Object.values(value).every((step) => isObject(step) && Object.keys(step).length > 0);

/** Candidate texts in an e-mail, without quote marks, non-breaking spaces, surrounding text and code fences. */
function candidatesIn(clipboard: string): string[] {
  let text = clipboard
    .replaceAll('\r\n', '\n')
    .replaceAll('\u00a0', ' ')
    .replace(/^\ufeff/, '');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  while (lines.length > 0 && text.split('\n').every((line) => line.trim() === '' || /^ ?>/.test(line))) {
    text = text.replaceAll(/^ ?> ?/gm, '');
    if (!text.includes('>')) break;
  }
  const fenced = /^[ \t]*```[^\n]*\n([\s\S]*?)^[ \t]*```/m.exec(text)?.[1];
  const begun = text.slice(
    Math.max(0, text.search(/^[ \t]*["']?[\p{L}_][\p{L}\p{M}\p{N}_-]*["']?[ \t]*:(?: *$| *[{#])/mu)),
  );
  const paragraphs = begun.split(/\n(?=\S)(?!["']?[\p{L}_][\p{L}\p{M}\p{N}_-]*["']?[ \t]*:)/u)[0]!;
  return [fenced, text, begun, paragraphs].filter((part) => part !== undefined).map(dedented);
}

function dedented(text: string): string {
  const lines = text
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd()
    .split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^ */.exec(line)![0].length);
  const indent = Math.min(...indents);
  return `${lines.map((line) => line.slice(indent)).join('\n')}\n`;
}
