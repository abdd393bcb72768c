/** Events of a channel of Asterisk, read from the JSON of ARI. */
import type { JsonObject } from '../../../base/core/json.ts';
import { type Causes, causesOf } from './leg-end.ts';

export type ChannelEvent =
  | { type: 'state'; channel: JsonObject }
  | { type: 'dial'; status: string }
  | { type: 'digit'; digit: string; durationMs: number }
  | { type: 'hold'; held: boolean }
  | { type: 'hangup_requested'; causes: Causes }
  /** The channel has left the application. */
  | { type: 'left' }
  | { type: 'destroyed'; causes: Causes };

const MAX_DIGIT_MS = 60_000;

/** Undefined for an event that does not concern the leg, or is invalid. */
export function readChannelEvent(event: JsonObject): ChannelEvent | undefined {
  switch (event['type']) {
    case 'ChannelStateChange':
      return { type: 'state', channel: event['channel'] as JsonObject };
    case 'Dial':
      return { type: 'dial', status: String(event['dialstatus']) };
    case 'ChannelDtmfReceived':
      return digitIn(String(event['digit']), Number(event['duration_ms']));
    case 'ChannelHold':
    case 'ChannelUnhold':
      return { type: 'hold', held: event['type'] === 'ChannelHold' };
    case 'ChannelHangupRequest':
      return { type: 'hangup_requested', causes: causesOf(event) };
    case 'StasisEnd':
      return { type: 'left' };
    case 'ChannelDestroyed':
      return { type: 'destroyed', causes: causesOf(event) };
    default:
      return undefined;
  }
}

function digitIn(digit: string, durationMs: number): ChannelEvent | undefined {
  if (!/^[0-9*#A-D]$/.test(digit)) return undefined;
  return { type: 'digit', digit, durationMs: Math.max(1, Math.min(MAX_DIGIT_MS, durationMs || 1)) };
}
