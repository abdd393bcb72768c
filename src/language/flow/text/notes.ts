/** Comments of a step: the lines right above its name, in its column. */
import type { Edits } from './edits.ts';
import { type FlowSource, find, lineStart, startOf } from './flow-source.ts';
import { withRemarksAbove } from './map-text.ts';
import { mannerOf } from './write-yaml.ts';
import { isMap, isScalar, type YamlNode } from './yaml/nodes.ts';

interface NotePlace {
  from: number;
  to: number;
  indent: string;
}

function placeOf(source: FlowSource, step: string): NotePlace | undefined {
  const key = find(source, ['steps', step])?.pair?.key;
  return key && placeAbove(source.text, key);
}

function placeAbove(text: string, key: YamlNode): NotePlace | undefined {
  const line = lineStart(text, startOf(key));
  const indent = text.slice(line, startOf(key));
  if (/[^ ]/.test(indent)) return undefined;
  return { from: withRemarksAbove(text, line, indent.length), to: line, indent };
}

/** Text of the comment without its signs. Undefined if the step cannot have one. */
export function noteOf(source: FlowSource, step: string): string | undefined {
  const place = placeOf(source, step);
  if (place === undefined || mannerOf(source.text).isJson) return undefined;
  return wordsIn(source.text, place);
}

/** Notes of all steps that have one, by the names of the steps. Reads the text once. */
export function notesOf(source: FlowSource): Map<string, string> {
  const notes = new Map<string, string>();
  const { text } = source;
  const steps = find(source, ['steps'])?.node;
  if (!text.includes('#') || !isMap(steps) || mannerOf(text).isJson) return notes;
  for (const { key } of steps.items) {
    const place = placeAbove(text, key);
    const note = place === undefined || place.from === place.to ? '' : wordsIn(text, place);
    if (isScalar(key) && note.trim() !== '') notes.set(String(key.value), note);
  }
  return notes;
}

const wordsIn = (text: string, { from, to }: NotePlace): string =>
  text
    .slice(from, to)
    .split(/\r?\n/)
    .slice(0, -1)
    .map((line) => line.trim().replace(/^# ?/, ''))
    .join('\n');

/** Writes the comment above the step. An empty one is removed. */
export function setNote(source: FlowSource, step: string, note: string): Edits {
  const place = placeOf(source, step);
  if (place === undefined)
    return { refused: `${step} begins in the line of something else`, hint: 'write it in the text' };
  const { newline } = mannerOf(source.text);
  const lines = note.trimEnd() === '' ? [] : note.trimEnd().split('\n');
  const insert = lines.map((line) => `${place.indent}#${line === '' ? '' : ` ${line}`}${newline}`).join('');
  const { from, to } = place;
  return source.text.slice(from, to) === insert ? [] : [{ from, to, insert }];
}
