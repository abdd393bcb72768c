import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLog, type LogFields, type LogLevel, maskNumber, REDACTED, redact } from '../../src/base/core/log.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';

function logged(
  write: (log: ReturnType<typeof createLog>) => void,
  options: { level?: LogLevel; logNumbers?: boolean; pretty?: boolean } = {},
) {
  const lines: string[] = [];
  write(createLog({ level: 'debug', ...options, stream: { write: (line) => lines.push(line) } }));
  return lines;
}
const fieldsOf = (fields: LogFields, options: { logNumbers?: boolean } = {}) =>
  JSON.parse(logged((log) => log.info('thing.happened', fields), options)[0]!);

describe('a log line', () => {
  it('is one line of JSON with time, level, message and fields', () => {
    const lines = logged((log) => log.warn('call.ended', { callId: 'call-1', causeCode: 16, note: 'two\nlines' }));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[^\n]*\n$/);
    const { time, ...rest } = JSON.parse(lines[0]!);
    expect(rest).toEqual({ level: 'warn', message: 'call.ended', callId: 'call-1', causeCode: 16, note: 'two\nlines' });
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it.each<[LogLevel, number]>([
    ['debug', 4],
    ['info', 3],
    ['warn', 2],
    ['error', 1],
    ['silent', 0],
  ])('is written at level %s for equal or higher levels', (level, count) => {
    const lines = logged(
      (log) => {
        for (const write of [log.debug, log.info, log.warn, log.error]) write('thing.happened');
      },
      { level },
    );
    expect(lines).toHaveLength(count);
  });

  it('carries the fields of every ancestor, the nearest winning', () => {
    const lines = logged((log) => {
      const call = log.child({ callId: 'call-1', password: 'x' });
      call.child({ step: 'menu', callId: 'call-2' }).info('step.left', { outcome: 'done' });
      call.info('call.ended');
    });
    expect(JSON.parse(lines[0]!)).toMatchObject({
      callId: 'call-2',
      step: 'menu',
      outcome: 'done',
      password: REDACTED,
    });
    expect(JSON.parse(lines[1]!)).not.toHaveProperty('step');
  });

  it('is easy on the eyes when asked to be, and just as discreet', () => {
    const [line] = logged(
      (log) => log.info('call.ended', { callId: 'call-1', note: 'a b', nested: { digits: '42' } }),
      {
        pretty: true,
      },
    );
    expect(line).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} info {2}call\.ended callId=call-1 note="a b" nested=\{"digits":"\[redacted\]"\}\n$/,
    );
    const [obeyed] = logged((log) => log.info('x', { a: 'b\x9b2J\u202ec', d: ['\x7f'] }), { pretty: true });
    expect(obeyed).toMatch(/a=b\\u009b2J\\u202ec d=\["\\u007f"\]/);
    const [forged] = logged((log) => log.info('x', { a: 'one\n12:00:00.000 error forged' }), { pretty: true });
    expect(forged!.trimEnd()).not.toContain('\n');
  });

  it('goes nowhere from a silent log', () => {
    expect(() => silentLog.child({ a: 1 }).error('thing.happened', { b: 2 })).not.toThrow();
  });
});

describe('sensitive values', () => {
  const SECRET_KEYS = [
    'digit',
    'digits',
    'collectedDigits',
    'collected_digits',
    'typedAhead',
    'typed_ahead',
    'dtmf',
    'text',
    'say',
    'transcript',
    'finalTranscript',
    'password',
    'Password',
    'userPassword',
    'app_key',
    'appKey',
    'APP_KEY',
    'api-key',
    'apikey',
    'authorization',
    'Authorization',
    'proxy-authorization',
    'secret',
    'secrets',
    'webhookSecret',
    'accessToken',
    'token',
    'pin',
    'sharedPin',
    'cookie',
    'set-cookie',
    'credentials',
    'webhook-signature',
    'privateKey',
    'passphrase',
  ];

  it.each(SECRET_KEYS)('%s is hidden at every depth, in lists, maps and errors', (key) => {
    const leaf = { [key]: 'S3CRET' };
    const lines = logged((log) => {
      log.child(leaf).info('a', leaf);
      log.info('b', { one: { two: { three: leaf } } });
      log.info('c', { list: [[leaf], new Set([leaf])], map: new Map([[key, 'S3CRET']]) });
      log.info('d', { error: Object.assign(new Error('failed'), leaf) });
      log.info('e', { [key]: { whole: ['S3CRET'] } });
      log.info('f', { [key]: 53_017 });
    });
    expect(lines).toHaveLength(6);
    for (const line of lines) {
      expect(line).toContain(REDACTED);
      expect(line).not.toMatch(/S3CRET|53017/);
    }
  });

  it.each([
    'digitCount',
    'textLength',
    'digitTimeoutMs',
    'step',
    'contextId',
    'shipping',
    'tokenizer',
    'saying',
    'key',
    'pinned',
  ])('%s is not hidden', (key) => expect(fieldsOf({ [key]: 7 })[key]).toBe(7));

  it('hides nothing where there is nothing', () => {
    expect(redact({ digits: undefined, secret: null })).toEqual({ digits: undefined, secret: null });
  });

  it('hides every secret, wherever it is', () => {
    const tree = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<unknown>('harmless', 1, null, true),
        fc.record({ digits: fc.constant<unknown>('S3CRET'), next: tie('node') }),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.record({ a: tie('node'), appKey: fc.constant<unknown>(['S3CRET']) }),
      ),
    })).node;
    fc.assert(
      fc.property(tree, (value) => {
        expect(JSON.stringify(redact({ value }))).not.toContain('S3CRET');
      }),
    );
  });
});

