/** Sentences of the repository that break a rule of plain English. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesBelow } from '../files.ts';
import { type Genre, type Kind, RULES, type Rule } from './rules.ts';
import { type Text, textsOf } from './texts.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SKIPPED = new Set(['node_modules', 'dist', 'coverage', 'fixtures', 'generated', '__snapshots__']);
/** Made of schemas and tables: their sentences are found where they are written. */
const GENERATED =
  /^docs\/(?:rest|conformance|verbs|configuration|diagnostics|events|callees)\.md$|^schemas\/editor\/|^src\/(?:language\/steps\/verb-types|config\/config-file|service\/api\/request-bodies|proof\/testkit\/scenario-form|proof\/testkit\/rehearsal\/callees-form)\b/;

export interface Finding {
  file: string;
  line: number;
  genre: Genre;
  rule: Rule;
  sentence: string;
}

/** All findings, file by file. */
export function findAll(): Finding[] {
  return proseFiles().flatMap((file) => {
    const texts = textsOf(file, readFileSync(join(ROOT, file), 'utf8'));
    return texts.flatMap((text) => findIn(text).map((found) => ({ file, line: text.line, ...found })));
  });
}

function proseFiles(): string[] {
  return readdirSync(ROOT, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !SKIPPED.has(name))
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(ROOT, entry.name), SKIPPED) : [join(ROOT, entry.name)]))
    .map((path) => path.slice(ROOT.length).replaceAll('\\', '/'))
    .filter(
      (file) => /\.(?:tsx?|md)$|[./]schema\.json$/.test(file) && !file.endsWith('.d.ts') && !GENERATED.test(file),
    );
}

export const genreOf = (kind: Kind): Genre => (kind === 'describe' || kind === 'test' ? 'title' : kind);

/** A title and a label are one sentence each; other texts are split. */
export function findIn({ kind, text }: Text): Pick<Finding, 'genre' | 'rule' | 'sentence'>[] {
  const genre = genreOf(kind);
  const rules = RULES.filter((rule) => rule.in.includes(kind));
  return (genre === 'title' || genre === 'ui' ? [text] : sentencesOf(text)).flatMap((sentence) => {
    const plain = withoutCode(sentence);
    return rules.filter((rule) => isBroken(rule, plain)).map((rule) => ({ genre, rule, sentence }));
  });
}

const isBroken = ({ forbids }: Rule, sentence: string): boolean =>
  typeof forbids === 'function' ? forbids(sentence) : forbids.test(sentence);

function sentencesOf(text: string): string[] {
  const sentences = text.replace(/\s+/g, ' ').split(/(?<=[.!?:;])\s+(?=[A-Z`"(])/);
  return sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence !== '');
}

/** Quoted code and addresses are not English; signs of Markdown before the first word are left out. */
function withoutCode(sentence: string): string {
  return sentence
    .replace(/`[^`]*`/g, '`x`')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/https?:\S+/g, '')
    .replace(/^[\s*_>(]+/, '');
}

export const findingText = ({ file, line, rule, sentence }: Finding): string =>
  `${file}:${line}: ${rule.id}: ${sentence.replace(/\s+/g, ' ').slice(0, 200)} → ${rule.advice}`;
