/** Calls with steps written by the test: all requests of steps to their call, without the verbs. */
import { expect, onTestFinished } from 'vitest';
import type { LegCommand, LegEvent } from '../../src/base/core/leg.ts';
import type {
  StepContext,
  StepDefinition,
  StepEvent,
  StepProgram,
  StepResult,
  Wait,
} from '../../src/language/steps/step.ts';
import { withOverrides } from '../../src/proof/testkit/overrides.ts';
import { replayJournal } from '../../src/proof/testkit/replay.ts';
import type { JournalEntry } from '../../src/service/runtime/journal.ts';
import { stepsByVerb } from '../../src/verbs/steps.ts';
import { checkJournal } from './journal-invariants.ts';
import { flowOf, startCall, type TestCall } from './test-call.ts';

export type Program = (context: StepContext) => StepProgram;

const STEPS = `
  first: { bridge: first, exits: { completed: bye } }
  second: { bridge: second, exits: { completed: bye } }
  missed: { log: missed, next: bye }
  bye: { hangup: normal }
  broken: { hangup: failure }
`;

/** Calls of flows whose `bridge` steps do what the program of that name does. */
export function scriptedFlow(steps: string, head = ''): string {
  return `
flow: scripted
start: first
${head}
defaults: { exits: { error: broken, failed: missed } }
steps:${steps}`;
}

export function scriptedSteps(programs: Record<string, Program>): ReadonlyMap<string, StepDefinition> {
  const definition = stepsByVerb.get('bridge')!;
  const run = (context: StepContext): StepProgram => {
    const name = String(context.args);
    const program = programs[name];
    if (!program) throw new Error(`there is no program ${name}`);
    return program(withOverrides(context, {}));
  };
  return new Map([...stepsByVerb, ['bridge', { ...definition, media: false, run }]]);
}

export async function scripted(
  programs: Record<string, Program>,
  options: Parameters<typeof startCall>[1] & { steps?: string; head?: string } = {},
): Promise<TestCall> {
  const { steps = STEPS, head = 'events: { event.go: second, "dtmf.9": second }', ...rest } = options;
  const ports = { steps: scriptedSteps(programs), ...rest.ports };
  const spec = { legId: OWN, ...rest.spec };
  const text = scriptedFlow(steps, head);
  const call = await startCall(text, { ...rest, spec, ports });
  onTestFinished(async () => {
    expect(call.crashes).toEqual([]);
    expect(checkJournal(call.journal())).toEqual([]);
    // Where a test keeps its own book, there is nothing to repeat.
    const journal = call.journal();
    if (journal.length > 0) await expectRepeated(journal, { scripted: text, ...rest.flows }, ports.steps);
  });
  return call;
}

/** Replays the inputs of a journal and expects the same journal. */
export async function expectRepeated(
  journal: JournalEntry[],
  flows: Record<string, string>,
  steps: ReadonlyMap<string, StepDefinition>,
  callId = 'call-1',
): Promise<void> {
  const compiled = new Map(Object.entries(flows).map(([name, text]) => [name, flowOf(text)]));
  const source = (flow: unknown) => compiled.get(String(flow));
  const result = await replayJournal(JSON.parse(JSON.stringify(journal)), source, { steps, callId });
  expect(result).toMatchObject({ ok: true });
}

/** The caller's own leg; parties are `leg-1` and so on. */
export const OWN = 'own';

/** Waits for the first event of its visit that matches. */
export async function* until<Found>(
  pick: (event: StepEvent) => Found | undefined,
  wait: Wait = {},
): AsyncGenerator<Wait, Found, StepEvent> {
  for (;;) {
    const found = pick(yield wait);
    if (found !== undefined) return found;
  }
}

/** Waits for ever. */
export async function* forever(seen: StepEvent[] = [], wait: Wait = {}): AsyncGenerator<Wait, StepResult, StepEvent> {
  for (;;) seen.push(yield wait);
}

export const isOf =
  (party: string, type: LegEvent['type']) =>
  (event: StepEvent): LegEvent | undefined =>
    event.type === 'party' && event.party === party && event.event.type === type ? event.event : undefined;

/** Commands to a leg, as words. */
export const askedOf = (call: TestCall, leg: string): string[] =>
  call.sent.filter((each) => each.leg === leg).map(({ command }) => words(command));

function words(command: LegCommand): string {
  switch (command.type) {
    case 'hangup':
      return `hangup ${command.cause}`;
    case 'join':
      return `join ${command.mixId}${command.muted ? ' muted' : ''}`;
    case 'refer_progress':
      return `refer_progress ${command.sipStatus}`;
    default:
      return command.type;
  }
}

export const kinds = <Kind extends JournalEntry['kind']>(
  call: TestCall,
  kind: Kind,
): Extract<JournalEntry, { kind: Kind }>[] =>
  call.journal().filter((entry): entry is Extract<JournalEntry, { kind: Kind }> => entry.kind === kind);

export const ended: LegEvent = { type: 'ended', cause: { code: 16, reason: 'Normal Clearing' }, by: 'far' };
export const busy: LegEvent = { type: 'ended', cause: { code: 17, reason: 'User Busy' }, by: 'far' };
export const hungUp: LegEvent = { type: 'ended', cause: { code: 16, reason: 'Normal Clearing' }, by: 'near' };
export const answered: LegEvent = { type: 'answered' };
