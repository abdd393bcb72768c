/**
 * Comment at the head of a flow's file: the comment lines before the first key. Directives for other programs, such as
 * `# yaml-language-server: …`, are not part of it and stay as they are.
 */
import type { Edit, Edits } from './edits.ts';
import { type FlowSource, nextLine } from './flow-source.ts';
import { mannerOf } from './write-yaml.ts';

/** Comments that programs read. */
const DIRECTIVE =
  /^#(?:!|\s*(?:yaml-language-server\s*:|\$schema\s*:|vim?:|-\*-|yamllint\b|prettier-ignore\b|cspell:))/;

interface HeadLine {
  from: number;
  /** Start of the next line. */
  to: number;
  /** Text without its sign; empty for an empty line between two comments. */
  words: string;
}

interface Head {
  lines: HeadLine[];
  /** Offset at which a first line is written. */
  place: number;
}

function headOf({ text }: FlowSource): Head {
  const lines: HeadLine[] = [];
  let empty: HeadLine[] = [];
  let place = text.startsWith('\ufeff') ? 1 : 0;
  for (let from = place; from < text.length; ) {
    const to = nextLine(text, from);
    const line = text.slice(from, to).trim();
    if (line === '') empty.push({ from, to, words: '' });
    else if (/^(?:%|---(?:\s|$))/.test(line) || DIRECTIVE.test(line)) {
      place = to;
      empty = [];
    } else if (line.startsWith('#')) {
      // Empty lines above the comment are not part of it.
      if (lines.length > 0) lines.push(...empty);
      lines.push({ from, to, words: line.replace(/^# ?/, '') });
      empty = [];
    } else break;
    from = to;
  }
  return { lines, place };
}

/** Text of the comment without its signs. Undefined if there is none, or the file is JSON. */
export function headNoteOf(source: FlowSource): string | undefined {
  if (mannerOf(source.text).isJson) return undefined;
  const { lines } = headOf(source);
  return lines.length === 0 ? undefined : lines.map(({ words }) => words).join('\n');
}

/** Writes the comment: only lines that differ. An empty one is removed. */
export function setHeadNote(source: FlowSource, note: string): Edits {
  const { isJson, newline } = mannerOf(source.text);
  if (isJson) return { refused: 'JSON has no comments' };
  const { lines, place } = headOf(source);
  const wanted = note.trimEnd() === '' ? [] : note.trimEnd().split(/\r?\n/);
  const shorter = Math.min(lines.length, wanted.length);
  let before = 0;
  while (before < shorter && lines[before]!.words === wanted[before]) before += 1;
  let after = 0;
  while (after < shorter - before && lines.at(-1 - after)!.words === wanted.at(-1 - after)) after += 1;
  const insert = wanted
    .slice(before, wanted.length - after)
    .map((line) => `#${line === '' ? '' : ` ${line}`}${newline}`)
    .join('');
  const replaced = lines.slice(before, lines.length - after);
  if (replaced.length === 0) {
    const at = lines[before - 1]?.to ?? lines[0]?.from ?? place;
    return insert === '' ? [] : [{ from: at, to: at, insert }];
  }
  // A directive between two lines stays.
  const edits: Edit[] = [];
  for (const { from, to } of replaced) {
    const last = edits.at(-1);
    if (last?.to === from) last.to = to;
    else edits.push({ from, to, insert: '' });
  }
  edits[0]!.insert = insert;
  return edits;
}
