/**
 * Setups of explored calls: time of day, caller, input, random seed, rooms and queues. A flow that depends on none of
 * them is explored with one setup; `explore-flow.ts` adds setups when a step that depends on one is entered.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { CompiledFlow, CompiledStep } from '../flow/compiled-flow.ts';
import { stateAt } from '../flow/opening-hours.ts';
import { ownHours } from '../flow/own-hours.ts';
import { longForm } from '../schema/schema-forms.ts';
import type { Party } from '../testkit/scenario-form.ts';
import { FIRST_MOMENT } from '../testkit/virtual-clock.ts';
import { outsideValues, valuesOfSchema } from './candidates.ts';
import type { Setup } from './choice.ts';
import { relevantVariables } from './relevant-variables.ts';

const FIRST_MS = Date.parse(FIRST_MOMENT);
const HOUR_MS = 3_600_000;
const DAYS = 400;
const SEEDS = [2, 3, 4, 5, 6, 7, 8, 9];
const CALLERS = Array.from({ length: 12 }, (_, index) => `+336123456${String(index).padStart(2, '0')}`);
/** Maximum size of a queue or conference that is tried as full. */
const MOST_OTHERS = 50;
const ALWAYS: Json = { open: [{ from: '00:00', to: '24:00' }] };
const NEVER: Json = { open: [] };
/** Stream receiver that talks for a while and then closes, as a bot does. */
const CLOSED = { closes_after: '10s' };
const ANSWERERS: Party[] = ['human', 'machine', { is: 'machine', beep_after: '1s' }, 'fax', 'silent'];

/** Returns the setup with all values that the flow requires. */
export function firstSetup(flow: CompiledFlow, given: Setup = {}): Setup {
  const input = { ...samplesOf(flow.input), ...given.input };
  const schedules = Object.fromEntries(
    [...flow.steps.values()].flatMap((step): [string, Json][] => {
      const name = step.verb === 'schedule' ? step.args : undefined;
      const isOwn = typeof name !== 'string' || Object.hasOwn(flow.schedules, name);
      return isOwn || name.includes('${') ? [] : [[name, ALWAYS]];
    }),
  );
  const isOutbound = [...flow.steps.values()].some(({ verb }) => verb === 'detect_machine');
  return {
    ...given,
    ...(isOutbound &&
      given.call === undefined && { call: { direction: 'outbound' as const, callee: 'answer' as const } }),
    ...namedIn(flow, given),
    ...([...flow.steps.values()].some(isAwaitedStream) && given.stream === undefined && { stream: CLOSED }),
    ...(Object.keys(input).length > 0 && { input }),
    ...(Object.keys(schedules).length > 0 && { schedules: { ...schedules, ...given.schedules } }),
  };
}

/** Sample values for the settings and secrets that the flow reads. */
function namedIn(flow: CompiledFlow, given: Setup): Pick<Setup, 'env' | 'secrets'> {
  const of = (scope: 'env' | 'secrets'): JsonObject =>
    Object.fromEntries(
      [...relevantVariables(flow).read].flatMap((path) => {
        const [first, name] = path.split('.');
        return first === scope && name !== undefined ? [[name, `the ${name} of ${scope}`]] : [];
      }),
    );
  const [env, secrets] = [
    { ...of('env'), ...given.env },
    { ...of('secrets'), ...given.secrets },
  ];
  return {
    ...(Object.keys(env).length > 0 && { env }),
    ...(Object.keys(secrets).length > 0 && { secrets }),
  };
}

const samplesOf = (specs: CompiledFlow['input']): JsonObject =>
  Object.fromEntries(
    Object.entries(specs).flatMap(([name, { schema, default: value }]): [string, Json][] =>
      value === undefined ? [[name, valuesOfSchema(schema)[0] ?? 'something']] : [],
    ),
  );

/** Other setups in which this step may have another outcome. */
export function otherSetups(step: CompiledStep, flow: CompiledFlow, setup: Setup): Setup[] {
  const args = longForm(step.verb, step.args);
  switch (step.verb) {
    case 'schedule':
      return setup.at === undefined ? timesFor(step.args, flow, setup) : [];
    case 'split': {
      const sticky = isObject(args) ? args['sticky'] : undefined;
      if (sticky === false) return setup.seed === undefined ? SEEDS.map((seed) => ({ ...setup, seed })) : [];
      return setup.call?.from === undefined ? CALLERS.map((from) => withCall(setup, { from })) : [];
    }
    case 'detect_machine':
      return setup.call?.callee === 'answer' ? ANSWERERS.map((callee) => withCall(setup, { callee })) : [];
    case 'transfer':
      return setup.call?.on_refer === undefined
        ? (['ignore', 'hang_up', 486, 603] as const).map((on_refer) => withCall(setup, { on_refer }))
        : [];
    case 'stream':
      return isAwaitedStream(step) && setup.stream !== 'refuse' ? [{ ...setup, stream: 'refuse' }] : [];
    case 'check_queue':
      return isObject(args) ? queuesFor(String(args['name']), args['agents'] !== undefined, setup) : [];
    case 'queue':
    case 'conference':
      return isObject(args) ? othersFor(step.verb, args, setup) : [];
    case 'join_room':
      return isObject(args) ? roomsFor(args, setup) : [];
    default:
      return [];
  }
}

