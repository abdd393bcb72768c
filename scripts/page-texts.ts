/**
 * Lists the English texts of the pages: `src/pages/shared/web/words/texts/english.json`, by page. A text is the first
 * argument of `t` or `tNodes`; those that the pages show of verbs and templates come from their files. `english.json` lists what
 * each language must translate.
 */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vitest/node';
import { parse } from 'yaml';
import { languageOf } from '../src/language/flow/language.ts';
import type { LanguageKey } from '../src/language/flow/text/language.ts';
import { sentence } from '../src/pages/studio/web/form/limits.ts';
import type { StepTemplate } from '../src/pages/studio/web/text/step-template.ts';
import { verbs } from '../src/verbs/steps.ts';

const ROOT = join(import.meta.dirname, '..');
export const TEXTS_FOLDER = 'src/pages/shared/web/words/texts';
export const ENGLISH_TEXTS = `${TEXTS_FOLDER}/english.json`;

/** Folders with texts of each page. */
const FOLDERS = {
  studio: ['src/pages/studio/web', 'src/pages/shared/web'],
  'room-page': ['src/pages/room-page/web', 'src/pages/shared/web'],
  'phone-page': ['src/pages/phone-page/web', 'src/pages/shared/web'],
} as const;
export const PAGE_FOLDERS = [...new Set(Object.values(FOLDERS).flat())];
const TEMPLATES = 'flows/templates';
const TRANSLATORS = new Set(['t', 'tNodes']);

/** A node of the syntax tree (ESTree with JSX). */
export interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';

export const parsePage = (file: string, content: string): SyntaxNode =>
  parseAst(content, { lang: file.endsWith('x') ? 'tsx' : 'ts' }) as unknown as SyntaxNode;

/** Calls `visit` for the node and all nodes below it, with the nodes above, the nearest last. */
export function walk(node: SyntaxNode, visit: (node: SyntaxNode, above: readonly SyntaxNode[]) => void): void {
  const descend = (each: SyntaxNode, above: readonly SyntaxNode[]): void => {
    visit(each, above);
    const inner = [...above, each];
    for (const value of Object.values(each)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) descend(child, inner);
    }
  };
  descend(node, []);
}

export interface TextCall {
  text: string;
  /** Names of the values that the call gives. Undefined if they are not written as an object, or if there are none. */
  values?: string[];
}

/** Text of a literal. Undefined for another expression. */
export function literalOf(node: SyntaxNode | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (node?.type !== 'TemplateLiteral') return undefined;
  const quasis = node['quasis'] as (SyntaxNode & { value: { cooked: string } })[];
  return quasis.length === 1 ? quasis[0]!.value.cooked : undefined;
}

/** Calls of `t` and `tNodes` with a literal text in a file. */
export function textCallsOf(file: string, content: string): TextCall[] {
  const found: TextCall[] = [];
  walk(parsePage(file, content), (node) => {
    if (node.type !== 'CallExpression' || !TRANSLATORS.has(String((node['callee'] as SyntaxNode)['name']))) return;
    const [text, values] = node['arguments'] as SyntaxNode[];
    for (const literal of choicesOf(text)) {
      found.push({ text: literal, ...(values?.type === 'ObjectExpression' && { values: namesOf(values) }) });
    }
  });
  return found;
}

/** Texts between which an expression chooses. */
function choicesOf(node: SyntaxNode | undefined): string[] {
  if (node?.type === 'ConditionalExpression') {
    return [...choicesOf(node['consequent'] as SyntaxNode), ...choicesOf(node['alternate'] as SyntaxNode)];
  }
  const text = literalOf(node);
  return text === undefined ? [] : [text];
}

function namesOf(object: SyntaxNode): string[] | undefined {
  const properties = object['properties'] as (SyntaxNode & { key?: SyntaxNode })[];
  if (properties.some(({ type }) => type !== 'Property')) return undefined;
  return properties.map(({ key }) => String(key!['name'] ?? key!['value']));
}

export const pageFilesOf = (folder: string): string[] =>
  globSync(`${folder}/**/*.{ts,tsx}`, { cwd: ROOT, exclude: ['**/*.d.ts', '**/made/**'] }).sort();

/** Texts in files below these folders. */
const textsBelow = (folders: readonly string[]): string[] =>
  folders.flatMap(pageFilesOf).flatMap((file) => {
    const calls = textCallsOf(file, readFileSync(join(ROOT, file), 'utf8'));
    return calls.map(({ text }) => text);
  });

/** Hints that are examples of code are the same in each language. */
const IN_WORDS = /^[^$=]* \p{L}+ [^$=]*$/u;

/** The names, sentences, search words, questions and hints with which the list of steps shows the verbs. */
const textsOfVerbs = (): string[] =>
  Object.values(languageOf(verbs).verbs).flatMap(({ picker }) => {
    if (picker === undefined) return [];
    const asked = (picker.asks ?? []).flatMap(({ question, hint = '' }) => [
      question,
      ...(IN_WORDS.test(hint) ? [hint] : []),
    ]);
    return [picker.name, picker.sentence, picker.words.join(', '), ...asked];
  });

/** Sentences of the forms about the limits of schemas. */
const textsOfLimits = (): string[] => {
  const { verbs: known, step, flow } = languageOf(verbs);
  const saysIn = ({ says, code, properties = {}, items, values, names }: LanguageKey): string[] => [
    ...(says === undefined || code === 'duration' ? [] : [sentence(says)]),
    ...[...Object.values(properties), items, values, names].flatMap((key) => (key === undefined ? [] : saysIn(key))),
  ];
  return [step, flow, ...Object.values(known).map(({ schema }) => schema)].flatMap(saysIn);
};

const sorted = (texts: readonly string[]): string[] => [...new Set(texts)].sort();

/** Names, sentences, search words, questions and hints of the templates of several steps. */
const textsOfTemplates = (): string[] =>
  readdirSync(join(ROOT, TEMPLATES)).flatMap((file) => {
    const { template } = parse(readFileSync(join(ROOT, TEMPLATES, file), 'utf8')) as { template: StepTemplate };
    const { name, sentence, words, asks = [] } = template;
    const asked = asks.flatMap(({ question, hint = '' }) => [question, ...(IN_WORDS.test(hint) ? [hint] : [])]);
    return [name, sentence, words.join(', '), ...asked];
  });

export const englishTexts = (): Record<keyof typeof FOLDERS, string[]> => ({
  studio: sorted([...textsBelow(FOLDERS.studio), ...textsOfVerbs(), ...textsOfTemplates(), ...textsOfLimits()]),
  'room-page': sorted(textsBelow(FOLDERS['room-page'])),
  'phone-page': sorted(textsBelow(FOLDERS['phone-page'])),
});
