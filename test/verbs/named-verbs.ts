/**
 * Places in the sources that state a fact of a verb by its name. Many words are also names of commands, journal
 * entries, events or outcomes; these are told apart by what they are compared with, or by the key that they belong to.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAst } from 'vitest/node';
import { stepSchema, verbSchemas } from '../../src/base/schema/schema-forms.ts';

const SOURCES = join(import.meta.dirname, '../../src');
/** Folders that define verbs, or translate to them. */
const OWN = /^(language\/steps|verbs|language\/importers)\//;
/** Folders of the language: all others name verbs only next to `verb`, their other words are commands or events. */
const OF_LANGUAGE =
  /^(cli|proof\/explore|language\/flow|service\/runtime|pages\/studio|proof\/testkit|proof\/workbench)\//;
/** Last word of an expression that has the name of a verb. */
const IS_VERB = /^(verb|verbName)$/;
const OF_VERBS = /verb|^steps?$|^(made|source|written)$/i;

/** `set` is also a key next to a verb. */
const STEP_KEYS = Object.keys(stepSchema['properties'] ?? {});

export interface NamedVerb {
  file: string;
  line: number;
  verb: string;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

export function namedVerbs(): NamedVerb[] {
  const files = readdirSync(SOURCES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(SOURCES, join(entry.parentPath, entry.name)));
  return files
    .filter((file) => !OWN.test(file))
    .flatMap((file) => namedIn(file, readFileSync(join(SOURCES, file), 'utf8')));
}

export function namedIn(file: string, text: string): NamedVerb[] {
  const tree = parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node;
  const found: NamedVerb[] = [];
  const add = (node: Node, names: readonly string[]): void => {
    const line = text.slice(0, node.start).split('\n').length;
    for (const verb of names) found.push({ file, line, verb });
  };
  const visit = (node: Node, parents: readonly Node[]): void => {
    const names = namesIn(node, parents, OF_LANGUAGE.test(file));
    if (names.length > 0) add(node, names);
    for (const value of Object.values(node))
      for (const each of [value].flat()) if (isNode(each)) visit(each, [...parents, node]);
  };
  visit(tree, []);
  return found;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** Verbs that a node names: a list or a table of verbs, or one verb. */
function namesIn(node: Node, parents: readonly Node[], isOfLanguage: boolean): string[] {
  if (isOfLanguage && node.type === 'ArrayExpression')
    return onlyVerbs((node['elements'] as (Node | null)[]).map(wordOf));
  if (isOfLanguage && node.type === 'ObjectExpression') return onlyVerbs((node['properties'] as Node[]).map(keyOf));
  const verb = wordOf(node);
  return verb !== undefined && verbSchemas.has(verb) && isVerbHere(node, parents, isOfLanguage) ? [verb] : [];
}

/** Names of verbs, if there are two at least and nothing else that is a word. */
function onlyVerbs(words: readonly (string | undefined)[]): string[] {
  const known = words.filter((word) => word !== undefined);
  return known.length > 1 && known.every((word) => verbSchemas.has(word)) ? known : [];
}

const wordOf = (node: Node | null): string | undefined =>
  node?.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : undefined;

function keyOf({ type, key, computed }: Node): string | undefined {
  if (type !== 'Property' || computed === true || !isNode(key)) return undefined;
  return key.type === 'Identifier' ? String(key['name']) : wordOf(key);
}

/** True if a word is compared with the verb of a step, or is the key of one. */
function isVerbHere(node: Node, parents: readonly Node[], isOfLanguage: boolean): boolean {
  const parent = parents.at(-1)!;
  if (parent.type === 'BinaryExpression')
    return [parent['left'], parent['right']].some((side) => isNode(side) && IS_VERB.test(lastWordOf(side)));
  if (parent.type === 'SwitchCase') return IS_VERB.test(lastWordOf(parents.at(-2)!['discriminant'] as Node));
  if (parent.type === 'MemberExpression' && parent['property'] === node)
    return isOfLanguage && !STEP_KEYS.includes(wordOf(node)!) && OF_VERBS.test(lastWordOf(parent['object'] as Node));
  if (parent.type !== 'CallExpression' || !isOfLanguage) return false;
  const callee = parent['callee'] as Node;
  if (callee.type !== 'MemberExpression') return false;
  const [first] = parent['arguments'] as Node[];
  const owner = lastWordOf(callee['object'] as Node);
  return OF_VERBS.test(owner === 'Object' && isNode(first) ? lastWordOf(first) : owner);
}

/** `step.spec.verb` → `verb`, `verbs[name]!` → `verbs`. */
function lastWordOf(node: Node): string {
  switch (node.type) {
    case 'Identifier':
      return String(node['name']);
    case 'MemberExpression':
      return lastWordOf((node['computed'] === true ? node['object'] : node['property']) as Node);
    case 'ChainExpression':
    case 'TSNonNullExpression':
    case 'TSAsExpression':
      return lastWordOf(node['expression'] as Node);
    case 'CallExpression':
      return lastWordOf(node['callee'] as Node);
    case 'LogicalExpression':
      return lastWordOf(node['left'] as Node);
    default:
      return '';
  }
}
