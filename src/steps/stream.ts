import { fault } from '../core/fault.ts';
import type { Json } from '../core/json.ts';
import type { StreamTrack } from '../core/leg.ts';
import { flag, list, longForm, text } from './arguments.ts';
import { ensureAnswered } from './playback.ts';
import { backgroundOutcomes, doneOrFailed, failedResult } from './recording.ts';
import { defineStep, type StepContext, type StepEvent, type StepResult, type Wait } from './step.ts';

/** A receiver that has not taken the stream by then is told of by `stream_failed`, or not at all. */
const MAX_CONNECT_MS = 10_000;

export const stream = defineStep({
  verb: 'stream',
  outcomes: backgroundOutcomes,
  negativeOutcomes: ['failed'],
  waits: true,
  needsCall: true,
  async *run(context) {
    const args = longForm(context.input, 'action');
    const { background } = context;
    if (args['action'] !== 'start') return doneOrFailed(background.stopStream());
    yield* ensureAnswered(context);
    const started = background.startStream({
      url: text(args['url']),
      tracks: tracksOf(args['tracks'], 'both'),
      bidirectional: flag(args['bidirectional'], false),
    });
    return 'fault' in started ? failedResult(started.fault) : yield* untilConnected(context, started.id);
  },
});

/** `both`, one of the two, or a list of them. */
export function tracksOf(written: Json | undefined, fallback: 'both' | StreamTrack): StreamTrack[] {
  const named = list(written ?? fallback).map(String);
  const both: readonly StreamTrack[] = ['inbound', 'outbound'];
  return both.filter((track) => named.includes('both') || named.includes(track));
}

/** Until the receiver has taken it. */
async function* untilConnected(context: StepContext, streamId: string): AsyncGenerator<Wait, StepResult, StepEvent> {
  const started: StepResult = { outcome: 'started', result: { stream_id: streamId } };
  const dueMs = context.now() + MAX_CONNECT_MS;
  for (;;) {
    const event = yield { withinMs: Math.max(0, dueMs - context.now()) };
    if (event.type === 'timeout') return started;
    if (event.type !== 'background' || event.id !== streamId) continue;
    if (event.state === 'stream_started') return started;
    if (event.state === 'stream_failed' || event.state === 'stream_stopped') {
      return failedResult(fault(event.state, 'the receiver did not take the stream'));
    }
  }
}
