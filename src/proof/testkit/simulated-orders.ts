/**
 * Orders of calls (verbs `call` and `cancel_call`) of one simulated call: accepted, refused and cancelled by the rules of
 * the service. The ordered calls do not take place.
 */
import type { Clock } from '../../base/core/clock.ts';
import type { JsonObject } from '../../base/core/json.ts';
import type { CallToPlace } from '../../base/core/placed-call.ts';
import { silentLog } from '../../base/core/silent-log.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import type { Broadcast } from '../../service/calls/broadcast/broadcast.ts';
import { CallError } from '../../service/calls/call-error.ts';
import { createFlowCalls, type PlaceFlowCall } from '../../service/calls/call-orders/flow-calls.ts';
import { checkInput } from '../../service/calls/flow-files/flow-input.ts';
import type { Project } from '../../service/calls/projects/project-store.ts';
import { NO_NUMBERS } from './no-numbers.ts';

export interface SimulatedOrderOptions {
  clock: Clock;
  /** Number of the service. Numbers of its country may be called. */
  number: string;
  flow(flow: string | JsonObject): CompiledFlow | undefined;
  /** Called with each accepted order. */
  placed?(order: CallToPlace): void;
}

export function simulatedOrders({ clock, number, flow, placed }: SimulatedOrderOptions): PlaceFlowCall {
  const orders = new Map<string, Broadcast>();

  const find = async (_projectId: string, id: string): Promise<Broadcast> => {
    const found = orders.get(id);
    if (found === undefined) throw new CallError('unknown_broadcast', 'there is no such order');
    return found;
  };
  const checkFlow = (named: string | JsonObject, input: JsonObject): void => {
    const found = flow(named);
    if (found === undefined) throw new CallError('unknown_flow', `there is no flow ${String(named)}`);
    checkInput(found, input);
  };

  const send = createFlowCalls({
    ...{ clock, log: silentLog, isRoutable: () => true },
    numbers: { ...NO_NUMBERS, of: () => [number] },
    projects: { find: () => ({ cliPolicy: 'any' }) as Project },
    broadcasts: {
      find,
      async create({ broadcastId = '', ...order }, callees) {
        if (order.action?.type === 'flow') checkFlow(order.action.flow, order.action.input);
        const broadcast: Broadcast = {
          ...{ order: { ...order, broadcastId }, state: 'initiated', createdMs: clock.now(), numbers: callees.length },
        };
        orders.set(broadcastId, broadcast);
        return { broadcast, duplicates: 0 };
      },
      async stop(projectId, id) {
        const stopped = await find(projectId, id);
        orders.delete(id);
        return stopped;
      },
      placedUnder: async (_projectId, key) =>
        [...orders.values()].flatMap(({ order: { broadcastId, placed: order } }) =>
          order?.key === key && order.startsMs > clock.now() ? [broadcastId] : [],
        ),
      doNotCall: { has: async () => false } as never,
    },
  });

  return async (order, projectId) => {
    const isKnown = orders.has(order.id);
    const reply = await send(order, projectId);
    if (!isKnown && 'place' in order && orders.has(order.id)) placed?.(order.place);
    return reply;
  };
}
