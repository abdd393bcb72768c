/** Errors of a configuration are all reported together with position and hint; a valid one is returned complete. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig, readConfigText } from '../../src/config.ts';

const directory = mkdtempSync(join(tmpdir(), 'callweave-config-'));
writeFileSync(join(directory, 'key.txt'), 'a-key-from-a-file-1\n');
writeFileSync(join(directory, 'empty.txt'), '\n');
writeFileSync(join(directory, 'jingle.wav'), 'not really');
const file = join(directory, 'callweave.yaml');

const read = (text: string, environment: Record<string, string> = {}) => readConfigText(text, file, environment);

describe('a configuration that is wrong', () => {
  it.each<[string, string, { code: string; at: string; says?: RegExp; hint?: RegExp }]>([
    ['an unknown key', 'htpp: {}', { code: 'unknown-key', at: '1:1', hint: /did you mean http\?/ }],
    ['an unknown key below', 'http:\n  prot: 1', { code: 'unknown-key', at: '2:3', hint: /did you mean port\?/ }],
    ['a port in quotes', 'http: { port: "80" }', { code: 'wrong-type', at: '1:15', hint: /without quotes/ }],
    ['a port that is none', 'sip: { port: 70000 }', { code: 'wrong-value', at: '1:14', says: /must be a port/ }],
    [
      'a name to listen on',
      'sip: { host: pbx.example.com }',
      { code: 'wrong-value', at: '1:14', says: /not an IP address/, hint: /advertised_host/ },
    ],
    [
      'a certificate for a carrier without TLS',
      'sip: { routes: [{ uri: "sip:a.example", tls: { cert: jingle.wav, key: key.txt } }] }',
      { code: 'wrong-keys', at: '1:46', hint: /sip\.tls/ },
    ],
    [
      'two certificates for one carrier',
      'sip:\n  tls: { cert: jingle.wav, key: key.txt }\n  routes:\n    - { uri: "sip:a.example", tls: { cert: jingle.wav, key: key.txt } }\n    - { prefix: "+33", gateways: ["sip:A.example:5063"], tls: { cert: key.txt, key: key.txt } }',
      { code: 'duplicate', at: '5:63', says: /a\.example/ },
    ],
    [
      'a certificate for a carrier that is not there',
      'sip:\n  tls: { cert: jingle.wav, key: key.txt }\n  routes:\n    - { uri: "sip:a.example", tls: { cert: none.pem, key: key.txt } }',
      { code: 'missing-file', at: '4:44', says: /none\.pem/ },
    ],
    [
      'certificates asked for that nobody vouches for',
      'sip: { tls: { cert: jingle.wav, key: key.txt, verify_client: required } }',
      { code: 'wrong-keys', at: '1:62', hint: /client_ca/ },
    ],
    ['one RTP port', 'sip: { rtp_ports: [3000] }', { code: 'wrong-value', at: '1:19', says: /first and the last/ }],
    ['RTP ports backwards', 'sip: { rtp_ports: [3000, 2000] }', { code: 'wrong-range', at: '1:19' }],
    [
      'ports of Janus backwards',
      'video: { engine: janus, janus: { ports: [3000, 2000] } }',
      { code: 'wrong-range', at: '1:41' },
    ],
    [
      'a Janus of our own and nodes',
      'video: { janus: { program: janus, nodes: [{ url: "ws://a" }] } }',
      { code: 'wrong-value', at: '1:17', says: /program, or nodes/ },
    ],
    [
      'a node of Janus without its secret',
      'video: { engine: janus, janus: { nodes: [{ url: "ws://a", secret: { env: NO_SUCH } }] } }',
      { code: 'missing-variable', at: '1:74', says: /NO_SUCH/ },
    ],
    ['a number that is a number', 'numbers:\n  - number: 1000', { code: 'wrong-type', at: '2:13', hint: /in quotes/ }],
    [
      'a number without number',
      'numbers: [{ flow: x }]',
      { code: 'missing-key', at: '1:11', says: /`number` is missing/ },
    ],
    [
      'a number twice',
      'numbers:\n  - { number: "+1 2" }\n  - { number: "12" }',
      { code: 'duplicate', at: '3:15', hint: /line 2/ },
    ],
    [
      'a number that is shared, without a pin',
      'numbers:\n  - { number: "1", pin: "471199" }\n  - { number: "1" }',
      { code: 'wrong-keys', at: '3:15', hint: /a different pin/ },
    ],
    [
      'a pin twice',
      'numbers:\n  - { number: "1", pin: "471199" }\n  - { number: "+1", pin: "471199" }',
      { code: 'duplicate', at: '3:26', hint: /line 2/ },
    ],
    [
      'a pin that is too short',
      'numbers: [{ number: "1", pin: "471", pin_allow_short: true }]',
      { code: 'wrong-value', at: '1:31', says: /4 to 12 digits/ },
    ],
    [
      'a pin that is soon guessed',
      'numbers: [{ number: "1", pin: "47119" }]',
      { code: 'weak-pin', at: '1:31', says: /6 to 12 digits/, hint: /pin_allow_short: true/ },
    ],
    [
      'a short pin that is not allowed any more',
      'numbers: [{ number: "1", pin: "4711", pin_allow_short: false }]',
      { code: 'weak-pin', at: '1:31' },
    ],
    [
      'leave for a short pin, where there is none',
      'numbers: [{ number: "1", pin_allow_short: true }]',
      { code: 'wrong-keys', at: '1:43', says: /`pin_allow_short` requires `pin`/ },
    ],
    ['a pin without quotes', 'numbers: [{ number: "1", pin: 4711 }]', { code: 'wrong-type', at: '1:31' }],
    [
      'an unknown project',
      'numbers:\n  - { number: "1", project: shpo }\nprojects: [{ app_id: shop, app_key: 0123456789abcdef }]',
      { code: 'unknown-project', at: '2:29', hint: /shop/ },
    ],
    [
      'a room twice',
      'rooms:\n  - { room_id: a }\n  - { room_id: a, pin: "1" }',
      { code: 'duplicate', at: '3:16', hint: /line 2/ },
    ],
    ['a room of an unknown project', 'rooms: [{ room_id: a, project: x }]', { code: 'unknown-project', at: '1:32' }],
    ['a room id with a space', 'rooms: [{ room_id: a b }]', { code: 'wrong-value', at: '1:20' }],
    [
      'a webhook format that is none',
      'projects: [{ app_id: a, app_key: 0123456789abcdef, webhook_format: xml }]',
      { code: 'wrong-value', at: '1:68', says: /plain, encrypted/ },
    ],
    [
      'a public URL that is none',
      'http: { public_url: "voice.example" }',
      { code: 'wrong-value', at: '1:21', says: /https:\/\// },
    ],
    [
      'a greeting beside a flow',
      'numbers: [{ number: "1", flow: x, greeting: hi }]',
      { code: 'wrong-keys', at: '1:45' },
    ],
    ['input without a flow', 'numbers: [{ number: "1", input: {} }]', { code: 'wrong-keys', at: '1:33' }],
    [
      'a greeting that is no prompt',
      'numbers: [{ number: "1", greeting: { txet: hi } }]',
      { code: 'wrong-value', at: '1:36' },
    ],
    [
      'an outbound greeting that is no prompt',
      'numbers: [{ number: "1", outbound_greeting: { txet: hi } }]',
      { code: 'wrong-value', at: '1:45' },
    ],
    [
      'when a greeting is heard, and none',
      'numbers: [{ number: "1", greeting_heard: after_connect }]',
      { code: 'wrong-keys', at: '1:42' },
    ],
    [
      'a greeting heard at another time',
      'numbers: [{ number: "1", greeting: hi, greeting_heard: never }]',
      { code: 'wrong-value', at: '1:56', says: /before_accept, after_connect/ },
    ],
    [
      'a webhook that is no URL',
      'numbers: [{ number: "1", webhook: "example.com" }]',
      { code: 'wrong-value', at: '1:35', says: /https:\/\// },
    ],
    ['a weak key', 'projects: [{ app_id: a, app_key: short }]', { code: 'weak-key', at: '1:34', hint: /openssl/ }],
    [
      'a project twice',
      'projects:\n  - { app_id: a, app_key: 0123456789abcdef }\n  - { app_id: a, app_key: 0123456789abcdef }',
      { code: 'duplicate', at: '3:15' },
    ],
    [
      'a webhook secret of its own making',
      'projects: [{ app_id: a, app_key: 0123456789abcdef, webhook_secret: hush }]',
      { code: 'wrong-value', at: '1:68', hint: /whsec_/ },
    ],
    [
      'a secret from nowhere',
      'secrets: { token: { env: NOT_SET } }',
      { code: 'missing-variable', at: '1:26', hint: /NOT_SET=…/ },
    ],
    ['a secret from two places', 'secrets: { token: { env: A, file: b } }', { code: 'wrong-keys', at: '1:12' }],
    [
      'a secret from no file',
      'secrets: { token: { file: none.txt } }',
      { code: 'missing-secret', at: '1:27', says: /no such file/ },
    ],
    [
      'a secret from an empty file',
      'secrets: { token: { file: empty.txt } }',
      { code: 'missing-secret', at: '1:27', says: /empty/ },
    ],
    ['a user without password', 'sip: { users: [{ name: ada }] }', { code: 'missing-key', at: '1:16' }],
    [
      'a user twice',
      'sip: { users: [{ name: ada, password: x }, { name: ADA, password: y }] }',
      { code: 'duplicate', at: '1:52' },
    ],
    [
      'a route to a person',
      'sip: { routes: [{ uri: "sip:ada@x" }] }',
      { code: 'wrong-value', at: '1:24', says: /without a user/ },
    ],
    [
      'a route with half credentials',
      'sip: { routes: [{ uri: "sip:x", username: a }] }',
      { code: 'wrong-keys', at: '1:17' },
    ],
    [
      'a digest that is none',
      'sip: { digest_algorithms: [MD5, SHA] }',
      { code: 'wrong-value', at: '1:33', says: /SHA-256/ },
    ],
    ['no digest at all', 'sip: { digest_algorithms: [] }', { code: 'wrong-value', at: '1:27' }],
    ['a prompt of two kinds', 'prompts: { a: { text: b, file: jingle.wav } }', { code: 'wrong-keys', at: '1:12' }],
    ['a prompt without its file', 'prompts: { a: { file: nothing.wav } }', { code: 'missing-file', at: '1:23' }],
    [
      'a language that is none',
      'prompts: { a: { languages: { e: { text: b } } } }',
      { code: 'wrong-name', at: '1:30' },
    ],
    ['a log level that is none', 'log: { level: loud }', { code: 'wrong-value', at: '1:15', says: /debug, info/ }],
    [
      'a schedule with a wrong day',
      'schedules: { a: { open: [{ days: [monday], from: "09:00", to: "17:00" }] } }',
      { code: 'wrong-value', at: '1:35', says: /mon/ },
    ],
    [
      'a TURN server that nobody may use',
      'video: { ice_servers: [{ urls: ["turn:turn.example"] }] }',
      { code: 'wrong-keys', at: '1:24', says: /needs credentials/, hint: /shared_secret/ },
    ],
    [
      'half credentials of a TURN server',
      'video: { ice_servers: [{ urls: ["turn:turn.example"], username: a }] }',
      { code: 'wrong-keys', at: '1:24', says: /`username` and `credential`/ },
    ],
    [
      'two ways to sign in to a TURN server',
      'video: { ice_servers: [{ urls: ["turn:turn.example"], username: a, credential: b, shared_secret: c }] }',
      { code: 'wrong-keys', at: '1:24', says: /exclude each other/ },
    ],
    [
      'an address that is not one of a TURN server',
      'video: { ice_servers: [{ urls: ["https://turn.example"] }] }',
      { code: 'wrong-value', at: '1:33', says: /turn:turn\.example:3478/ },
    ],
    ['a limit of nothing', 'limits: { calls: 0 }', { code: 'wrong-value', at: '1:18' }],
    ['a reserve of all', 'limits: { inbound_reserve_percent: 100 }', { code: 'wrong-value', at: '1:36' }],
    [
      'a project without a call',
      'projects: [{ app_id: shop, app_key: 0123456789abcdef, max_calls: 0 }]',
      { code: 'wrong-value', at: '1:66' },
    ],
    [
      'half a call per second',
      'projects: [{ app_id: shop, app_key: 0123456789abcdef, calls_per_second: 0.5 }]',
      { code: 'wrong-type', at: '1:73' },
    ],
    [
      'a word for the calls of a project',
      'projects: [{ app_id: shop, app_key: 0123456789abcdef, max_calls: many }]',
      { code: 'wrong-type', at: '1:66' },
    ],
    ['broadcasts that never dial', 'broadcasts: { calls_per_second: 0 }', { code: 'wrong-value', at: '1:33' }],
    ['a list', '- numbers', { code: 'wrong-type', at: '1:1' }],
    ['broken YAML', 'numbers: [', { code: 'yaml-syntax', at: '1:11' }],
    [
      'a route to nowhere',
      'sip: { routes: [{ prefix: "+1" }] }',
      { code: 'wrong-keys', at: '1:17', says: /one of uri, gateways/ },
    ],
    [
      'a registration of nobody',
      'sip: { routes: [{ uri: "sip:x", register: true }] }',
      { code: 'wrong-keys', at: '1:43', says: /requires `username`/ },
    ],
    ['a network that is none', 'sip: { accept_from: [192.0.2.0/33] }', { code: 'wrong-value', at: '1:22' }],
    [
      'a host as a network',
      'sip: { accept_from: [example.com] }',
      { code: 'wrong-value', at: '1:22', says: /not a network in CIDR notation/ },
    ],
    [
      'a certificate that is not there',
      'sip: { tls: { cert: none.pem, key: none.key } }',
      { code: 'missing-file', at: '1:21' },
    ],
    ['half a certificate', 'sip: { tls: { cert: none.pem } }', { code: 'missing-key', at: '1:8' }],
    [
      'a SIP header with a space that is to be read',
      'sip: { headers: { read: [X Customer] } }',
      { code: 'wrong-value', at: '1:26', says: /not the name of a SIP header/, hint: /X-Customer/ },
    ],
    [
      'credentials that are to be read',
      'sip: { headers: { read: [Authorization] } }',
      { code: 'wrong-value', at: '1:26', says: /contains credentials/ },
    ],
    [
      'a SIP header of a route that is another',
      'sip: { routes: [{ uri: "sip:a", headers: { X-A: "1\\r\\nX-B: 2" } }] }',
      { code: 'wrong-value', at: '1:49', says: /the value of X-A has a line break/ },
    ],
    [
      'a SIP header of a route that the stack writes',
      'sip: { routes: [{ uri: "sip:a", headers: { Contact: x } }] }',
      { code: 'wrong-value', at: '1:53', says: /written by the SIP stack/ },
    ],
    ['SRTP by half', 'sip: { srtp: sometimes }', { code: 'wrong-value', at: '1:14' }],
    [
      'a refusal that is none',
      'sip: { routes: [{ uri: "sip:x", failover_on: [200] }] }',
      { code: 'wrong-value', at: '1:47' },
    ],
    ['an unquoted yes', 'sip: { tcp: yes }', { code: 'yaml-word', at: '1:13', hint: /true \/ false/ }],
  ])('is rejected with the code and position of the mistake: %s', (_what, text, { code, at, says, hint }) => {
    const { config, diagnostics } = read(text);
    expect(config).toBeUndefined();
    const [first] = diagnostics;
    expect(first).toMatchObject({ severity: 'error', code, file });
    expect(`${first?.line}:${first?.column}`).toBe(at);
    if (says) expect(first?.message).toMatch(says);
    if (hint) expect(first?.hint).toMatch(hint);
  });

  it('tells all mistakes at once', () => {
    expect(read('http: { port: -1 }\nsip: { prot: 1 }\nlog: { level: x }').diagnostics).toHaveLength(3);
    expect(
      read('secrets: { a: { env: A }, b: { env: B } }\nnumbers: [{ number: "1", input: {} }]').diagnostics,
    ).toHaveLength(3);
  });

  it('never shows a secret', () => {
    const { diagnostics } = read('projects: [{ app_id: a, app_key: hush-hush }]');
    expect(JSON.stringify(diagnostics)).not.toContain('hush');
  });
});

describe('a configuration that is right', () => {
  it('comes out complete and frozen', () => {
    const { config, diagnostics } = read('');
    expect(diagnostics).toEqual([]);
    expect(config).toMatchObject({
      dataDirectory: join(directory, 'data'),
      flowsDirectory: join(directory, 'flows'),
      flowsOptional: true,
      http: { host: '127.0.0.1', port: 8080 },
      sip: { host: '127.0.0.1', port: 5060, tcp: true, users: [], digestAlgorithms: ['MD5'], routes: [] },
      webhooks: { allowPrivate: 'loopback', isChosen: false },
      limits: { requestsPerSecond: 50, requestBurst: 100, calls: 400, inboundReservePercent: 10 },
      numbers: [],
    });
    expect(config!.broadcasts).toEqual({
      ...{ callsPerSecond: 50, maxConcurrent: 320, numbers: 100_000 },
      ...{ projectCallsPerSecond: 10, projectMaxConcurrent: 100, projectBroadcasts: 500 },
    });
    expect(() => {
      (config as unknown as { http: { port: number } }).http.port = 1;
    }).toThrow(TypeError);
  });

  it('leaves callers a fifth of the calls unless it says how many broadcasts may have', () => {
    const most = (text: string) => read(text).config!.broadcasts.maxConcurrent;
    expect(['limits: { calls: 1 }', 'limits: { calls: 1000 }'].map(most)).toEqual([1, 800]);
    const { config } = read(
      'broadcasts: { calls_per_second: 0.5, max_concurrent: 7, max_numbers: 9, project: { calls_per_second: 2, max_concurrent: 3, max_broadcasts: 4 } }',
    );
    expect(config!.broadcasts).toEqual({
      ...{ callsPerSecond: 0.5, maxConcurrent: 7, numbers: 9 },
      ...{ projectCallsPerSecond: 2, projectMaxConcurrent: 3, projectBroadcasts: 4 },
    });
  });

  it.each([
    ['', ['127.0.0.1', 'localhost']],
    ['sip: { host: 127.0.0.7 }', ['127.0.0.1', 'localhost', '127.0.0.7']],
    ['sip: { allow_sip_uris: [] }', []],
    ['sip: { allow_sip_uris: [PBX.example] }', ['pbx.example']],
    ['sip: { host: 192.0.2.10 }', []],
    ['sip: { advertised_host: pbx.example }', []],
    ['sip: { routes: [{ uri: "sip:carrier.example" }] }', []],
  ])('%o lets SIP URIs be called at %j', (text, hosts) => {
    expect(read(text).config?.sip.allowSipUris).toEqual(hosts);
  });

  it.each([
    ['[SHA-256]', ['SHA-256']],
    ['[SHA-256, MD5]', ['SHA-256', 'MD5']],
  ])('challenges users by %s', (text, algorithms) => {
    expect(read(`sip: { digest_algorithms: ${text} }`).config?.sip.digestAlgorithms).toEqual(algorithms);
  });

  it('knows carriers of several gateways, certificates and networks', () => {
    const { config, diagnostics } = read(`
sip:
  tls: { cert: jingle.wav, key: key.txt, ca: jingle.wav, client_ca: key.txt, verify_client: required }
  srtp: optional
  users: [{ name: alice, password: pw, srtp: "off" }]
  accept_from: [192.0.2.0/24, "2001:db8::1"]
  limits: { invites_per_second: 5, drop_scanners: false, calls: 7, unanswered_calls: 3, silence: 90s }
  routes:
    - prefix: "+49"
      gateways: ["sip:a.example", "sips:b.example:5062"]
      username: me
      password: pw
      transport: tls
      register: true
      failover_on: [503, 4xx]
      try_timeout: 4s
      calls_per_second: 2.5
      max_calls: 30
      strip: 1
      add: "00"
      from_domain: Trunk.example
      from_user: me
      country: "49"
      identity: ppi
      keepalive: 1m
      srtp: required
      tls: { cert: jingle.wav, key: key.txt }
    - { uri: "sip:c.example" }
`);
    expect(diagnostics).toEqual([]);
    const [jingle, key] = [join(directory, 'jingle.wav'), join(directory, 'key.txt')];
    expect(config?.sip).toMatchObject({
      tls: {
        ...{ port: 5061, cert: jingle, key, ca: jingle, clientCa: key, verifyClient: 'required' },
        clients: ['a.example', 'b.example'].map((host) => ({ host, cert: jingle, key })),
      },
      srtp: 'optional',
      users: [{ name: 'alice', password: 'pw', srtp: 'off' }],
      acceptFrom: ['192.0.2.0/24', '2001:db8::1'],
      limits: { invitesPerSecond: 5, dropScanners: false, calls: 7, unansweredCalls: 3, silenceMs: 90_000 },
      routes: [
        {
          prefix: '+49',
          gateways: ['sip:a.example', 'sips:b.example:5062'],
          transport: 'tls',
          register: true,
          failoverOn: [503, '4xx'],
          tryTimeoutMs: 4_000,
          callsPerSecond: 2.5,
          maxCalls: 30,
          strip: 1,
          add: '00',
          fromDomain: 'Trunk.example',
          fromUser: 'me',
          country: '49',
          identity: 'ppi',
          keepaliveMs: 60_000,
          srtp: 'required',
        },
        { prefix: '', gateways: ['sip:c.example'] },
      ],
    });
  });

  it('takes secrets from the environment and from files, and values as they are', () => {
    const { config } = read(
      'secrets: { a: { env: TOKEN }, b: { file: key.txt }, c: plain }\nenv: { region: { env: REGION }, size: 3, live: true }',
      { TOKEN: 't0ken', REGION: 'eu' },
    );
    expect(config?.secrets).toEqual({ a: 't0ken', b: 'a-key-from-a-file-1', c: 'plain' });
    expect(config?.env).toEqual({ region: 'eu', size: 3, live: true });
  });

  it('knows prompts as text, file and by language, and greetings by their names', () => {
    const { config } = read(`
prompts:
  a: Good morning
  b: { file: jingle.wav }
  c: { languages: { en-US: { text: Bye, voice: male }, fr: { file: jingle.wav } } }
numbers:
  - { number: "1", greeting: a }
  - { number: "2", greeting: b }
  - { number: "3", greeting: Welcome everybody }
  - { number: "4", greeting: [{ silence: 1s }, { text: Hi }], greeting_heard: after_connect }
  - { number: "5", flow: welcome-menu, outbound_greeting: b }
`);
    const jingle = join(directory, 'jingle.wav');
    expect(config?.prompts).toEqual({
      a: { default: { text: 'Good morning' } },
      b: { default: { file: jingle } },
      c: { 'en-US': { text: 'Bye', voice: 'male', language: 'en-US' }, fr: { file: jingle, language: 'fr' } },
    });
    expect(config?.numbers.map(({ greeting }) => greeting)).toEqual([
      { text: 'Good morning' },
      { audio: jingle },
      { text: 'Welcome everybody' },
      [{ silence: '1s' }, { text: 'Hi' }],
      undefined,
    ]);
    expect(config?.numbers[3]).toMatchObject({ greetingHeard: 'after_connect' });
    expect(config?.numbers[4]).toMatchObject({ outboundGreeting: { audio: jingle } });
  });

  it('is found by its name, by the environment, or is the demo', () => {
    writeFileSync(file, 'http: { port: 1234 }');
    expect(readConfig({ directory, environment: {} }).config?.http.port).toBe(1234);
    writeFileSync(join(directory, 'other.yaml'), 'http: { port: 4321 }');
    expect(readConfig({ directory, environment: { CALLWEAVE_CONFIG: 'other.yaml' } }).config?.http.port).toBe(4321);
    expect(readConfig({ directory, file: 'none.yaml', environment: {} }).diagnostics).toMatchObject([
      { code: 'unreadable', hint: expect.stringContaining('--config') },
    ]);
    const fresh = mkdtempSync(join(tmpdir(), 'callweave-fresh-'));
    const { config } = readConfig({ directory: fresh, environment: {} });
    expect(config).toMatchObject({
      numbers: [{ number: '1000', flow: 'welcome-menu' }],
      dataDirectory: join(fresh, 'data'),
    });
    expect(config?.file).toBeUndefined();
  });
});

it('keeps settings of projects, rooms and the public URL as written', () => {
  const { config, diagnostics } = read(`
http: { public_url: "https://voice.example/base/" }
projects:
  - { app_id: shop, app_key: 0123456789abcdef, webhook_format: encrypted, strict_bridge_state: false, cli_policy: any, max_calls: 9, calls_per_second: 3 }
  - { app_id: plain, app_key: 0123456789abcdef }
rooms:
  - { room_id: board, name: The Board, pin: { file: key.txt }, project: shop }
  - { room_id: lobby }
`);
  expect(diagnostics).toEqual([]);
  expect(config?.http.publicUrl).toBe('https://voice.example/base');
  expect(config?.projects).toMatchObject([
    {
      projectId: 'shop',
      webhookFormat: 'encrypted',
      strictBridgeState: false,
      cliPolicy: 'any',
      maxCalls: 9,
      callsPerSecond: 3,
    },
    { projectId: 'plain' },
  ]);
  expect(config?.projects[1]).not.toHaveProperty('webhookFormat');
  expect(config?.rooms).toEqual([
    { roomId: 'board', name: 'The Board', pin: 'a-key-from-a-file-1', projectId: 'shop' },
    { roomId: 'lobby', name: 'lobby' },
  ]);
});

it.each([
  ['', 'loopback'],
  ['http: { host: "0.0.0.0" }', 'none'],
  ['sip: { host: 192.0.2.1 }', 'none'],
  ['sip: { routes: [{ uri: "sip:carrier.example" }] }', 'none'],
  ['http: { host: "0.0.0.0" }\nwebhooks: { allow_private: all }', 'all'],
  ['webhooks: { allow_private: none }', 'none'],
])('sets allow_private to none beyond loopback, and with SIP routes: %s', (text, allowPrivate) => {
  expect(read(text).config?.webhooks.allowPrivate).toBe(allowPrivate);
});
