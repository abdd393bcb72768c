import { durationMs } from './arguments.ts';
import type { SendDigitsArgs } from './verb-types.ts';

/** Request of a leg to send DTMF digits. */
export const keysRequest = ({
  digits,
  tone = '100ms',
  gap = '100ms',
}: Partial<SendDigitsArgs> & { digits: string }) => ({
  type: 'send_digits' as const,
  digits,
  toneMs: durationMs(tone),
  gapMs: durationMs(gap),
});
