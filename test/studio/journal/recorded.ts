/** Journals of real calls that the project keeps for replays. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from '../../../src/pages/studio/web/journal/entries.ts';

export const recorded: Entry[][] = readFileSync(join(import.meta.dirname, '../../replay/journals.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line).journal);

/** The first recorded call with a matching entry. */
export function callWith(happened: (entry: Entry) => boolean): Entry[] {
  const found = recorded.find((journal) => journal.some(happened));
  if (found === undefined) throw new Error('no recorded call is like that');
  return found;
}

type Written = { kind: string; [key: string]: unknown };

/** A journal of a call that begins at 1,000 ms: `at(250, entry)` is 250 ms into it. */
export const journalOf = (...written: (Written & { at: number })[]): Entry[] =>
  written.map(({ at, ...entry }, index) => ({ seq: index + 1, atMs: 1000 + at, ...entry }) as unknown as Entry);

export const begun = {
  at: 0,
  kind: 'started',
  direction: 'inbound',
  from: '+33612345678',
  to: '1000',
  flow: 'hello',
  input: {},
};
export const entered = (at: number, step: string, verb: string, visit: number, more: object = {}) => ({
  at,
  kind: 'entered',
  step,
  verb,
  visit,
  depth: 0,
  flow: 'hello',
  ...more,
});
export const left = (at: number, step: string, visit: number, outcome: string, more: object = {}) => ({
  at,
  kind: 'left',
  step,
  verb: 'menu',
  visit,
  outcome,
  ...more,
});
export const legEvent = (at: number, event: object, leg?: string) => ({
  at,
  kind: 'in',
  input: { type: 'leg', event, ...(leg !== undefined && { leg }) },
});
export const speech = (text: string, name?: string) => ({
  type: 'speech',
  text,
  language: 'en-US',
  voice: 'female',
  ...(name !== undefined && { name }),
});
export const played = (at: number, playId: string, visit: number, ...audio: object[]) => ({
  at,
  kind: 'command',
  command: { type: 'play', playId, audio },
  visit,
});
