/** Messages about a flow text: its state next to the name, and confirmations after saving. */
import { isOffline } from '../api.ts';
import { shortMomentOf } from '../call-rows/call-times.ts';
import type { LatestSave } from '../people/people-api.ts';
import { ownName, saves } from '../people/people-store.ts';
import type { DraftPlace, EditorDraft, Saved } from './flow-draft.ts';
import { phoneAddress } from './phone-address.ts';

export function stateOf({ name, isLocked, file, isSaving, isChanged, isUnsaved, place }: EditorDraft): string {
  if (isLocked) return file.value.built_in ? 'built in, read only' : 'read only';
  if (isSaving.value) return 'saving';
  if (!isChanged.value) return lastSave(saves.value.get(name), file.value.etag);
  return isUnsaved.value ? placeInWords(place.value) : 'saved as candidate';
}

/** Place of the unsaved text. */
function placeInWords(place: DraftPlace): string {
  if (isOffline.value) return 'Not connected · your work is kept here';
  if (place.is === 'service') return `Draft · saved ${shortMomentOf(place.atMs)}`;
  return place.is === 'this browser only' ? 'Draft · kept in this browser only' : 'not saved';
}

/** Time and author of the save that the editor shows. Empty if it is not known. */
function lastSave(save: LatestSave | undefined, etag: string): string {
  if (save?.etag !== etag) return '';
  return `Saved ${shortMomentOf(Date.parse(save.at))}${save.who === ownName() ? '' : ` by ${save.who}`}`;
}

/** Confirmation shown after saving. */
export function savedWords(flow: string, isDraft: boolean, number: string | undefined): string {
  if (isDraft) return `${flow} is saved as a draft`;
  const address = number === undefined ? undefined : (phoneAddress(number) ?? number);
  return address === undefined ? `${flow} is saved` : `${flow} is saved. To hear it, call ${address}`;
}

/** Confirmations for a candidate. */
export const KEPT: Readonly<Partial<Record<Saved, string>>> = {
  saved: 'Saved as a candidate. Callers still get the live version. Test or publish it under Versions.',
  'has errors': 'Not saved: the text has errors.',
  nothing: 'Not saved: the live version is the same.',
};
