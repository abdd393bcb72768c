import { isObject, type Json } from '../core/json.ts';
import { durationMs, flag, list } from './arguments.ts';
import { defineStep } from './step.ts';

/** Commands that a call under REST control waits for, told apart from an application's own events by their names. */
const COMMANDS = new Set(['play', 'collect', 'flow', 'accept', 'bridge', 'transfer', 'conference', 'join_room']);

export const waitFor = defineStep({
  verb: 'wait_for',
  outcomes: (args: Json) => [
    ...eventsOf(args),
    ...(isObject(args) && args['timeout'] !== undefined ? ['timeout'] : []),
  ],
  waits: true,
  needsCall: true,
  signals: (args) => [...signalsOf(args).keys()],
  prompts: ['/meanwhile'],
  async *run(context) {
    const args = isObject(context.input) ? context.input : {};
    const names = signalsOf(context.input);
    const dueMs = args['timeout'] === undefined ? undefined : context.now() + durationMs(args['timeout'], 0);
    if (args['meanwhile'] !== undefined) {
      context.leg.play(await context.prompt(args['meanwhile']), { repeat: true });
    }
    for (;;) {
      const event = yield {
        signals: [...names.keys()],
        ...(dueMs === undefined ? {} : { withinMs: Math.max(0, dueMs - context.now()) }),
      };
      if (event.type === 'timeout') return { outcome: 'timeout' };
      const name = event.type === 'signal' ? names.get(event.name) : undefined;
      if (event.type === 'signal' && name) return { outcome: name, result: { event: name, data: event.data } };
    }
  },
});

/** Signal → name of the event. */
function signalsOf(args: Json): Map<string, string> {
  const commands = isObject(args) && flag(args['commands'], false);
  return new Map(eventsOf(args).map((name) => [commands && COMMANDS.has(name) ? name : `event.${name}`, name]));
}

function eventsOf(args: Json): string[] {
  return isObject(args) ? list(args['events']).map(String) : list(args).map(String);
}
