/** The outcomes on the page of verbs match the verbs and the compiler. */
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/base/core/json.ts';
import { verbSchemas } from '../../src/base/schema/schema-forms.ts';
import { outcomesOf, verbsPage } from '../../src/cli/verbs-page.ts';
import { graphLanguageOf } from '../../src/language/flow/graph-language.ts';
import { findOutcomes } from '../../src/language/flow/possible-outcomes.ts';
import { resolveRoutes } from '../../src/language/flow/routes.ts';
import { verbs } from '../../src/verbs/steps.ts';

/** Arguments beside those of the examples, by which a verb has more outcomes or others. */
const MORE: Readonly<Record<string, Json[]>> = {
  bridge: [{ to: 'user:a', screen: { prompt: 'a b' }, detect_machine: true }],
  play: [{ prompt: 'a b', barge_in: true }],
  queue: [{ name: 'a', timeout: '1m', leave_key: '*' }],
  parallel: [{ branches: { a: 'one', b: 'two' }, until: 'first', outcomes: ['found'], timeout: '5s' }],
  recording: ['start', 'stop'],
  stream: [{ action: 'start', url: 'wss://x.example' }, 'stop'],
  transcribe: ['start', 'stop'],
  webhook: [{ outcomes: ['go'], may: ['flow'] }],
  wait_for: [{ events: ['paid'], timeout: '5s' }],
  branch: [[{ when: 'true', next: 'a' }, { when: 'true', name: 'b', next: 'a' }, { else: 'a' }]],
  subflow: [{ flow: 'other', outcomes: ['found'] }],
  repeat: [{ do: 'a', times: 2 }],
};

test('lists every verb in the group that the studio shows it in', () => {
  const language = graphLanguageOf(verbs);
  const lists = [...verbsPage().matchAll(/^\* [^:]+: (\[`.*)$/gm)].map(([, list]) =>
    [...list!.matchAll(/`(\w+)`/g)].map(([, verb]) => verb!),
  );
  expect(lists.flat().toSorted()).toEqual(verbs.map(({ verb }) => verb).toSorted());
  for (const list of lists) expect(new Set(list.map((verb) => language[verb]!.group)).size).toBe(1);
  expect(language['check_queue']!.group).toBe(language['queue']!.group);
});

const stepsWithOutcomes = verbs.filter(({ terminal }) => !terminal);

test.each(stepsWithOutcomes.map((step) => [step.verb, step] as const))(
  'describes all outcomes of %s, and what happens to each that is not routed',
  (verb, step) => {
    const rows = outcomesOf(step);
    const examples = (verbSchemas.get(verb)!['examples'] ?? []) as JsonObject[];
    const seen = new Set<string>();
    for (const args of [...examples.map((example) => example[verb] ?? null), ...(MORE[verb] ?? [])]) {
      const resolve = (written: JsonObject) =>
        resolveRoutes({ name: 'x', spec: step, args, step: written, defaults: {} });
      const bare = resolve({});
      const nexted = resolve({ next: 'y', exits: { 'failed.4xx': 'y' } });
      for (const { name, entry } of findOutcomes(step, args)) {
        if (entry.finerThan === undefined) continue;
        expect(bare.possible).not.toContain(name);
        expect(resolve({ exits: { [name]: 'y' } }).exits[name]).toBe('y');
        expect(rows.find((each) => each.outcome === name)?.unrouted).toBe(`is \`${entry.finerThan}\``);
        seen.add(name);
      }
      for (const outcome of bare.possible) {
        const row = rows.find((each) => each.outcome === outcome) ?? rows.find((each) => each.outcome.startsWith('<'));
        expect(row, `${outcome} of ${JSON.stringify(args)}`).toBeDefined();
        seen.add(row!.outcome);
        expect(row!.when).toMatch(/^[A-Z].*\.$/);
        const leads = bare.exits[outcome];
        if (row!.unrouted === 'is refused by `check`') expect(bare.unrouted).toContain(outcome);
        else if (row!.unrouted === 'the flow ends')
          expect([leads, bare.unrouted.includes(outcome)]).toEqual([undefined, false]);
        else expect(nexted.exits[outcome]).toEqual(expect.any(String));
      }
    }
    expect(rows.map(({ outcome }) => outcome).filter((outcome) => !seen.has(outcome))).toEqual([]);
  },
);
