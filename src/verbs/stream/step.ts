import { fault } from '../../base/core/fault.ts';
import { backgroundResult, tracksOf } from '../../language/steps/background.ts';
import { ensureAnswered } from '../../language/steps/playback.ts';
import {
  type BackgroundAnswer,
  defineStep,
  type ResultOf,
  type StepContext,
  type Waiting,
} from '../../language/steps/step.ts';
import type { StreamArgs, StreamOutcome } from '../../language/steps/verb-types.ts';
import { until } from '../../language/steps/waiting.ts';

/** Maximum wait for the receiver to accept the stream; then the step continues, and a failure is only an event. */
const MAX_CONNECT_MS = 10_000;

export const step = defineStep<StreamArgs, StreamOutcome>({
  verb: 'stream',
  async *run(context) {
    const { action, url = '', tracks, bidirectional, wait } = context.input;
    if (action !== 'start') return backgroundResult(context.background({ type: 'stream', action }));
    yield* ensureAnswered(context);
    const started = context.background({ type: 'stream', action, url, tracks: tracksOf(tracks), bidirectional });
    const connected = 'id' in started ? yield* untilConnected(context, started.id) : started;
    if (!wait || !('id' in connected)) return backgroundResult(connected, 'stream_id');
    return yield* untilClosed(connected.id);
  },
});

/** Waits until the receiver has accepted the stream. */
async function* untilConnected(context: StepContext, id: string): Waiting<BackgroundAnswer> {
  const dueMs = context.now() + MAX_CONNECT_MS;
  for (;;) {
    const event = yield until(context, dueMs);
    if (event.type === 'timeout') return { id };
    if (event.type !== 'background' || event.id !== id) continue;
    if (event.state === 'stream_started') return { id };
    if (event.state === 'stream_failed' || event.state === 'stream_stopped') {
      return { fault: fault(event.state, 'the receiver did not take the stream') };
    }
  }
}

/** Waits until the stream has ended. */
async function* untilClosed(id: string): Waiting<ResultOf<StreamOutcome>> {
  for (;;) {
    const event = yield {};
    if (event.type !== 'background' || event.id !== id) continue;
    if (event.state === 'stream_stopped') return { outcome: 'done', result: { stream_id: id } };
    if (event.state === 'stream_failed') {
      return backgroundResult({ fault: fault(event.state, 'the receiver was lost') });
    }
  }
}
