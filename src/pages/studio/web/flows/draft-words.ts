/** Messages about a flow text: its state next to the name, and confirmations after saving. */

import { t } from '../../../shared/web/words/translate.ts';
import { isOffline } from '../api.ts';
import { shortMomentOf } from '../call-rows/call-times.ts';
import type { LatestSave } from '../people/people-api.ts';
import { ownName, saves } from '../people/people-store.ts';
import type { DraftPlace, EditorDraft, Saved } from './flow-draft.ts';
import { phoneAddress } from './phone-address.ts';

export function stateOf({ name, isLocked, file, isSaving, isChanged, isUnsaved, place }: EditorDraft): string {
  if (isLocked) return file.value.built_in ? t('built in, read only') : t('read only');
  if (isSaving.value) return t('saving');
  if (!isChanged.value) return lastSave(saves.value.get(name), file.value.etag);
  return isUnsaved.value ? placeInWords(place.value) : t('saved as candidate');
}

/** Place of the unsaved text. */
function placeInWords(place: DraftPlace): string {
  if (isOffline.value) return t('Not connected · your work is kept here');
  if (place.is === 'service') return t('Draft · saved {time}', { time: shortMomentOf(place.atMs) });
  return place.is === 'this browser only' ? t('Draft · kept in this browser only') : t('not saved');
}

/** Time and author of the save that the editor shows. Empty if it is not known. */
function lastSave(save: LatestSave | undefined, etag: string): string {
  if (save?.etag !== etag) return '';
  const time = shortMomentOf(Date.parse(save.at));
  return save.who === ownName() ? t('Saved {time}', { time }) : t('Saved {time} by {who}', { time, who: save.who });
}

/** Confirmation shown after saving. */
export function savedWords(flow: string, isDraft: boolean, number: string | undefined): string {
  if (isDraft) return t('{flow} is saved as a draft', { flow });
  const address = number === undefined ? undefined : (phoneAddress(number) ?? number);
  return address === undefined
    ? t('{flow} is saved', { flow })
    : t('{flow} is saved. To hear it, call {address}', { flow, address });
}

/** Confirmations for a candidate. */
export const KEPT: Readonly<Partial<Record<Saved, string>>> = {
  saved: t('Saved as a candidate. Callers still get the live version. Test or publish it under Versions.'),
  'has errors': t('Not saved: the text has errors.'),
  nothing: t('Not saved: the live version is the same.'),
};
