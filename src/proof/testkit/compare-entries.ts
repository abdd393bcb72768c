/** Compares a recorded journal entry with the entry of a replay. */
import type { JsonObject } from '../../base/core/json.ts';
import { valueAt } from '../../base/schema/document.ts';
import type { CompiledStep } from '../../language/flow/compiled-flow.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';
import { changedTemplate } from '../../service/runtime/masked-templates.ts';
import { type Difference, wordsOfDifference } from './difference-words.ts';
import { equalExceptMasks } from './masked.ts';

/** Describes the difference. Undefined if the entries are equal. `step` is the step in the current flow. */
export function differenceOf(
  recorded: JournalEntry,
  replayed: JournalEntry,
  step: CompiledStep | undefined,
): Difference | undefined {
  if (recorded.kind !== replayed.kind)
    return known(`${recorded.kind} was recorded, the flow comes to ${replayed.kind}`);
  const [was, is] = [comparable(recorded), comparable(replayed)];
  if (recorded.kind === 'started') {
    // Ignores the flow version, and ids that older journals lack.
    for (const side of [was, is]) for (const key of ['flowHash', 'leg', 'callId']) delete side[key];
  }
  if (recorded.kind === 'entered') for (const side of [was, is]) delete side['flowHash'];
  const key = Object.keys({ ...was, ...is }).find((name) => !equalExceptMasks(was[name], is[name]));
  if (key === undefined) return templateDifference(recorded, step);
  if (recorded.kind === 'entered' && replayed.kind === 'entered') {
    return known(`the flow enters ${replayed.step}, and entered ${recorded.step}`);
  }
  if (recorded.kind === 'left' && replayed.kind === 'left' && recorded.outcome !== replayed.outcome) {
    return known(`${replayed.step} has the outcome ${replayed.outcome}, and had ${recorded.outcome}`);
  }
  return wordsOfDifference(recorded, was, is, step?.name);
}

/** A difference with the same cause for every call. */
const known = (message: string): Difference => ({ message, cause: message });

/** Masked values match anything; a changed template shows that they can differ. */
function templateDifference(entry: JournalEntry, step: CompiledStep | undefined): Difference | undefined {
  if ((entry.kind !== 'rendered' && entry.kind !== 'vars') || !entry.templates || !step) return undefined;
  const sources = Object.fromEntries(Object.entries(step.set ?? {}).map(([name, { source }]) => [name, source]));
  const written = entry.kind === 'rendered' ? step.args : sources;
  const path = changedTemplate(entry.templates, written);
  if (path === undefined) return undefined;
  const now = valueAt(written, path);
  const what = path === '' ? 'what it is given' : path.slice(1).replaceAll('/', '.');
  const made = now === undefined ? 'is not there' : `is made by ${JSON.stringify(now)}`;
  return known(`${what} of ${step.name} ${made}, and was made by another template (its value is masked)`);
}

/** An entry without sequence number, folder of sound files and templates. */
function comparable({ seq: _seq, ...entry }: JournalEntry): JsonObject {
  const { templates: _templates, ...content } = entry as unknown as JsonObject;
  if (entry.kind !== 'command' || entry.command.type !== 'play') return content;
  const audio = entry.command.audio.map((item) => (item.type === 'file' ? { ...item, file: tailOf(item.file) } : item));
  return { ...content, command: { ...entry.command, audio } } as unknown as JsonObject;
}

/** The file and its folder: `prompts/hello.wav`, `fr-FR/hello.wav`. */
const tailOf = (file: string): string => file.split(/[\\/]/).slice(-2).join('/');

/** True for entries that older versions did not write: ends of joins, transfers and bridges of ending calls. */
export function isNewerEntryKind(recorded: JournalEntry | undefined, replayed: JournalEntry): boolean {
  switch (replayed.kind) {
    case 'unjoined':
    case 'transferred':
    case 'untransferred':
      return recorded?.kind !== replayed.kind;
    case 'bridge':
      return (replayed.state === 'failed' || replayed.state === 'bridge_disconnected') && recorded?.kind !== 'bridge';
    default:
      return false;
  }
}
