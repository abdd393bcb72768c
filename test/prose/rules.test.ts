/** Each rule finds a planted sentence, and lets pass what should be written instead. */
import { describe, expect, it } from 'vitest';
import { findIn } from './findings.ts';
import { type Kind, RULES } from './rules.ts';

const LONG = `Each ${'very '.repeat(40)}long sentence is split.`;

const PLANTED: [rule: string, kind: Kind, bad: string, good: string][] = [
  ['headless', 'comment', 'Who asks twice is answered once.', 'Ignores a repeated NACK.'],
  ['headless', 'schema', 'What the caller said.', 'Transcript of the caller.'],
  ['headless', 'comment', 'Whose turn it is.', 'Leg that speaks next.'],
  ['headless', 'doc', 'Those of other nodes stay. ', 'Who may call? Calls of other nodes stay.'],
  ['headless-where', 'comment', 'Where the call came from.', 'Where a proxy is configured, its address is used.'],
  ['headless-where', 'comment', 'Without its zone.', 'Without a timeout, the step waits until the caller answers.'],
  ['of-opener', 'comment', 'Of several, the first is kept.', 'Of course the first is kept.'],
  ['of-opener', 'doc', 'Of the numbers only one is dialled.', 'Only one of the numbers is dialled.'],
  ['dangling-pronoun', 'comment', 'One that was not sent.', 'A request that was not sent.'],
  ['headless-title', 'describe', 'what goes wrong', 'failures of the engine'],
  ['headless-title', 'test', 'who comes late is refused with 409', 'refuses a late participant with 409'],
  ['title-verb', 'test', 'a call to nowhere ends with 404', 'ends a call to nowhere with 404'],
  ['title-verb', 'test', 'PUT /play: 409 once the call is over', 'PUT /play: answers 409 after the call'],
  ['title-verb', 'test', 'callers of a queue hear music', 'never plays music to an agent'],
  ['title-verb', 'test', '%j in a flow of any kind', '%j is refused with 422'],
  ['short-title', 'test', 'keeps it there', 'keeps the call on hold'],
  ['goes-on', 'message', 'the call goes on', 'the call continues; the list goes on hold'],
  ['anew', 'ui', 'Begin anew', 'Start again'],
  ['of-ours', 'doc', 'It has no codec of ours.', 'It has no supported codec.'],
  ['nobody', 'test', 'tells nobody that the call ended', 'sends no event after the call ended'],
  ['by-itself', 'doc', 'The node restarts by itself.', 'The node restarts automatically.'],
  ['all-the-same', 'comment', 'It is kept all the same.', 'It is kept anyway.'],
  ['as-far-as', 'comment', 'The host, as far as it is a name.', 'The host, as far as we know.'],
  ['is-no', 'message', '`10.x` is no network', '`10.x` is not a network, and is no longer used; there is no default'],
  ['is-so', 'comment', 'True if it is so.', 'True if the participant is muted.'],
  ['under-way', 'comment', 'Deliveries under way.', 'Deliveries in flight.'],
  [
    'clause-as-subject',
    'comment',
    'Ends the call; who waits is hung up.',
    'Ends the call; waiting callers are hung up.',
  ],
  ['comes-to', 'comment', 'Counts what became of them.', 'Counts their results.'],
  ['hears-of', 'comment', 'The caller is told of it.', 'The caller is notified. The two can be told apart.'],
  ['way', 'ui', 'Show all ways', 'Show all paths'],
  ['for-good', 'comment', 'The node is gone for good.', 'The node is permanently lost.'],
  ['nothing-of', 'message', 'the answer says nothing about it', 'the answer does not define it'],
  ['metaphor', 'describe', 'neighbours of a step', 'Neighbours: steps with an edge to a step'],
  ['control-label', 'ui', 'Make it', 'Create flow'],
  ['long-sentence', 'doc', LONG, 'A short sentence needs no rule.'],
];

const rulesOf = (kind: Kind, text: string): string[] => findIn({ kind, line: 1, text }).map(({ rule }) => rule.id);

describe('rules of plain English', () => {
  it.each(PLANTED)('%s: finds a planted %s: %j', (rule, kind, bad) => {
    expect(rulesOf(kind, bad)).toContain(rule);
  });

  it.each(PLANTED)('%s: accepts a %s without it, instead of %j: %j', (_rule, kind, _bad, good) => {
    expect(rulesOf(kind, good)).toEqual([]);
  });

  it('has a planted sentence for each rule', () => {
    expect([...new Set(PLANTED.map(([rule]) => rule))].sort()).toEqual(RULES.map(({ id }) => id).sort());
  });

  it('ignores quoted code and addresses', () => {
    expect(rulesOf('doc', '`nobody` is a user; see [the page](https://a.example/going on/anew).')).toEqual([]);
  });

  it('tests each sentence of a comment on its own', () => {
    expect(rulesOf('comment', 'Keeps the call. Whoever waits, waits: Nobody answers.')).toEqual(['headless', 'nobody']);
  });
});
