/** Metrics of all calls and broadcasts; those of steps and ends are derived from the journal (`observers`). */
import type { FigureSource, Reading, Tally } from '../../base/core/figures.ts';
import type { LiveCallCounts } from '../runtime/supervisor.ts';
import type { CallRefusals } from './call-refusals.ts';
import type { Callbacks } from './callbacks/callbacks.ts';
import type { DialRefusal } from './capacity.ts';

export interface CallFigureParts {
  liveCalls(): number;
  maxCalls(): number;
  /** Live calls of each project. */
  projects(): Iterable<readonly [projectId: string, calls: Readonly<LiveCallCounts>]>;
  refusals: CallRefusals;
  dialRefusals: Tally<DialRefusal>;
  /** Active broadcasts, their live calls, and their queued numbers. */
  broadcasts(): { running: number; calls: number; queued: number };
  /** Queue positions that are kept for callbacks. */
  callbacks: Pick<Callbacks, 'figures' | 'ends'>;
}

/** Maximum projects with their own label; the others are summed under `other`. */
const MAX_PROJECTS = 100;

function readingsByProject(projects: Iterable<readonly [string, Readonly<LiveCallCounts>]>): Reading[] {
  const rows = new Map<string, LiveCallCounts>();
  for (const [projectId, { inbound, outbound }] of projects) {
    const project = rows.size < MAX_PROJECTS ? projectId : 'other';
    const sum = rows.get(project) ?? { inbound: 0, outbound: 0 };
    rows.set(project, { inbound: sum.inbound + inbound, outbound: sum.outbound + outbound });
  }
  return [...rows].flatMap(([project, { inbound, outbound }]) => [
    { labels: { project, direction: 'inbound' }, value: inbound },
    { labels: { project, direction: 'outbound' }, value: outbound },
  ]);
}

export const callFigures = ({
  liveCalls,
  maxCalls,
  projects,
  refusals,
  dialRefusals,
  broadcasts,
  callbacks,
}: CallFigureParts): FigureSource => ({
  figures: [
    { name: 'calls_live', type: 'gauge', help: 'Active calls', read: liveCalls },
    { name: 'calls_limit', type: 'gauge', help: 'Maximum number of concurrent calls (limits.calls)', read: maxCalls },
    {
      name: 'project_calls_live',
      type: 'gauge',
      help: 'Active calls of each project',
      labels: ['project', 'direction'],
      read: () => readingsByProject(projects()),
    },
    {
      name: 'calls_refused_total',
      type: 'counter',
      help: 'Inbound calls refused after the number was looked up',
      labels: ['reason'],
      read: () => refusals.readings('reason'),
    },
    {
      name: 'dials_refused_total',
      type: 'counter',
      help: 'Outbound calls of REST or callbacks refused by a limit or by the state of the service',
      labels: ['reason'],
      read: () => dialRefusals.readings('reason'),
    },
    {
      name: 'broadcasts_running',
      type: 'gauge',
      help: 'Running broadcasts',
      read: () => broadcasts().running,
    },
    {
      name: 'broadcast_calls_live',
      type: 'gauge',
      help: 'Active calls of broadcasts',
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
      help: 'Queue positions kept for callbacks',
      labels: ['state'],
      read: () => Object.entries(callbacks.figures).map(([state, value]) => ({ labels: { state }, value })),
    },
    {
      name: 'queue_callbacks_ended_total',
      type: 'counter',
      help: 'Ended callbacks of queues, by reason',
      labels: ['reason'],
      read: () => callbacks.ends.readings('reason'),
    },
  ],
});
