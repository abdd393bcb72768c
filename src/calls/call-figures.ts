/** The figures of calls as a whole, and of broadcasts; those of their steps and ends follow the journal (`observers`). */
import type { FigureSource } from '../core/figures.ts';
import type { CallRefusals } from './call-refusals.ts';
import type { Callbacks } from './callbacks/callbacks.ts';

export interface CallFigureParts {
  liveCalls(): number;
  maxCalls(): number;
  refusals: CallRefusals;
  /** Broadcasts that go on, their calls, and their numbers that wait for one. */
  broadcasts(): { running: number; calls: number; queued: number };
  /** Places in queues that are kept for people who are called back. */
  callbacks: Pick<Callbacks, 'figures' | 'ends'>;
}

export const callFigures = ({
  liveCalls,
  maxCalls,
  refusals,
  broadcasts,
  callbacks,
}: CallFigureParts): FigureSource => ({
  figures: [
    { name: 'calls_live', type: 'gauge', help: 'Calls that go on', read: liveCalls },
    { name: 'calls_limit', type: 'gauge', help: 'How many calls may go on at once (limits.calls)', read: maxCalls },
    {
      name: 'calls_refused_total',
      type: 'counter',
      help: 'Calls in that were refused after their number was looked up',
      labels: ['reason'],
      read: () => refusals.readings('reason'),
    },
    {
      name: 'broadcasts_running',
      type: 'gauge',
      help: 'Broadcasts that go on',
      read: () => broadcasts().running,
    },
    {
      name: 'broadcast_calls_live',
      type: 'gauge',
      help: 'Calls of broadcasts that go on',
      read: () => broadcasts().calls,
    },
    {
      name: 'broadcast_numbers_queued',
      type: 'gauge',
      help: 'Numbers of broadcasts that wait for a call',
      read: () => broadcasts().queued,
    },
    {
      name: 'queue_callbacks',
      type: 'gauge',
      help: 'Places in queues that are kept for people who are called back',
      labels: ['state'],
      read: () => Object.entries(callbacks.figures).map(([state, value]) => ({ labels: { state }, value })),
    },
    {
      name: 'queue_callbacks_ended_total',
      type: 'counter',
      help: 'Places in queues that were kept, by how that ended',
      labels: ['reason'],
      read: () => callbacks.ends.readings('reason'),
    },
  ],
});
