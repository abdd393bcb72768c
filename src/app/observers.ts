/** Stage 5 of the composition: metrics, the log, webhooks and live events. */
import type { JsonObject } from '../base/core/json.ts';
import { broadcastBody, totalsBody } from '../service/api/broadcast-responses.ts';
import { forwardAnswerBy } from '../service/api/forwarded-answers.ts';
import { readWebhookAnswer } from '../service/api/webhook-answer.ts';
import { callNow } from '../service/calls/control/control-call.ts';
import { steerCall } from '../service/calls/control/steer-call.ts';
import { createLiveEvents } from '../service/observers/live/live.ts';
import { logLineOf } from '../service/observers/log-lines.ts';
import { createMetrics } from '../service/observers/metrics.ts';
import { traceFigures } from '../service/observers/tracing/trace-figures.ts';
import type { TracedExchange, Tracing } from '../service/observers/tracing/tracing.ts';
import { WebhookDispatcher } from '../service/observers/webhooks/dispatcher.ts';
import { httpSender } from '../service/observers/webhooks/http-sender.ts';
import type { QueuedDelivery } from '../service/observers/webhooks/outbox.ts';
import { webhookFigures } from '../service/observers/webhooks/webhook-figures.ts';
import type { Base } from './base.ts';
import type { Calls } from './calls.ts';
import type { ClusterRoom } from './cluster.ts';
import { figureSources } from './figures.ts';
import type { Provisioning } from './provisioning.ts';
import type { Readiness } from './readiness.ts';
import type { Storage } from './storage.ts';
import type { Telephony } from './telephony.ts';
import type { Video } from './video.ts';

const WEBHOOK_TIMEOUT_MS = 5000;
/**
 * High, because several projects may share a server: a project whose requests hang must not use up the connections of
 * the others.
 */
const CONNECTIONS_PER_SERVER = 256;

export type Observers = ReturnType<typeof createObservers>;

interface ObserverParts {
  base: Base;
  storage: Storage;
  provisioning: Provisioning;
  telephony: Telephony;
  calls: Calls;
  video: Video;
  nodes: Pick<ClusterRoom, 'cluster' | 'store' | 'receiverOwnership' | 'forwarding'>;
  readiness: Readiness;
  /** True if the metrics include those of this process. */
  isWholeProcess: boolean;
}

export function createObservers(parts: ObserverParts) {
  const { calls, nodes, isWholeProcess } = parts;
  const { clock, random, log, tracing } = parts.base;
  const { store, callStore } = parts.storage;
  const { projects, targets } = parts.provisioning;
  const { supervisor, broadcasts } = calls;
  const metrics = createMetrics({ clock, process: isWholeProcess });
  for (const source of figureSources(parts)) metrics.add(source);
  callStore.observe(metrics.countEntry);
  if (tracing) {
    callStore.observe(tracing.observe);
    metrics.add(traceFigures(tracing.counts));
  }
  callStore.observe((entry, record) => {
    const line = logLineOf(entry, record);
    if (line) log[line.level](line.message, line.fields);
  });
  const live = createLiveEvents({
    clock,
    async broadcast(projectId, id) {
      try {
        const counts = totalsBody(await broadcasts.counts(projectId, id));
        return { ...broadcastBody(await broadcasts.find(projectId, id)), ...counts };
      } catch (error) {
        log.warn('broadcast.not_shown', { broadcastId: id, error });
        return undefined;
      }
    },
  });
  callStore.observe(live.observe);
  const isLiveElsewhere = async (callId: string): Promise<boolean> =>
    (await callStore.ownership(callId))?.isEnded === false;
  const steerBy = (callId: string, answer: Parameters<typeof steerCall>[1]): void => {
    // Only the node that runs the call writes the diagnostic.
    if ('wrong' in answer && supervisor.view(callId) === undefined) return;
    void steerCall(callId, answer, calls.calls).catch((error: unknown) => {
      log.error('call.steering_failed', { callId, error });
    });
  };
  const steer = (callId: string, answer: JsonObject): void => steerBy(callId, readWebhookAnswer(answer));
  const forwarding = nodes.forwarding((callId) => supervisor.view(callId) !== undefined);
  const passAnswer = forwarding ? forwardAnswerBy(forwarding, steer) : steer;
  const dispatcher = new WebhookDispatcher({
    outbox: store.outbox,
    sender: httpSender(targets, { clock, timeoutMs: WEBHOOK_TIMEOUT_MS, connections: CONNECTIONS_PER_SERVER }),
    clock,
    log,
    random,
    secretsOf: projects.webhookSecretsOf,
    isEncrypted: (projectId) => projects.find(projectId)?.webhookFormat === 'encrypted',
    isLive: (callId) => supervisor.view(callId) !== undefined,
    ...(nodes.receiverOwnership ? { ownership: nodes.receiverOwnership, isLiveElsewhere } : {}),
    ...(tracing ? { trace: (delivery) => traceDelivery(delivery, tracing, calls.calls) } : {}),
    onAttempt: metrics.countDelivery,
    onAnswer: (callId, answer) => void passAnswer(callId, answer),
    onInvalidAnswer: (callId, reason) => steerBy(callId, { wrong: reason }),
  });
  metrics.add(webhookFigures(() => dispatcher.counts()));
  return { metrics, dispatcher, live, steer, forwarding };
}

/** Undefined if the delivery belongs to no call, or to a call without a trace. */
async function traceDelivery(
  { id, url, orderKey, attempts }: QueuedDelivery,
  { startExchange }: Tracing,
  calls: Calls['calls'],
): Promise<TracedExchange | undefined> {
  const parent = (await callNow(orderKey, calls))?.trace;
  const attributes = { 'callweave.event.id': id, 'callweave.attempt': attempts + 1 };
  return parent && startExchange({ name: 'webhook', kind: 'client', method: 'POST', url, parent, attributes });
}