describe('telephone numbers', () => {
  it.each([
    ['+4930123456', '+*******456'],
    ['4930123456', '*******456'],
    ['112', '**2'],
    ['1001', '**01'],
    ['7', '*'],
    ['', ''],
    ['anonymous', 'anonymous'],
    ['user:alice', 'user:alice'],
    ['sip:+4930123456@10.0.0.1:5060', 'sip:+*******456@10.0.0.1:5060'],
    ['"Ann" <tel:+1-555-0100>', '"Ann" <tel:+*-***-*100>'],
  ])('%s is written as %s', (number, masked) => {
    expect(maskNumber(number)).toBe(masked);
    for (const key of ['from', 'to', 'number', 'callerNumber', 'caller_number', 'phone', 'From']) {
      expect(fieldsOf({ [key]: number })[key]).toBe(masked);
    }
    expect(fieldsOf({ call: { numbers: [number] } }).call.numbers).toEqual([masked]);
  });

  it('are masked as numbers too', () => expect(fieldsOf({ phone: 4930123456 }).phone).toBe('*******456'));

  it('are written whole where the installation asks for it, but nothing else is', () => {
    expect(fieldsOf({ from: '+4930123456', digits: '1' }, { logNumbers: true })).toMatchObject({
      from: '+4930123456',
      digits: REDACTED,
    });
  });

  it('leaves other fields unchanged', () => {
    expect(fieldsOf({ callId: '4930123456', durationMs: 4_930_123_456 })).toMatchObject({
      callId: '4930123456',
      durationMs: 4_930_123_456,
    });
  });
});

describe('URLs', () => {
  it.each([
    ['https://user:pass@example.com/hook?token=abc#x', 'https://example.com/hook?…'],
    ['https://example.com/hook', 'https://example.com/hook'],
    ['wss://a:b@example.com', 'wss://example.com'],
    ['https://user:p@ss@example.com/a@b', 'https://example.com/a@b'],
    [
      'failed: https://example.com/a?k=1 and https://b.example/?k=2',
      'failed: https://example.com/a?… and https://b.example/?…',
    ],
  ])('%s is written as %s', (url, written) => {
    expect(fieldsOf({ url }).url).toBe(written);
    expect(fieldsOf({ error: new Error(url) }).error.message).toBe(written);
  });
});

describe('arbitrary values', () => {
  const circular: Record<string, unknown> = { name: 'circle' };
  circular['self'] = circular;
  const twice = { a: 1 };
  const hostile = {
    get trap() {
      throw new Error('no');
    },
  };
  it.each<[string, unknown, unknown]>([
    ['a circle', circular, { name: 'circle', self: '[circular]' }],
    ['a getter that throws', hostile, '[unreadable]'],
    ['the same thing twice', [twice, twice], [{ a: 1 }, { a: 1 }]],
    ['a function', () => 1, '[function]'],
    ['a symbol', Symbol('x'), '[symbol]'],
    ['a big integer', 12n, '12'],
    ['bytes', new Uint8Array(320), '[320 bytes]'],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['a broken date', new Date(Number.NaN), null],
    ['a prototype', JSON.parse('{"__proto__": {"polluted": true}, "a": 1}'), { a: 1 }],
  ])('%s is written plainly', (_name, value, written) => {
    expect(fieldsOf({ value }).value).toEqual(written);
  });

  it('keeps type, message, stack and cause of an error', () => {
    const { error } = fieldsOf({ error: new TypeError('broke', { cause: new Error('why') }) });
    expect(error.cause).toMatchObject({ type: 'Error', message: 'why' });
    expect(error).toMatchObject({
      type: 'TypeError',
      message: 'broke',
      stack: expect.stringContaining('TypeError: broke'),
    });
  });

  it('drops only the fields that cannot be read', () => {
    expect(JSON.parse(logged((log) => log.info('call.ended', hostile))[0]!).message).toBe('call.ended');
  });

  it('limits the size of a line', () => {
    let deep: unknown = 'bottom';
    for (let depth = 0; depth < 5000; depth++) deep = { deep };
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, 1]));
    const [line] = logged((log) =>
      log.info('m'.repeat(1e6), { deep, wide, long: 'x'.repeat(1e6), list: Array(1e5).fill(1) }),
    );
    expect(line!.length).toBeLessThan(8000);
  });

  it('never throws an exception', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true })),
        (fields) => {
          expect(() => JSON.parse(logged((log) => log.info('thing.happened', fields))[0]!)).not.toThrow();
        },
      ),
    );
  });
});
