/** Expectations of the parties of a call: audio, conversations, digits, SIP headers and the end of each. */
import { asReceived } from '../../base/core/sip-headers.ts';
import { childPointer } from '../../base/schema/document.ts';
import type { FarEnd } from '../../media/telephony/simulated/far-end.ts';
import { heardAll, type Mismatch, same, sequence } from './mismatch.ts';
import type { ObservedCall } from './observed-call.ts';
import type { Expect } from './scenario-form.ts';

export function partyMismatches(
  name: string,
  wanted: NonNullable<Expect['parties']>[string],
  calls: ObservedCall['others'],
  pointer: string,
): Mismatch[] {
  const last = calls.at(-1)!;
  const at = (key: string): string => childPointer(pointer, key);
  const { heard, talked_with: talkedWith, received_digits: digits, ended, headers } = wanted;
  const mismatches: Mismatch[] = [];
  if (heard) {
    const all = calls.flatMap(({ farEnd }) => farEnd.heard);
    mismatches.push(...heardAll(`heard of ${name}`, heard, all, at('heard')));
  }
  if (talkedWith) {
    const all = calls.flatMap((actor) => actor.talkedWith);
    mismatches.push(...sequence({ what: `talked_with of ${name}`, pointer: at('talked_with') }, talkedWith, all));
  }
  if (digits !== undefined) {
    mismatches.push(
      ...same({ what: `received_digits of ${name}`, pointer: at('received_digits') }, digits, last.farEnd.received),
    );
  }
  if (ended !== undefined) {
    const cause = typeof ended === 'string' ? last.cause?.reason : last.cause?.code;
    mismatches.push(...same({ what: `ended of ${name}`, pointer: at('ended') }, ended, cause ?? 'not ended'));
  }
  if (headers) mismatches.push(...headersSent(name, headers, last.farEnd, at('headers')));
  return mismatches;
}

export const headersSent = (
  party: string,
  wanted: NonNullable<Expect['headers']>,
  farEnd: FarEnd,
  pointer: string,
): Mismatch[] =>
  Object.entries(wanted).flatMap(([message, expected]) => {
    const sent = { ...farEnd.headers.findLast((seen) => seen.in === message)?.headers };
    return same(
      { what: `SIP headers to ${party} (${message})`, pointer: childPointer(pointer, message) },
      asReceived(expected),
      sent,
    );
  });
