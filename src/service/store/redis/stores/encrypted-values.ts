/**
 * Values that journals show masked, encrypted with the cluster key (AES-256-GCM), so that they are unreadable in Redis.
 * Each is bound to one entry of one call and cannot be decrypted in another position.
 */
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync } from 'node:crypto';
import { drawBytes } from '../../../../base/core/ids.ts';
import type { Json } from '../../../../base/core/json.ts';

export interface EncryptedValues {
  seal(callId: string, seq: number, value: Json): string;
  /** Undefined if it was encrypted with another key, or belongs to another entry. */
  open(callId: string, seq: number, sealed: string): Json | undefined;
}

const PURPOSE = 'callweave private inputs 1';
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_END = NONCE_BYTES + 16;

export function createEncryptedValues(key: string): EncryptedValues {
  const secret = createSecretKey(Buffer.from(hkdfSync('sha256', key, '', PURPOSE, 32)));
  const placeOf = (callId: string, seq: number): Buffer => Buffer.from(`${callId} ${seq}`);
  return {
    seal(callId, seq, value) {
      const nonce = drawBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, secret, nonce).setAAD(placeOf(callId, seq));
      const sealed = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
    },
    open(callId, seq, sealed) {
      const bytes = Buffer.from(sealed, 'base64');
      if (bytes.length <= TAG_END) return undefined;
      try {
        const cipher = createDecipheriv(CIPHER, secret, bytes.subarray(0, NONCE_BYTES)).setAAD(placeOf(callId, seq));
        cipher.setAuthTag(bytes.subarray(NONCE_BYTES, TAG_END));
        const text = Buffer.concat([cipher.update(bytes.subarray(TAG_END)), cipher.final()]).toString();
        return JSON.parse(text) as Json;
      } catch {
        return undefined;
      }
    },
  };
}
