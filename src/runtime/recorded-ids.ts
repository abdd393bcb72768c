/** The ids that a call gave, as its journal has them: a replay gives them again. */
import { type Fault, fault } from '../core/fault.ts';
import type { LegCommand } from '../core/leg.ts';
import { REQUESTS, type RequestType } from '../core/leg-answers.ts';
import type { JournalEntry, JournalEntryOf } from './journal.ts';

/** By kind, in order. */
export function recordedIds(journal: readonly JournalEntry[]): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const entry of journal) {
    const [kind, id] = idIn(entry) ?? [];
    if (kind === undefined || id === undefined) continue;
    const given = ids.get(kind);
    if (given) given.push(id);
    else ids.set(kind, [id]);
  }
  return ids;
}

/** By the shelf; one that was begun, and failed then, has a duration. */
export const wasRefused = ({ state, durationMs }: JournalEntryOf<'recording'>): boolean =>
  state === 'failed' && durationMs === undefined;

/** What was answered when this recording was to be made. */
export function recordedFile(
  journal: readonly JournalEntry[],
  recordingId: string,
): { file: string } | { fault: Fault } {
  for (const entry of journal) {
    if (entry.kind === 'recording' && entry.recordingId === recordingId && wasRefused(entry)) {
      const message = entry.description ?? '';
      const left = journal.find((each) => each.kind === 'left' && each.fault?.message === message);
      return { fault: (left?.kind === 'left' && left.fault) || fault('recording_failed', message) };
    }
    if (entry.kind !== 'command' || entry.command.type !== 'record') continue;
    if (entry.command.recordId === recordingId) return { file: entry.command.file };
  }
  return { file: `${recordingId}.wav` };
}

/** The id that was given when this entry was made, and its kind. */
function idIn(entry: JournalEntry): [kind: string, id: string] | undefined {
  switch (entry.kind) {
    case 'request':
      return ['request', entry.requestId];
    case 'dialled':
      return ['leg', entry.leg];
    case 'venue':
      return entry.event === 'entered' ? ['ticket', entry.ticket] : undefined;
    case 'recording':
      return wasRefused(entry) ? ['recording', entry.recordingId] : undefined;
    case 'command':
      return idInCommand(entry.command);
    default:
      return undefined;
  }
}

/** The kinds of the ids of requests. */
const ID_KINDS: Readonly<Record<RequestType, string>> = {
  play: 'play',
  record: 'recording',
  send_digits: 'send',
  listen: 'listen',
  detect_machine: 'detect',
  stream: 'stream',
  assistant: 'assistant',
  refer: 'refer',
};

function idInCommand(command: LegCommand): [kind: string, id: string] | undefined {
  if (!Object.hasOwn(REQUESTS, command.type)) return undefined;
  const type = command.type as RequestType;
  return [ID_KINDS[type], (command as unknown as Record<string, string>)[REQUESTS[type].id]!];
}
