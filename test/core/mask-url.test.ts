import { describe, expect, it } from 'vitest';
import { maskUrl, maskUrls } from '../../src/base/core/mask-url.ts';

describe('a URL that is shown', () => {
  it.each([
    ['https://a.example/path', 'https://a.example/path'],
    ['https://a.example/path?token=x', 'https://a.example/path?token=•••'],
    ['https://a.example/?a=1&b=2&a=3', 'https://a.example/?a=•••&b=•••&a=•••'],
    ['https://a.example/?a=x=y?z=1', 'https://a.example/?a=•••'],
    ['https://a.example/?secret', 'https://a.example/?•••'],
    ['https://a.example/?a=&&b', 'https://a.example/?a=&&•••'],
    ['https://a.example/?', 'https://a.example/?'],
    ['https://a.example/#secret', 'https://a.example/#•••'],
    ['https://a.example/?a=1#b?c=2', 'https://a.example/?a=•••#•••'],
    ['https://me:pass@a.example/', 'https://•••@a.example/'],
    ['https://me@a.example:8443/p?x=1', 'https://•••@a.example:8443/p?x=•••'],
    ['https://me:p@ss@a.example/', 'https://•••@a.example/'],
    ['wss://key@a.example', 'wss://•••@a.example'],
    ['https:me:pass@a.example/', 'https:•••@a.example/'],
    ['https:\\\\me:pass@a.example/', 'https:\\\\•••@a.example/'],
    ['ht\ntps://me:pass@a.example/', 'https://•••@a.example/'],
    ['https://a.example/@me?b=@c', 'https://a.example/@me?b=•••'],
    ['not a URL', 'not a URL'],
    ['', ''],
  ])('masks the URL %j as %j', (url, shown) => {
    expect(maskUrl(url)).toBe(shown);
    expect(maskUrl(shown)).toBe(shown);
  });

  it('is found wherever a URL stands, up to the first expression', () => {
    expect(
      maskUrls({
        steps: { a: { get: 'https://a.example/?k=1' }, b: [{ url: 'wss://u:p@b.example/?k=1&x=${ vars.x ? 1 : 2 }' }] },
        text: 'Is it so? k=1',
        path: 'https://a.example/${ vars.x ? "a" : "b" }',
        count: 1,
        none: null,
      }),
    ).toEqual({
      steps: {
        a: { get: 'https://a.example/?k=•••' },
        b: [{ url: 'wss://•••@b.example/?k=•••&x=${ vars.x ? 1 : 2 }' }],
      },
      text: 'Is it so? k=1',
      path: 'https://a.example/${ vars.x ? "a" : "b" }',
      count: 1,
      none: null,
    });
  });
});
