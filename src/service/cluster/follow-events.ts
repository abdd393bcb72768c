/**
 * Live events of a project on the other nodes: reads each node's event stream as a client does, for as long as the node
 * is present. Implements a port of `service/observers/live/live.ts`.
 *
 * Invariants
 *  - A broken stream is resumed at its last event; if the node no longer knows the missed events, it reports a `gap`.
 *  - The size of an event is bounded, and a silent stream is reopened.
 */
import type { Readable } from 'node:stream';
import type { Clock } from '../../base/core/clock.ts';
import { isObject, parseJson } from '../../base/core/json.ts';
import type { HttpRelay } from '../../base/http/http-relay.ts';
import type { FollowedEvents, FollowOthers } from '../observers/live/live.ts';
import type { Cluster, NodeInfo } from './cluster.ts';
import { FORWARD_HEADER, type ForwardSigner, NO_BODY } from './forward-signature.ts';

export interface FollowParts {
  cluster: Pick<Cluster, 'me' | 'nodes' | 'onChange'>;
  signer: ForwardSigner;
  relay: HttpRelay;
  clock: Clock;
}

const PATH = '/voice/v1/events';
const ANSWER_TIMEOUT_MS = 5000;
const AGAIN_AFTER_MS = 1000;
/** A node sends at least a heartbeat every 15 s. */
const SILENT_MS = 40_000;
const MAX_EVENT_CHARACTERS = 2 ** 20;

export const followOthers =
  (parts: FollowParts): FollowOthers =>
  (projectId, to) => {
    const { cluster } = parts;
    const followed = new Map<string, AbortController>();
    const follow = (node: NodeInfo): void => {
      if (node.id === cluster.me || followed.has(node.id)) return;
      const over = new AbortController();
      followed.set(node.id, over);
      void keepReading(node, projectId, to, parts, over.signal);
    };
    const leave = ({ id }: NodeInfo): void => {
      followed.get(id)?.abort();
      followed.delete(id);
    };
    const unsubscribe = cluster.onChange(({ joined, lost }) => {
      lost.forEach(leave);
      joined.forEach(follow);
    });
    cluster.nodes().forEach(follow);
    return () => {
      unsubscribe();
      for (const over of followed.values()) over.abort();
    };
  };

async function keepReading(
  node: NodeInfo,
  projectId: string,
  to: FollowedEvents,
  { signer, relay, clock }: FollowParts,
  over: AbortSignal,
): Promise<void> {
  let lastId = '';
  while (!over.aborted) {
    const signed = signer.sign(node.id, { method: 'GET', path: PATH, digest: NO_BODY, identity: { projectId } });
    const answer = await relay.send({
      ...{ method: 'GET', url: new URL(node.address + PATH), timeoutMs: ANSWER_TIMEOUT_MS, signal: over },
      headers: { [FORWARD_HEADER]: signed, ...(lastId === '' ? {} : { 'last-event-id': lastId }) },
    });
    if ('body' in answer) {
      const onId = (id: string): void => {
        lastId = id;
      };
      if (answer.status === 200) await readStream(answer.body, clock, to, onId).catch(() => undefined);
      answer.body.destroy();
    }
    if (over.aborted) return;
    await pause(clock, over);
  }
}

async function pause(clock: Clock, over: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.after(AGAIN_AFTER_MS, resolve);
  const end = (): void => resolve();
  over.addEventListener('abort', end);
  await promise;
  timer.cancel();
  over.removeEventListener('abort', end);
}

/** Rejects when the stream breaks. */
async function readStream(body: Readable, clock: Clock, to: FollowedEvents, onId: (id: string) => void): Promise<void> {
  body.setEncoding('utf8');
  let rest = '';
  const waitOn = () => clock.after(SILENT_MS, () => body.destroy());
  let silence = waitOn();
  try {
    for await (const piece of body) {
      silence.cancel();
      silence = waitOn();
      const blocks = (rest + String(piece)).split('\n\n');
      rest = blocks.pop()!;
      if (rest.length > MAX_EVENT_CHARACTERS) return;
      for (const block of blocks) take(block, to, onId);
    }
  } finally {
    silence.cancel();
  }
}

function take(block: string, to: FollowedEvents, onId: (id: string) => void): void {
  const fields = new Map(
    block.split('\n').map((line): [string, string] => {
      const at = line.indexOf(':');
      return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1).trimStart()];
    }),
  );
  const event = fields.get('event');
  const data = parseJson(fields.get('data') ?? '');
  if (event === 'reset') to.gap();
  else if (isEventName(event) && isObject(data)) to.event({ name: event, data, ...flowsIn(fields.get('flows')) });
  const id = fields.get('id');
  if (id !== undefined) onId(id);
}

const isEventName = (name: string | undefined): name is 'call' | 'step' | 'ended' | 'broadcast' =>
  name === 'call' || name === 'step' || name === 'ended' || name === 'broadcast';

function flowsIn(text: string | undefined): { flows?: string[] } {
  const flows = text === undefined ? undefined : parseJson(text);
  return Array.isArray(flows) ? { flows: flows.filter((flow) => typeof flow === 'string') } : {};
}
