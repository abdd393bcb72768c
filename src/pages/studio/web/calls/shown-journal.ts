/** The journal of the call that is shown, and its moment in the address of the page. */
import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type CallFacts, readJournal } from '../call-rows/journal-source.ts';
import { onLiveEvent } from '../live/live-store.ts';
import { tellError } from '../shell/messages.tsx';
import { location, setQuery } from '../shell/router.ts';
import type { CallPath } from './call-path.ts';
import type { Player } from './player.ts';

const ADDRESS_MS = 250;
const LIVE_READ_MS = 150;
/** Poll interval for live calls. Keys, prompts and recordings are written to the journal without a live event. */
const LIVE_POLL_MS = 2000;

/** Loads the journal, and follows it while the call is live. */
export function useJournal(
  id: string,
  path: CallPath,
  player: Player,
  found: (facts: CallFacts | { message: string }) => void,
): void {
  useEffect(() => {
    let isWanted = true;
    let isReading = false;
    let isBehind = false;
    let isLive = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async (): Promise<void> => {
      if (isReading) {
        isBehind = true;
        return;
      }
      isReading = true;
      isBehind = false;
      const after = path.journal.peek().at(-1)?.seq ?? 0;
      await readJournal(
        id,
        after,
        () => isWanted,
        (entries, facts) => {
          path.append(entries);
          isLive = facts.row.endedMs === undefined;
          found(facts);
        },
      );
      isReading = false;
      if (isBehind && isWanted) await read();
    };
    const first = async (): Promise<void> => {
      try {
        await read();
        goToAddress(path);
        await player.draw(() => isWanted);
      } catch (error) {
        if (isWanted) found({ message: (error as Error).message });
      }
    };
    void first();
    const poll = setInterval(() => {
      if (isLive && !document.hidden) void read().catch(tellError);
    }, LIVE_POLL_MS);
    const stop = onLiveEvent((_, data) => {
      const bodies = Array.isArray(data) ? data : [data];
      if (
        !bodies.some(
          (body) => body !== null && typeof body === 'object' && 'voice_id' in body && body['voice_id'] === id,
        )
      ) {
        return;
      }
      clearTimeout(timer);
      timer = setTimeout(() => void read().catch(tellError), LIVE_READ_MS);
    });
    return () => {
      isWanted = false;
      clearInterval(poll);
      clearTimeout(timer);
      stop();
      player.close();
    };
  }, []);
}

/** `?e=18` is a journal entry, `?t=4200` a time in ms between entries. */
function goToAddress(path: CallPath): void {
  const { e: seq, t: ms } = location.peek().query;
  if (seq !== undefined && /^\d+$/.test(seq)) path.toSeq(Number(seq));
  else if (ms !== undefined && /^\d+$/.test(ms)) path.toMs(Number(ms));
}

/** Keeps the moment of the path in the address. */
export function useAddress(path: CallPath): void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const isFirst = useRef(true);
  useSignalEffect(() => {
    const entry = path.journal.value[path.index.value];
    const { value: atMs } = path.atMs;
    if (entry === undefined) return;
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const isOnEntry = entry.atMs - path.journal.peek()[0]!.atMs === atMs;
      setQuery(isOnEntry ? { e: String(entry.seq), t: undefined } : { e: undefined, t: String(Math.round(atMs)) });
    }, ADDRESS_MS);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
}
