import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findings } from './seeded.ts';

const FLOW = readFileSync(new URL('../correct/talks-with-agent.flow.yaml', import.meta.url), 'utf8');
const found = (from: string, to: string, options = {}): string => {
  const text = FLOW.replace(from, () => to);
  expect(text).not.toBe(FLOW);
  return findings(text, options).join('\n');
};

const configured = { users: ['desk'], numbers: [], prefixes: [], secrets: ['agent', 'tables'] };

describe('AI agents', () => {
  it.each([
    ['a tool that nothing routes', 'exits: { book: keep, human: desk,', 'exits: { book: keep,', /unrouted-outcome/],
    ['an exit of no tool', 'human: desk, limit', 'human: desk, person: desk, limit', /unknown-outcome/],
    ['a name of the language', '        human: {', '        hangup: {', /wrong-name|hangup/],
    ['a broken schema', 'minimum: 1, maximum: 12', 'minimum: one', /bad-schema/],
    ['a broken schema of a lookup', 'tables: { type: integer }', 'tables: { type: whole }', /bad-schema/],
    ['a lookup named as a tool', '        free:', '        book:', 'same-tool'],
    [
      'a misspelt argument',
      'steps.talk.arguments.date',
      'steps.talk.arguments.day',
      /unknown-field|arguments.*day|day/,
    ],
    ['an argument of another tool', 'steps.talk.arguments.date', 'steps.talk.tools.human.date', /unknown-field/],
    ['a tool that is not there', 'steps.talk.arguments.date', 'steps.talk.tools.bok.date', /unknown-field/],
    ['a misspelt argument of a lookup', 'result.arguments.date', 'result.arguments.dat', /23:47 unknown-field/],
    [
      'an argument that never fits',
      'people: "${ steps.talk.arguments.people }"',
      'people: "${ steps.talk.arguments.date }"',
      /never-fits/,
    ],
    ['a secret in the instructions', '${ call.from }', '${ secrets.agent }', /secret-place/],
    ['tools of an agent that knows none', 'adapter: openai', 'adapter: twilio', 'agent-without-tools'],
    ['an unknown adapter', 'adapter: openai', 'adapter: gemini', /wrong-value|adapter/],
    ['a web address', 'wss://agents.example', 'https://agents.example', /8:38 wrong-value/],
    ['a request without a method', 'post: https://tables.example/free', 'timeout: 3s', /20:11 wrong-keys/],
    ['a limit without a unit', 'silence: 12s', 'silence: 12', /duration|unit/],
    [
      'a file that is not there',
      `"You take bookings of a restaurant. The caller's number is \${ call.from }."`,
      'prompts/none.md',
      /missing-file|no-files/,
    ],
  ])('reports the mistake: %s', (_, from, to, message) => {
    expect(found(from, to)).toMatch(message);
  });

  it('reports an agent that the configuration does not have', () => {
    const named = (assistants: string[]): string =>
      found(
        'agent: { adapter: openai, url: "wss://agents.example/v1/realtime", model: small, voice: alloy }',
        'agent: resevations',
        {
          configured: { ...configured, assistants },
        },
      );
    expect(named(['reservations'])).toBe('8:14 unknown-agent?');
    expect(named([])).toMatch('unknown-agent?');
    expect(named(['resevations'])).not.toMatch('unknown-agent?');
  });
});
