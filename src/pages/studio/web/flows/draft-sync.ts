/**
 * Copies the unsaved text of a flow to the service, so that work continues in another browser. `kept-texts.ts` keeps it
 * in this browser at once, also without a connection.
 *
 * Invariants
 * - a change is on the service within five seconds, if the service answers;
 * - a draft that was found is neither replaced nor removed before its author has continued or discarded it;
 * - when the text is saved, or is that of the saved flow again, the draft is removed.
 */
import { effect } from '@preact/signals';
import { isOffline, ServiceError } from '../api.ts';
import { putDraft, removeDraft } from '../flow-api.ts';
import type { EditorDraft } from './flow-draft.ts';

/** With the time of the request, a change is stored within five seconds. */
const PUT_AFTER_MS = 3000;
/** Delays after a failure, which double. */
const PUT_AGAIN_MS = { first: 5000, most: 60_000 };
/** Statuses of a draft that the service does not accept, whenever it is sent. */
const REFUSED: readonly number[] = [403, 404, 409, 413];

/** Returns a function that sends the last change and ends. */
export function syncDraft(draft: EditorDraft): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sent: string | undefined;
  let againMs = PUT_AGAIN_MS.first;
  let wasOffline = false;
  let isStored = draft.kept.peek() !== undefined;
  let isOver = false;

  const discard = (): void => {
    clearTimeout(timer);
    timer = undefined;
    sent = undefined;
    draft.place.value = { is: 'this browser' };
    if (isStored) void removeDraft(draft.name).catch(() => undefined);
    isStored = false;
  };
  const later = (ms: number): void => {
    if (!isOver) timer ??= setTimeout(() => void put(), ms);
  };
  const put = async (): Promise<void> => {
    timer = undefined;
    const text = draft.text.peek();
    if (text === sent || !draft.isUnsaved.peek()) return;
    sent = text;
    try {
      const { saved } = await putDraft(draft.name, text, draft.file.peek().etag);
      isStored = true;
      againMs = PUT_AGAIN_MS.first;
      if (draft.isUnsaved.peek()) draft.place.value = { is: 'service', atMs: Date.parse(saved) };
      else discard();
    } catch (error) {
      sent = undefined;
      const isRefused = error instanceof ServiceError && REFUSED.includes(error.status);
      draft.place.value = { is: isRefused ? 'this browser only' : 'this browser' };
      if (isRefused) return;
      later(againMs);
      againMs = Math.min(PUT_AGAIN_MS.most, againMs * 2);
    }
  };
  const end = effect(() => {
    const text = draft.text.value;
    if (wasOffline && !isOffline.value) {
      clearTimeout(timer);
      timer = undefined;
    }
    wasOffline = isOffline.value;
    if (draft.kept.value !== undefined || draft.isLocked) return;
    if (!draft.isUnsaved.value) discard();
    else if (text !== sent) later(PUT_AFTER_MS);
  });
  return () => {
    end();
    isOver = true;
    if (timer !== undefined) void put();
    clearTimeout(timer);
  };
}
