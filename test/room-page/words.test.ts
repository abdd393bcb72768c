/** Links that people paste, keys that they press, and words for what went wrong. */
import { describe, expect, it } from 'vitest';
import { readSchema } from '../../src/base/schema/schema-files.ts';
import { partsOf } from '../../src/pages/room-page/web/chat-links.ts';
import { endWords } from '../../src/pages/room-page/web/end-words.ts';
import { invitationOf, readPasted } from '../../src/pages/room-page/web/invitation.ts';
import { shortcutOf } from '../../src/pages/room-page/web/shortcuts.ts';
import { speakingWords } from '../../src/pages/room-page/web/speaking-words.ts';

describe('an invitation', () => {
  it.each([
    ['/room/r-1', '#a.b', { roomId: 'r-1', token: 'a.b' }],
    ['/room/r%201/', '', { roomId: 'r 1', token: '' }],
    ['/room/', '#a.b', { roomId: '', token: 'a.b' }],
    ['/room/%E0%A4%A', '#', { roomId: '%E0%A4%A', token: '' }],
  ])('reads the invitation of %s%s', (path, hash, expected) => expect(invitationOf(path, hash)).toEqual(expected));

  it.each([
    ['a link', ' https://voice.example/room/r-2#ab.c_d-\n', { roomId: 'r-2', token: 'ab.c_d-' }],
    ['a token', 'ab.cd', { roomId: 'here', token: 'ab.cd' }],
    ['a link without a token', 'https://voice.example/room/r-2', undefined],
    ['a script', 'javascript:alert(1)', undefined],
    ['markup', '<b>a.b</b>', undefined],
    ['something endless', `#${'a'.repeat(100_000)}`, undefined],
  ])('reads a pasted invitation: %s', (_, text, expected) => expect(readPasted(text, 'here')).toEqual(expected));
});

describe('words at the end', () => {
  it('are there for every refusal of the service', () => {
    const { $defs } = readSchema('rooms/server') as {
      $defs: { error: { properties: { code: { description: string } } } };
    };
    const codes = [...$defs.error.properties.code.description.matchAll(/`((?:token|room)_\w+)`/g)].map(
      ([, code]) => code!,
    );
    expect(codes.length).toBeGreaterThan(8);
    for (const code of [...codes, 'no_token', 'not_known', 'lost', 'closed', 'left', 'dropped', 'denied', 'ended']) {
      expect([code, endWords(code).title]).not.toEqual([code, 'Something went wrong']);
    }
  });

  it('offers the way back after leaving only if there is one', () => {
    expect(['left', 'lost', 'dropped'].map((reason) => endWords(reason, { mayReturn: true }).help)).toEqual([
      ...['return', 'return', 'none'],
    ]);
    expect(endWords('left').help).toBe('invitation');
  });

  it('exists for unforeseen cases', () => expect(endWords('constructor').help).toBe('again'));
});

describe('people who speak', () => {
  it.each([
    [[], false, ''],
    [[], true, 'You are speaking'],
    [['Ada'], false, 'Ada is speaking'],
    [['Ada'], true, 'Ada and you are speaking'],
    [['Ada', 'Ben'], false, 'Ada and Ben are speaking'],
    [['Ada', 'Ben'], true, 'Ada, Ben and you are speaking'],
    [['Ada', 'Ben', 'Cleo'], false, 'Ada, Ben and Cleo are speaking'],
    [['Ada', 'Ben', 'Cleo'], true, 'Ada, Ben, you and 1 more are speaking'],
    [['Ada', 'Ben', 'Cleo', 'Dora', 'Eve'], false, 'Ada, Ben, Cleo and 2 more are speaking'],
  ])('names %j, oneself: %s', (others, isSelf, words) => expect(speakingWords(others, isSelf)).toBe(words));
});

describe('an address in a message', () => {
  const linksIn = (text: string) => partsOf(text).flatMap(({ href }) => href ?? []);

  it.each([
    ['See https://voice.example/a?b=c#d.', ['https://voice.example/a?b=c#d']],
    ['(http://one.example), https://two.example!', ['http://one.example/', 'https://two.example/']],
    ['HTTPS://VOICE.EXAMPLE/A', ['https://voice.example/A']],
    ['<a href="https://voice.example">x</a>', ['https://voice.example/']],
    ['javascript:alert(1) data:text/html,x ftp://x.example www.x.example', []],
    ['https:// http://[ https://%', []],
  ])('is a link: %s', (text, hrefs) => {
    expect(linksIn(text)).toEqual(hrefs);
    expect(
      partsOf(text)
        .map((part) => part.text)
        .join(''),
    ).toBe(text);
  });

  it('is found in a long message in no time', () => {
    const text = 'https://'.repeat(500);
    expect(
      partsOf(text)
        .map((part) => part.text)
        .join(''),
    ).toBe(text);
  });
});

describe('a key', () => {
  const press = (key: string, more: object = {}, where = { isWriting: false, hasDialog: false }) =>
    shortcutOf(
      { key, ctrlKey: false, altKey: false, metaKey: false, isComposing: false, repeat: false, ...more },
      where,
    );

  it('means something in the room', () => expect([press('m'), press('M'), press('?')]).toEqual(['m', 'm', '?']));

  it('has no effect while typing, in a dialog, with other keys, or held down', () => {
    expect([
      press('m', {}, { isWriting: true, hasDialog: false }),
      press('m', {}, { isWriting: false, hasDialog: true }),
      press('c', { ctrlKey: true }),
      press('c', { metaKey: true }),
      press('m', { repeat: true }),
      press('x'),
      press('toString'),
    ]).toEqual(Array(7).fill(undefined));
  });
});
