/** State of registered phones in the list of users. */
import { describe, expect, test } from 'vitest';
import { phoneWords } from '../../../src/pages/studio/web/settings/phone-words.ts';

describe('phone of a user', () => {
  test('shows its address, transport and the time of its registration', () => {
    const words = phoneWords([{ transport: 'udp', host: '192.0.2.7', port: 5062, since: '2026-11-30T10:00:00.000Z' }]);
    expect(words).toMatch(/^● 192\.0\.2\.7:5062 \(udp\), since .*2026/);
  });

  test('shows all phones, and IPv6 addresses in brackets', () => {
    const phones = [
      { transport: 'tcp', host: '2001:db8::7', port: 5060 },
      { transport: 'udp', host: '192.0.2.8', port: 5060 },
    ];
    expect(phoneWords(phones)).toBe('● [2001:db8::7]:5060 (tcp); ● 192.0.2.8:5060 (udp)');
  });

  test('marks a user without a phone, and shows nothing if the engine does not know', () => {
    expect(phoneWords([])).toBe('○ not registered');
    expect(phoneWords(undefined)).toBe('');
  });
});
