/** One call without a network: commands are recorded, and the test sends the events of the far end. */
import { expect } from 'vitest';
import type { HttpReply, HttpRequest } from '../../src/base/core/http-exchange.ts';
import { countingIds } from '../../src/base/core/ids.ts';
import type { JsonObject } from '../../src/base/core/json.ts';
import type { LegCommand, LegEvent } from '../../src/base/core/leg.ts';
import { compileFlow } from '../../src/language/flow/compile.ts';
import type { CompiledFlow } from '../../src/language/flow/compiled-flow.ts';
import type { DialRequest } from '../../src/media/telephony/engine.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { CallRun } from '../../src/service/runtime/call-run.ts';
import type { CallWrite } from '../../src/service/runtime/call-store.ts';
import type { JournalEntry } from '../../src/service/runtime/journal.ts';
import type { CallSpec, RuntimePorts } from '../../src/service/runtime/ports.ts';
import { stepsByVerb, verbs } from '../../src/verbs/steps.ts';

export function flowOf(text: string): CompiledFlow {
  const { flow, diagnostics } = compileFlow(text, 'test.flow.yaml', verbs);
  if (!flow) throw new Error(JSON.stringify(diagnostics, null, 2));
  return flow;
}

/** Ports that say yes and do nothing. */
export function testPorts(): Pick<RuntimePorts, 'recordings' | 'venues' | 'mayPresent' | 'mayStream'> {
  const nowhere = { enter: () => undefined, tell: () => undefined, exit: () => undefined };
  return {
    recordings: { open: ({ recordingId }) => ({ file: `${recordingId}.wav` }), close: () => undefined },
    venues: { conference: nowhere, queue: nowhere, room: nowhere },
    mayPresent: () => true,
    mayStream: () => true,
  };
}

export interface TestCall {
  run: CallRun;
  clock: VirtualClock;
  commands: LegCommand[];
  /** The same, with the leg that each was for. */
  sent: { leg: string; command: LegCommand }[];
  dialled: DialRequest[];
  requests: { request: HttpRequest; signal: AbortSignal; answer(reply: HttpReply): void }[];
  writes: CallWrite[];
  /** `commit` and `do:…` in the order in which they happened. */
  order: string[];
  crashes: unknown[];
  tell(...events: LegEvent[]): Promise<void>;
  /** Sends events of the leg of a party. */
  tellParty(leg: string, ...events: LegEvent[]): Promise<void>;
  press(digits: string): Promise<void>;
  command(...given: Parameters<CallRun['command']>): ReturnType<CallRun['command']>;
  hangUp(): Promise<void>;
  journal(): JournalEntry[];
  path(): string[];
  outcomes(): string[];
  /** The last play that the engine was asked for. */
  lastPlay(): Extract<LegCommand, { type: 'play' }>;
  finishPlay(): Promise<void>;
}

export async function startCall(
  text: string | CompiledFlow,
  options: {
    spec?: Partial<CallSpec>;
    ports?: Partial<RuntimePorts>;
    flows?: Record<string, string>;
    answer?: boolean;
  } = {},
): Promise<TestCall> {
  const clock = new VirtualClock();
  const commands: LegCommand[] = [];
  const sent: TestCall['sent'] = [];
  const dialled: DialRequest[] = [];
  const requests: TestCall['requests'] = [];
  const writes: CallWrite[] = [];
  const order: string[] = [];
  const crashes: unknown[] = [];
  const flow = typeof text === 'string' ? flowOf(text) : text;
  const ports: RuntimePorts = {
    owner: 'life-1',
    clock,
    ids: countingIds(),
    engine: {
      dial: (request) => {
        order.push('do:dial');
        dialled.push(request);
      },
      send: (leg, command) => {
        order.push(`do:${command.type}`);
        commands.push(command);
        sent.push({ leg, command });
      },
    },
    callStore: {
      commit: async (write) => {
        order.push('commit');
        writes.push(write);
      },
    },
    flow: (name) => (typeof name === 'string' && options.flows?.[name] ? flowOf(options.flows[name]) : undefined),
    steps: stepsByVerb,
    http: (request, _projectId, signal) => {
      order.push('do:http');
      return new Promise((answer) => requests.push({ request, signal, answer }));
    },
    deliveriesOf: () => [],
    ...testPorts(),
    onCrash: (_callId, error) => crashes.push(error),
    ...options.ports,
  };
  const run = new CallRun(
    {
      callId: 'call-1',
      projectId: 'project-1',
      direction: 'inbound',
      from: '+33612345678',
      to: '1000',
      legId: 'leg-1',
      flow,
      input: {} as JsonObject,
      seed: 1,
      env: {},
      secrets: {},
      schedules: {},
      ...options.spec,
    },
    ports,
  );
  void run.start();
  await clock.settle();
  const call: TestCall = {
    run,
    clock,
    commands,
    sent,
    dialled,
    requests,
    writes,
    order,
    crashes,
    async tell(...events) {
      for (const event of events) run.post({ type: 'leg', event });
      await clock.settle();
    },
    async tellParty(leg, ...events) {
      for (const event of events) run.post({ type: 'leg', leg, event });
      await clock.settle();
    },
    async press(digits) {
      for (const digit of digits) await call.tell({ type: 'digit', digit, durationMs: 100 });
    },
    async command(command, source) {
      const reply = run.command(command, source);
      await clock.settle();
      return reply;
    },
    hangUp: () => call.tell({ type: 'ended', cause: { code: 16, reason: 'Normal Clearing' }, by: 'far' }),
    journal: () => writes.flatMap(({ entries }) => entries),
    path: () => call.journal().flatMap((entry) => (entry.kind === 'entered' ? [entry.step] : [])),
    outcomes: () =>
      call.journal().flatMap((entry) => (entry.kind === 'left' ? [`${entry.step}:${entry.outcome}`] : [])),
    lastPlay() {
      const play = commands.findLast((command) => command.type === 'play');
      expect(play).toBeDefined();
      return play as Extract<LegCommand, { type: 'play' }>;
    },
    finishPlay: () =>
      call.tell({ type: 'play_ended', playId: call.lastPlay().playId, reason: 'finished', playedMs: 1000 }),
  };
  if (options.answer !== false && commands.some(({ type }) => type === 'answer')) await call.tell({ type: 'answered' });
  return call;
}
