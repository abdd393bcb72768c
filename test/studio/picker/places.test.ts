/** Places of the list of steps and of the + at lines, first arguments, sections, and steps that are cut off. */
import { describe, expect, it } from 'vitest';
import { graphOf } from '../../../src/language/flow/graph.ts';
import { languageOf } from '../../../src/language/flow/language.ts';
import type { Drawing } from '../../../src/pages/studio/web/graph/drawing.ts';
import { lineAt } from '../../../src/pages/studio/web/graph/line-at.ts';
import { PICKER_SIZE, placeAt } from '../../../src/pages/studio/web/picker/anchor.ts';
import { writtenAnswer } from '../../../src/pages/studio/web/picker/answers.ts';
import { lostSteps } from '../../../src/pages/studio/web/picker/lost-steps.ts';
import { sectionsFor } from '../../../src/pages/studio/web/picker/sections.ts';
import { firstArguments } from '../../../src/pages/studio/web/text/first-arguments.ts';
import { readTemplate } from '../../../src/pages/studio/web/text/step-template.ts';
import { verbs as specs } from '../../../src/verbs/steps.ts';
import { textOf } from '../graph/flows.ts';

const { verbs } = languageOf(specs);
const WINDOW = { width: 1440, height: 900 };
const box = (left: number, top: number) => ({ left, top, right: left + 24, bottom: top + 24 });

describe('the place of the list', () => {
  it('is below the exit, above it near the bottom, and always in the window', () => {
    expect(placeAt(box(500, 200), WINDOW)).toEqual({ left: 420, top: 238 });
    expect(placeAt(box(500, 700), WINDOW)).toEqual({ left: 420, top: 700 - 14 - PICKER_SIZE.height });
    for (const left of [0, 700, 1430]) {
      for (const top of [0, 400, 880]) {
        const place = placeAt(box(left, top), WINDOW);
        expect(place.left).toBeGreaterThanOrEqual(8);
        expect(place.top).toBeGreaterThanOrEqual(8);
        expect(place.left + PICKER_SIZE.width).toBeLessThanOrEqual(WINDOW.width - 8);
        expect(place.top + PICKER_SIZE.height).toBeLessThanOrEqual(WINDOW.height - 8);
      }
    }
  });
});

describe('a line at a point', () => {
  const edge = { from: 'a', outcome: 'done', to: 'b', kind: 'main', isBack: false } as const;
  const drawing = {
    edges: [
      {
        ...edge,
        points: [
          [0, 0],
          [50, 0],
          [50, 100],
        ],
      },
      {
        ...edge,
        to: 'c',
        points: [
          [0, 8],
          [200, 8],
        ],
      },
    ],
  } as unknown as Drawing;

  it('is the nearest one within reach, with the nearest point on it', () => {
    expect(lineAt(drawing, [20, 3], 9)).toMatchObject({ edge: { to: 'b' }, at: [20, 0] });
    expect(lineAt(drawing, [20, 6], 9)).toMatchObject({ edge: { to: 'c' }, at: [20, 8] });
    expect(lineAt(drawing, [56, 70], 9)).toMatchObject({ edge: { to: 'b' }, at: [50, 70] });
  });

  it('is absent if every line is farther away', () => {
    expect(lineAt(drawing, [20, 40], 9)).toBeUndefined();
  });
});

describe('the steps that an end cuts off', () => {
  const graph = graphOf(
    {
      start: 'a',
      defaults: { exits: { error: 'sorry' } },
      steps: {
        a: { play: 'One two.', next: 'b' },
        b: { play: 'One two.', next: 'c' },
        c: { play: 'One two.', next: 'b' },
        sorry: { hangup: 'normal' },
      },
    },
    { verbs },
  );

  it('are those that no other route reaches', () => {
    expect(lostSteps(graph, { step: 'a', outcome: 'done' })).toEqual(['b', 'c']);
    expect(lostSteps(graph, { step: 'c', outcome: 'done' })).toEqual([]);
  });
});

describe('the arguments of a new step', () => {
  it('contains the answers in the types of the schema, in its short form', () => {
    expect(firstArguments(verbs['bridge']!, ['user:bob'])).toBe('user:bob');
    expect(firstArguments(verbs['queue']!, ['support'])).toEqual({ name: 'support' });
    expect(firstArguments(verbs['pay']!, ['49.90', 'EUR'])).toEqual({ amount: 49.9, currency: 'EUR' });
    expect(firstArguments(verbs['set']!, ['tier', 'gold'])).toEqual({ tier: 'gold' });
    expect(firstArguments(verbs['set']!, ['age', '3'])).toEqual({ age: 3 });
    expect(firstArguments(verbs['webhook']!, ['https://a.example', 'one, two'])).toMatchObject({
      outcomes: ['one', 'two'],
    });
    expect(firstArguments(verbs['branch']!, ['vars.a = 1'])).toEqual([{ when: 'vars.a = 1' }, {}]);
    expect(firstArguments(verbs['send_digits']!, ['0123'])).toBe('0123');
  });
});

describe('an answer', () => {
  it('is written without the separators of a number, and refused if it cannot be called', () => {
    expect(writtenAnswer('party', ' +33 (1) 44-55.66 77 ')).toBe('+33144556677');
    expect(writtenAnswer('party', 'sip:bob@example.com')).toBe('sip:bob@example.com');
    expect(writtenAnswer('party', '${ vars.agent }')).toBe('${ vars.agent }');
    expect(writtenAnswer('party', 'nobody at all')).toBeUndefined();
    expect(writtenAnswer('queue', 'support line')).toBe('support line');
  });
});

describe('the list of steps', () => {
  const templates = [
    readTemplate(textOf('flows/templates/survey-of-3-questions.flow.yaml'), verbs)!,
    readTemplate(textOf('flows/templates/menu-with-voicemail.flow.yaml'), verbs)!,
  ];
  const source = { verbs, suggested: ['menu'], recent: ['play'], uses: new Map([['play', 1]]), templates };
  const ids = (query: string, uses = source.uses) => sectionsFor(query, { ...source, uses }).map(({ id }) => id);

  it('has proposals and groups without a query, and results with one', () => {
    expect(ids('')).toEqual([
      'suggested',
      'recent',
      'say',
      'connect',
      'decide',
      'remember',
      'outside',
      'record',
      'end',
      'templates',
    ]);
    expect(ids('menu')).toEqual(['steps', 'templates']);
    expect(ids('survey')).toEqual(['templates']);
    expect(ids('say that we are closed')).toContain('or');
    expect(ids('voicemial')).toEqual(['meant']);
    expect(ids('qqqqqqqq')).toEqual([]);
  });

  it('has no step that goes back in a flow without steps', () => {
    const listed = (uses: Map<string, number>) =>
      sectionsFor('', { ...source, uses }).flatMap(({ items }) => items.map(({ verb }) => verb));
    expect(listed(new Map())).not.toContain('repeat');
    expect(listed(source.uses)).toContain('repeat');
  });
});
