import { durationMs, list } from '../../language/steps/arguments.ts';
import { defineStep, namedOutcome, type Written } from '../../language/steps/step.ts';
import type { WaitForArgs, WaitForOutcome } from '../../language/steps/verb-types.ts';
import { until } from '../../language/steps/waiting.ts';

/** REST commands that can be awaited by name with `commands: true`; all other names are events of the application. */
const COMMANDS = new Set(['play', 'collect', 'flow', 'accept', 'bridge', 'transfer', 'conference', 'join_room']);

export const step = defineStep<WaitForArgs, WaitForOutcome>({
  verb: 'wait_for',
  signals: signalsOf,
  async *run(context) {
    const { timeout, meanwhile } = context.input;
    const dueMs = timeout === undefined ? undefined : context.now() + durationMs(timeout);
    if (meanwhile !== undefined) context.leg.play(await context.prompt(meanwhile), { repeat: true });
    const signals = signalsOf(context.input);
    for (;;) {
      const event = yield { signals, ...until(context, dueMs) };
      if (event.type === 'timeout') return { outcome: 'timeout' };
      const name = event.type === 'signal' ? eventsBySignal(context.input).get(event.name) : undefined;
      if (event.type !== 'signal' || name === undefined) continue;
      const { data, after } = event;
      return { outcome: namedOutcome(name), result: { event: name, data, ...(after && { after }) } };
    }
  },
});

function signalsOf(args: Written<WaitForArgs>): string[] {
  return [...eventsBySignal(args).keys()];
}

/** Maps each signal to the name in `events`. */
function eventsBySignal({ events, commands }: Written<WaitForArgs>): Map<string, string> {
  const isCommand = (name: string): boolean => commands === true && COMMANDS.has(name);
  return new Map(
    list(events)
      .map(String)
      .map((name) => [isCommand(name) ? name : `event.${name}`, name]),
  );
}
