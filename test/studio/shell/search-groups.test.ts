/** Groups of the results of the command palette, and the lists that it searches. */
import { describe, expect, it } from 'vitest';
import { fieldsText, isCallId, LISTS, phoneDigits } from '../../../src/pages/studio/web/search/search-lists.ts';
import { groupsOf, type SearchItem } from '../../../src/pages/studio/web/shell/search-groups.ts';

const item = (kind: string, title: string, more: Partial<SearchItem> = {}): SearchItem => ({ kind, title, ...more });
const shown = (items: readonly SearchItem[], wanted: string) =>
  groupsOf(items, wanted).map(({ kind, items: found }) => `${kind}: ${found.map(({ title }) => title).join(', ')}`);

describe('groups', () => {
  it('shows the group with the best match first, and its best match first', () => {
    const items = [
      item('Numbers', '7000', { where: 'bakery' }),
      item('Flows', 'old-bakery'),
      item('Flows', 'bakery'),
      item('Words in flows', 'Fresh bread', { where: 'bakery › ask', isMatched: true }),
      item('Users', 'ann'),
    ];
    expect(shown(items, 'bakery')).toEqual([
      'Flows: bakery, old-bakery',
      'Numbers: 7000',
      'Words in flows: Fresh bread',
    ]);
  });

  it('puts letters in order behind the words themselves', () => {
    const items = [item('Commands', 'Go to the broadcasts'), item('Prompts', 'hi', { where: 'gtb' })];
    expect(shown(items, 'gtb')).toEqual(['Prompts: hi', 'Commands: Go to the broadcasts']);
  });

  it('keeps each group short with 500 flows', () => {
    const many = Array.from({ length: 500 }, (_, index) => item('Flows', `flow-${index}`));
    const groups = groupsOf([...many, item('Commands', 'Flows')], 'flow');
    expect(groups.map(({ kind, items }) => [kind, items.length])).toEqual([
      ['Flows', 8],
      ['Commands', 1],
    ]);
  });
});

describe('words that mean a call', () => {
  it.each([
    ['+33 6 12-34', '+3361234'],
    ['1000', '1000'],
    ['123', undefined],
    ['flow 1000', undefined],
  ])('reads the number in %j as %s', (text, digits) => {
    expect(phoneDigits(text)).toBe(digits);
  });

  it('reads the ID of a call', () => {
    expect(isCallId('0f8fad5b-d9cb-469f-a165-70867728950e')).toBe(true);
    expect(isCallId('0f8fad5b')).toBe(false);
  });
});

describe('a searched list', () => {
  it('shows fields that are set, and selects the item on its page', () => {
    const prompts = LISTS.find(({ kind }) => kind === 'Prompts')!;
    const prompt = { name: 'hi', language: 'en-US', text: 'Hello', voice: null };
    expect(fieldsText(prompt, prompts.where!)).toBe('en-US, Hello');
    expect(fieldsText({ flow: null, gateways: ['a', 'b'] }, ['flow', 'gateways'])).toBe('a,b');
    expect(prompts.query!(prompt)).toEqual({ name: 'hi', language: 'en-US' });
  });
});
