import { describe, expect, it } from 'vitest';
import { partsOfReceiver, receiverOf } from '../../src/base/core/receiver.ts';

describe('receiver', () => {
  it.each([
    ['https://app.example/a?b=c#d', 'https://app.example'],
    ['https://APP.example:443', 'https://app.example'],
    ['http://app.example:8080?x=/', 'http://app.example:8080'],
    ['http://name:word@app.example/a', 'http://app.example'],
    ['http://2130706433:9/', 'http://127.0.0.1:9'],
    ['http://app.example\\a', 'http://app.example'],
    ['http://app.exa\tmple/a', 'http://app.example'],
    ['http://[::1]:7/x', 'http://[::1]:7'],
    ['http://', ''],
    ['', ''],
  ])('%s is at %s', (url, origin) => {
    expect(receiverOf('shop', url)).toBe(`shop ${origin}`);
    // Also when it was seen before.
    expect(partsOfReceiver(receiverOf('my shop', url))).toEqual({ projectId: 'my shop', origin });
  });

  it('remembers a bounded number of servers, and is right about all of them', () => {
    for (let n = 0; n < 2500; n++) expect(receiverOf('p', `http://S${n}.example/`)).toBe(`p http://s${n}.example`);
  });
});
