/** Follows a call in the picture of its flow: its step while it is live, and its path after its end. */
import { type ReadonlySignal, type Signal, useSignalEffect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { readJournal } from '../call-rows/journal-source.ts';
import type { Entry } from '../journal/entries.ts';
import { pathOf, type VisitedPath } from '../journal/path.ts';
import { tellError } from '../shell/messages.tsx';
import { live } from './live-store.ts';

/** Interval of reads until the end of the call is recorded. */
const READ_AGAIN_MS = 250;
const MAX_READS = 20;

async function wholeJournal(id: string, isWanted: () => boolean): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let reads = 0; reads < MAX_READS && isWanted(); reads++) {
    await readJournal(id, entries.at(-1)?.seq ?? 0, isWanted, (page) => entries.push(...page));
    if (entries.some(({ kind }) => kind === 'ended')) break;
    await new Promise((resolve) => setTimeout(resolve, READ_AGAIN_MS));
  }
  return entries;
}

export interface FlowPicture {
  flow: string;
  /** Selected step of the picture. */
  selected: Signal<string | undefined>;
  /** Output: path of the call after its end. */
  path: Signal<VisitedPath | undefined>;
}

/** `voiceId` is undefined until the call is known. */
export function useCallPath(
  voiceId: ReadonlySignal<string | undefined>,
  isOver: ReadonlySignal<boolean>,
  { flow, selected, path }: FlowPicture,
): void {
  const overId = isOver.value ? voiceId.value : undefined;
  useEffect(() => {
    if (overId === undefined) return undefined;
    let isWanted = true;
    wholeJournal(overId, () => isWanted).then((journal) => {
      if (!isWanted) return;
      // The lines of a selected step are drawn as strongly as the path.
      selected.value = undefined;
      path.value = pathOf(journal, { flow });
    }, tellError);
    return () => {
      isWanted = false;
    };
  }, [overId]);
  useSignalEffect(() => {
    if (isOver.value) return;
    const step = voiceId.value === undefined ? undefined : live.value.calls.get(voiceId.value)?.step;
    if (step !== undefined) selected.value = step;
  });
}
