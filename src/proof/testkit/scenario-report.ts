/** Report of a scenario as text: expected and actual values, and the events of the call around the mismatch. */
import { relative } from 'node:path';
import type { Diagnostic, SourceLocation } from '../../base/core/diagnostic.ts';
import { secondsColumn } from '../../base/core/duration.ts';
import type { Json } from '../../base/core/json.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';
import { promptName } from './prompt-names.ts';

export interface ScenarioFailure {
  /** Location of the expectation in the test. */
  place: SourceLocation;
  what: string;
  expected: string;
  actual: string;
  /** Journal entry at which the mismatch occurred. */
  seq?: number;
}

export interface ScenarioReport {
  name: string;
  file: string;
  ok: boolean;
  /** Set if the test or its flow is invalid; then nothing was run. */
  diagnostics: Diagnostic[];
  failures: ScenarioFailure[];
  journal: JournalEntry[];
  /** Absent if nothing was run. */
  flow?: CompiledFlow;
  /** Duration of the call in virtual time, and of its execution in real time. */
  durationMs: number;
  tookMs: number;
}

const ENTRIES_BEFORE = 30;
const ENTRIES_AFTER = 8;
const MAX_TEXT = 100;

export function formatReport(report: ScenarioReport): string {
  const lines = [`${report.ok ? 'ok' : 'FAILED'} ${report.name}`];
  for (const { file, line, column, code, message, hint } of report.diagnostics) {
    lines.push(`  ${near(file)}:${line}:${column} ${code}: ${message}${hint === undefined ? '' : ` (${hint})`}`);
  }
  for (const { place, what, expected, actual } of report.failures) {
    lines.push(`  ${near(place.file)}:${place.line}:${place.column} ${what}`);
    lines.push(`    expected: ${expected}`, `    happened: ${actual}`);
  }
  if (report.failures.length > 0) {
    lines.push('', ...formatJournal(report.journal, report.failures.find(({ seq }) => seq !== undefined)?.seq));
  }
  return lines.join('\n');
}

/** The entries around the marked one, a line each. */
export function formatJournal(journal: readonly JournalEntry[], markedSeq?: number): string[] {
  const marked = markedSeq ?? journal.at(-1)?.seq ?? 0;
  const startedMs = journal[0]?.atMs ?? 0;
  const first = Math.max(0, marked - ENTRIES_BEFORE);
  const shown = journal.slice(first, marked + ENTRIES_AFTER);
  const lines = shown.map((entry) => {
    const time = secondsColumn(entry.atMs - startedMs);
    return `${entry.seq === markedSeq ? '▶' : ' '} ${String(entry.seq).padStart(4)} ${time}  ${describeEntry(entry)}`;
  });
  const more = journal.length - first - shown.length;
  if (first > 0) lines.unshift(`       … ${first} before`);
  if (more > 0) lines.push(`       … ${more} more`);
  return lines;
}

/** Describes an entry in a few words. */
export function describeEntry(entry: JournalEntry): string {
  switch (entry.kind) {
    case 'started':
      return `${entry.direction} call from ${entry.from} to ${entry.to}, flow ${entry.flow}`;
    case 'in': {
      const { input } = entry;
      if (input.type === 'leg') return `« ${of(input.leg)}${short(input.event)}`;
      return `« ${short(input)}`;
    }
    case 'entered':
      return `${'  '.repeat(entry.depth)}→ ${entry.step} (${entry.verb})`;
    case 'left':
      return `${entry.step}: ${entry.outcome}${entry.result === undefined ? '' : ` ${short(entry.result)}`}${entry.fault ? ` ${short(entry.fault)}` : ''}`;
    case 'command':
      if (entry.command.type === 'play')
        return `» ${of(entry.leg)}play ${clip(entry.command.audio.map(promptName).join(', '))}`;
      return `» ${of(entry.leg)}${short(entry.command)}`;
    default: {
      const { seq: _seq, atMs: _atMs, wallMs: _wallMs, kind, ...rest } = entry;
      return `${kind} ${short(rest)}`;
    }
  }
}

/** Prefix with the leg; none for the caller's own leg. */
const of = (leg: string | undefined): string => (leg === undefined ? '' : `[${leg}] `);

/** `type key=value …` for a typed object, otherwise JSON. */
function short(value: object | Json): string {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return clip(JSON.stringify(value));
  const { type, ...rest } = value as { type?: unknown };
  const words = Object.entries(rest).map(
    ([key, inner]) => `${key}=${typeof inner === 'string' ? inner : JSON.stringify(inner)}`,
  );
  return clip([...(type === undefined ? [] : [String(type)]), ...words].join(' '));
}

const clip = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text);

const near = (file: string): string => {
  const path = relative(process.cwd(), file);
  return path !== '' && !path.startsWith('..') ? path : file;
};
