/** The Replaces header (RFC 3891): identifies a dialog from its receiver's point of view. */
import { dialogKey } from './dialog.ts';
import type { DialogSession } from './dialog-session.ts';
import { splitParams } from './scan.ts';

export interface Replaces {
  callId: string;
  /** Tag of the receiver. */
  toTag: string;
  fromTag: string;
  earlyOnly: boolean;
}

const LONGEST = 1000;

export function parseReplaces(text: string): Replaces | undefined {
  if (text.length > LONGEST) return undefined;
  const { value, params } = splitParams(text);
  const callId = value.trim();
  const toTag = params?.['to-tag'];
  const fromTag = params?.['from-tag'];
  if (callId === '' || !params || toTag === undefined || fromTag === undefined) return undefined;
  return { callId, toTag, fromTag, earlyOnly: params['early-only'] !== undefined };
}

export const replacedSession = (
  sessions: ReadonlyMap<string, DialogSession>,
  { callId, toTag, fromTag }: Replaces,
): DialogSession | undefined => sessions.get(dialogKey(callId, toTag, fromTag));

/** As an escaped header of a URI (RFC 3261 §19.1.1). */
export function replacesInUri({ callId, toTag, fromTag }: Omit<Replaces, 'earlyOnly'>): string {
  return `Replaces=${encodeURIComponent(`${callId};to-tag=${toTag};from-tag=${fromTag}`)}`;
}

/** Reads the headers of a URI; undefined without a Replaces, false if it is malformed. */
export function replacesOfUri(headers: string | undefined): Replaces | undefined | false {
  const value = headers
    ?.split('&')
    .map((header) => header.split('=', 2))
    .find(([name]) => name?.toLowerCase() === 'replaces')?.[1];
  if (value === undefined) return undefined;
  try {
    return parseReplaces(decodeURIComponent(value)) ?? false;
  } catch {
    return false;
  }
}
