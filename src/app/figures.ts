/** Sources of all metrics: those of each part, and those of the whole service. */
import type { FigureSource, Reading } from '../base/core/figures.ts';
import { NOT_READY_REASONS, type NotReadyReason } from '../base/core/not-ready.ts';
import { version } from '../base/version.ts';
import type { Config } from '../config.ts';
import type { RoomEngine } from '../media/rooms/sfu.ts';
import type { Recognizers } from '../media/speech/recognizers.ts';
import { callFigures } from '../service/calls/call-figures.ts';
import { clusterFigures } from '../service/cluster/cluster-figures.ts';
import { sharedStoreFigures } from '../service/cluster/store-figures.ts';
import { diskFigures } from '../service/store/disk-figures.ts';
import { storeFigures } from '../service/store/store-figures.ts';
import type { Base } from './base.ts';
import type { Calls } from './calls.ts';
import type { ClusterRoom } from './cluster.ts';
import type { Provisioning } from './provisioning.ts';
import type { Readiness } from './readiness.ts';
import type { Storage } from './storage.ts';
import type { Telephony } from './telephony.ts';
import type { Video } from './video.ts';

interface FigureParts {
  base: Base;
  storage: Storage;
  provisioning: Pick<Provisioning, 'projects'>;
  telephony: Telephony;
  video: Pick<Video, 'engine'>;
  calls: Calls;
  nodes: Pick<ClusterRoom, 'cluster' | 'store'>;
  readiness: Pick<Readiness, 'look' | 'problem'>;
}

export function figureSources({ telephony, readiness, ...parts }: FigureParts): FigureSource[] {
  const { config, directory, clock, state } = parts.base;
  const { store, writeBuffer } = parts.storage;
  const { projects } = parts.provisioning;
  const { calls, supervisor, broadcasts, callbacks, requests } = parts.calls;
  const { cluster, store: shared } = parts.nodes;
  return [
    build,
    callFigures({
      liveCalls: () => supervisor.liveCalls,
      maxCalls: () => state.config.limits.calls,
      projects: () => projects.list().map(({ projectId }) => [projectId, supervisor.liveCallsOf(projectId)] as const),
      refusals: calls.refusals,
      dialRefusals: calls.capacity.refusals,
      broadcasts: () => broadcasts.figures,
      callbacks,
    }),
    ...(telephony.figures ?? []),
    engineFigures(telephony, parts.video.engine, config),
    requests,
    readinessFigures(readiness),
    storeFigures(store, writeBuffer, () => isWritable(readiness)),
    clusterFigures(cluster),
    sharedStoreFigures(shared),
    diskFigures(directory, clock),
  ];
}

/** With a wrong clock the node takes no calls, but can write. */
function isWritable({ problem }: Pick<Readiness, 'problem'>): boolean {
  const found = problem();
  return found === undefined || found.why === 'clock_off';
}

/** Uses the same check as `/ready`. */
function readinessFigures({ look }: Pick<Readiness, 'look'>): FigureSource {
  let why: NotReadyReason | undefined;
  return {
    async refresh() {
      why = (await look())?.why;
    },
    figures: [
      {
        name: 'not_ready',
        type: 'gauge',
        help: '1 if new calls are refused for this reason, as in /health; a drain is not a reason',
        labels: ['reason'],
        read: () => NOT_READY_REASONS.map((reason) => ({ labels: { reason }, value: Number(reason === why) })),
      },
    ],
  };
}

const engineFigures = (
  telephony: Telephony,
  rooms: Pick<RoomEngine, 'name' | 'state'>,
  { asr }: Pick<Config, 'asr'>,
): FigureSource => ({
  figures: [
    {
      name: 'engine_up',
      type: 'gauge',
      help: '1 if the engine of this role is available; absent if it is not configured',
      labels: ['role', 'engine'],
      read: () => [
        { labels: { role: 'rooms', engine: rooms.name }, value: Number(canCarry(rooms)) },
        ...recognizersUp(telephony.recognition ?? [], asr.length > 0),
      ],
    },
  ],
});

/** An idle engine starts with the first session. */
const canCarry = ({ state }: Pick<RoomEngine, 'state'>): boolean => state.media === 'idle' || state.media === 'running';

/** The default recogniser counts only if it is configured. A busy engine is not down. */
function recognizersUp(engines: Recognizers['engines'], isWanted: boolean): Reading[] {
  const wanted = engines.filter(({ missing }) => isWanted || !missing);
  const byName = Map.groupBy(wanted, ({ engine }) => engine);
  return [...byName].map(([engine, same]) => {
    const isUp = same.every(({ missing }) => !missing || missing.code === 'recognizer_busy');
    return { labels: { role: 'recognition', engine }, value: Number(isUp) };
  });
}

const build: FigureSource = {
  figures: [
    {
      name: 'build_info',
      type: 'gauge',
      help: 'Always 1; the labels have the versions of the service and of Node.js',
      labels: ['version', 'node'],
      read: () => [{ labels: { version: version(), node: process.versions.node }, value: 1 }],
    },
  ],
};
