import { fault } from '../core/fault.ts';
import type { StreamTrack } from '../core/leg.ts';
import { ensureAnswered } from './playback.ts';
import { backgroundOutcomes, doneOrFailed, failedResult } from './recording.ts';
import { defineStep, type StepContext, type StepEvent, type StepResult, type Wait } from './step.ts';
import type { StreamArgs } from './step-arguments.ts';
import { until } from './waiting.ts';

/** A receiver that has not taken the stream by then is reported by `stream_failed`, or not at all. */
const MAX_CONNECT_MS = 10_000;
const TRACKS: readonly StreamTrack[] = ['inbound', 'outbound'];

export const stream = defineStep<StreamArgs>({
  verb: 'stream',
  outcomes: backgroundOutcomes,
  negativeOutcomes: ['failed'],
  needsCall: true,
  async *run(context) {
    const { input, background } = context;
    if (input.action !== 'start') return doneOrFailed(background.stopStream());
    yield* ensureAnswered(context);
    const { url = '', tracks, bidirectional } = input;
    const started = background.startStream({ url, tracks: tracksOf(tracks), bidirectional });
    return 'fault' in started ? failedResult(started.fault) : yield* untilConnected(context, started.id);
  },
});

/** `both`, one of the two, or a list of them. */
export const tracksOf = (written: string | readonly string[]): StreamTrack[] =>
  TRACKS.filter((track) => written === 'both' || written.includes(track));

/** Until the receiver has taken it. */
async function* untilConnected(context: StepContext, streamId: string): AsyncGenerator<Wait, StepResult, StepEvent> {
  const started: StepResult = { outcome: 'started', result: { stream_id: streamId } };
  const dueMs = context.now() + MAX_CONNECT_MS;
  for (;;) {
    const event = yield until(context, dueMs);
    if (event.type === 'timeout') return started;
    if (event.type !== 'background' || event.id !== streamId) continue;
    if (event.state === 'stream_started') return started;
    if (event.state === 'stream_failed' || event.state === 'stream_stopped') {
      return failedResult(fault(event.state, 'the receiver did not take the stream'));
    }
  }
}