/** Time after the caller joined. */
const AFTER = '1m';

/** Queue: other callers wait, or it is full. Conference: it ends, removes the caller, or is full. */
function othersFor(verb: 'queue' | 'conference', args: JsonObject, setup: Setup): Setup[] {
  const kind = `${verb}s` as const;
  const name = String(args['name'] ?? '');
  const known = setup.others?.[kind] ?? {};
  if (name === '' || name.includes('${') || Object.hasOwn(known, name)) return [];
  const most = args[verb === 'queue' ? 'max_size' : 'max_members'];
  const isFull = typeof most === 'number' && most <= MOST_OTHERS;
  const looks: Json[] =
    verb === 'queue'
      ? [...(isFull && most === 1 ? [] : [1]), ...(isFull ? [most] : [])]
      : [{ ends_after: AFTER }, { removes_after: AFTER }, ...(isFull ? [{ members: most }] : [])];
  return looks.map((look) => ({ ...setup, others: { ...setup.others, [kind]: { ...known, [name]: look } } }));
}

/** A room that ends, and a room that removes the caller. */
function roomsFor({ room_id: id }: JsonObject, setup: Setup): Setup[] {
  if (setup.rooms !== undefined) return [];
  // Without a constant `room_id`, the setup cannot name the room.
  if (typeof id !== 'string' || id.includes('${')) return [];
  const rooms = [{ room_id: id }];
  return [{ ends_after: AFTER }, { removes_after: AFTER }].map((look) => ({
    ...{ ...setup, rooms },
    others: { ...setup.others, rooms: { [id]: look } },
  }));
}

const isAwaitedStream = ({ verb, args }: CompiledStep): boolean =>
  verb === 'stream' && isObject(args) && args['wait'] === true;

/** States of a queue: an agent is free, few or many callers wait, or it has no agents. */
function queuesFor(name: string, hasAgents: boolean, setup: Setup): Setup[] {
  const looks = setup.queues ?? {};
  if (Object.hasOwn(looks, name) || name.includes('${')) return [];
  return [
    { agents: 2, free: 1 },
    { agents: 2, talking: 2, waiting: 1, longest_wait: 20, estimated_wait: 60 },
    { agents: 2, talking: 2, waiting: 60, longest_wait: 3000, estimated_wait: 3600 },
    ...(hasAgents ? [] : [{ agents: 0 }]),
  ].map((look) => ({ ...setup, queues: { ...looks, [name]: look } }));
}

/** Setups with the callers, inputs and settings that conditions of the flow compare with. */
export function comparedSetups(flow: CompiledFlow, setup: Setup): Setup[] {
  return [...outsideValues(flow)].flatMap(([path, values]): Setup[] => {
    const [scope, name, header = ''] = path.split('.') as [string, string, string?];
    return values.flatMap((value): Setup[] => {
      if (scope === 'call') {
        if (name === 'from' || name === 'to') return [withCall(setup, { [name]: String(value) })];
        if (name === 'headers') return [withCall(setup, { headers: { [header]: String(value) } })];
        if (name !== 'direction' || value !== 'outbound') return [];
        return [withCall(setup, { direction: 'outbound', callee: 'answer' })];
      }
      const spec = scope === 'input' ? flow.input[name] : undefined;
      if (scope === 'input' && (spec === undefined || flow.checkInput(name, value) !== undefined)) return [];
      const key = scope as 'input' | 'env';
      const beside = typeof value === 'number' ? [value, value + 1, value - 1] : [value];
      return beside.map((each) => ({ ...setup, [key]: { ...setup[key], [name]: each } }));
    });
  });
}

const withCall = (setup: Setup, more: NonNullable<Setup['call']>): Setup => ({
  ...setup,
  call: { ...setup.call, ...more },
});

/** Setups with the first hour in each state of a schedule, within 400 days. */
function timesFor(written: Json, flow: CompiledFlow, setup: Setup): Setup[] {
  const hours = ownHours(flow, written);
  if (hours === undefined) {
    if (typeof written !== 'string' || JSON.stringify(setup.schedules?.[written]) !== JSON.stringify(ALWAYS)) return [];
    const holiday = { ...(ALWAYS as JsonObject), holidays: ['2026-03-02', '2026-03-03'] };
    return [NEVER, holiday].map((each) => ({ ...setup, schedules: { ...setup.schedules, [written]: each } }));
  }
  const found = new Map<string, Setup>();
  const first = stateAt(hours, FIRST_MS);
  for (let ms = FIRST_MS; ms < FIRST_MS + DAYS * 24 * HOUR_MS; ms += HOUR_MS) {
    const state = stateAt(hours, ms);
    if (state !== first && !found.has(state)) found.set(state, { ...setup, at: new Date(ms).toISOString() });
  }
  return [...found.values()];
}
