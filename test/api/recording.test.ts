/** Recordings by REST: started, stopped, reported, and downloaded. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OTHER } from './rig.ts';
import { bridged, connected, openRig } from './rigs.ts';
import { recorded, SOUND } from './sound-files.ts';

const PATH = '/voice/v1/recording';

describe('PUT /voice/v1/call/{voice_id}/recording', () => {
  it('PUT /recording: records a bridged call until it is stopped, and reports both by events', async () => {
    const { rig, call } = await bridged();
    const started = await rig.request('PUT', `/voice/v1/call/${call}/recording`, {
      start: true,
      recording_name: 'talk',
    });
    expect(started.status).toBe(200);
    expect(started.body).toMatchObject({
      voice_id: call,
      status: 'success',
      state: 'success',
      recording_id: expect.any(String),
      msg: '',
      from: '1000',
      to: '2000',
    });
    await rig.pass(5000);
    const stopped = await rig.request('PUT', `/voice/v1/call/${call}/recording`, { stop: true });
    expect(stopped.body).toMatchObject({ status: 'success', recording_id: started.body['recording_id'] });
    await rig.pass(100);
    const common = { voice_id: call, recording_id: started.body['recording_id'], recording_name: 'talk' };
    expect(rig.events()).toMatchObject([
      { ...common, state: 'started', description: '' },
      {
        ...common,
        state: 'completed',
        recording_url: `${rig.base}${PATH}/${started.body['recording_id']}`,
        recording_duration: 5,
      },
    ]);
  });

  it('PUT /recording: starts with an empty body', async () => {
    const { rig, call } = await bridged();
    const headers = { 'content-type': 'application/json' };
    expect((await rig.request('PUT', `/voice/v1/call/${call}/recording`, '', { headers })).status).toBe(200);
    await rig.pass(100);
    expect(rig.eventNames()).toEqual(['started']);
  });

  it('PUT /recording: pauses and resumes the recording', async () => {
    const { rig, call } = await bridged();
    await rig.request('PUT', `/voice/v1/call/${call}/recording`, {});
    for (const pause of [true, false]) {
      const { status } = await rig.request('PUT', `/voice/v1/call/${call}/recording`, { pause });
      expect(status).toBe(200);
    }
    await rig.pass(100);
    expect(rig.eventNames()).toEqual(['started', 'paused', 'resumed']);
  });

  it('PUT /recording: completes an active recording before disconnected, which names it too', async () => {
    const { rig, call } = await bridged();
    const { body } = await rig.request('PUT', `/voice/v1/call/${call}/recording`, {});
    await rig.pass(3000);
    await rig.request('DELETE', `/voice/v1/call/${call}`);
    await rig.pass(1000);
    expect(rig.eventNames()).toEqual(['started', 'completed', 'bridge_disconnected', 'disconnected']);
    expect(rig.events().at(-1)).toMatchObject({
      recording_url: `${rig.base}${PATH}/${body['recording_id']}`,
      recording_duration: 3,
    });
  });

  it('PUT /recording: ends a recording started on a bridge with the bridge, and reports both by events', async () => {
    const { rig, call } = await bridged();
    const { body } = await rig.request('PUT', `/voice/v1/call/${call}/recording`, {});
    await rig.request('PUT', `/voice/v1/call/${call}/stream`, { stream_dest: 'ws://127.0.0.1:9000/sound' });
    await rig.pass(3000);
    rig.farEnd('4000').hangUp();
    await rig.pass(1000);
    expect(rig.eventNames()).toEqual([
      'started',
      'stream_initiated',
      'stream_started',
      'bridge_disconnected',
      'completed',
      'stream_stopped',
    ]);
    expect(rig.events()[4]).toMatchObject({ recording_id: body['recording_id'], recording_duration: 3 });
    // The call continues, and may be recorded again on its next bridge.
    await rig.request('PUT', `/voice/v1/call/${call}/connect`, { from: '1000', to: '4001' });
    await rig.pass(2000);
    expect((await rig.request('PUT', `/voice/v1/call/${call}/recording`, {})).status).toBe(200);
  });

  it.each([
    ['transfer', { from: '1000', transfer_to: '4001' }],
    ['forward', { from: '1000', to: '4001' }],
  ])('PUT /recording: continues a recording of a bridge across a %s', async (route, order) => {
    const { rig, call } = await bridged();
    await rig.request('PUT', `/voice/v1/call/${call}/recording`, {});
    await rig.request('PUT', `/voice/v1/call/${call}/${route}`, order);
    await rig.pass(4000);
    expect(rig.farEnd('4001').state).toBe('connected');
    expect(rig.eventNames()).not.toContain('completed');
    rig.farEnd('4001').hangUp();
    await rig.pass(1000);
    expect(rig.eventNames().slice(-2)).toEqual(['bridge_disconnected', 'completed']);
  });

  it.each([
    ['auto_record', {}, { auto_record: true }],
    [
      'strict_bridge_state false',
      { projects: 'projects: [{ app_id: shop, app_key: key-of-the-shop-0001, strict_bridge_state: false }]\n' },
      {},
    ],
  ])(
    'PUT /recording: keeps one of %s beyond the bridge, to be paused and stopped later',
    async (what, options, more) => {
      const { rig, call } = await bridged(
        { config: 'numbers: [{ number: "1000", webhook: HOOK }]\n', ...options },
        more,
      );
      if (what !== 'auto_record') await rig.request('PUT', `/voice/v1/call/${call}/recording`, {});
      rig.farEnd('4000').hangUp();
      await rig.pass(1000);
      expect(rig.eventNames().at(-1)).toBe('bridge_disconnected');
      rig.received.length = 0;
      for (const order of [{ pause: true }, { pause: false }, { stop: true }]) {
        expect((await rig.request('PUT', `/voice/v1/call/${call}/recording`, order)).status).toBe(200);
      }
      await rig.pass(100);
      expect(rig.eventNames()).toEqual(['paused', 'resumed', 'completed']);
      const again = await rig.request('PUT', `/voice/v1/call/${call}/recording`, { stop: true });
      expect([again.status, again.body['msg']]).toEqual([409, 'the call is not being recorded']);
    },
  );

  it.each<[string, string, string, object]>([
    ['a prompt', 'PUT', 'play', { text: 'Hello there, this is rather long' }],
    ['hold', 'POST', 'hold', { hold: true }],
    ['the ringing of a bridge', 'PUT', 'connect', { from: '1000', to: '4000' }],
  ])('PUT /recording: is stopped during %s', async (_what, method, route, order) => {
    const { rig, call } = await connected({}, { auto_record: true });
    expect((await rig.request(method, `/voice/v1/call/${call}/${route}`, order)).status).toBe(200);
    expect((await rig.request('PUT', `/voice/v1/call/${call}/recording`, { stop: true })).status).toBe(200);
    await rig.pass(100);
    expect(rig.eventNames()).toContain('completed');
  });

  it('PUT /recording: returns 408/408 while the call is already recorded', async () => {
    const { rig, call } = await bridged();
    await rig.request('PUT', `/voice/v1/call/${call}/recording`, {});
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/recording`, {});
    expect([status, body['result'], body['state']]).toEqual([408, 408, 'failed']);
  });

  it('PUT /recording: returns 409/409 on a call that is not bridged', async () => {
    const { rig, call } = await connected();
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/recording`, {});
    expect([status, body['result'], body['msg']]).toEqual([409, 409, 'the call is not bridged']);
  });

  it('PUT /recording: records a call that is not bridged with strict_bridge_state false', async () => {
    const projects = 'projects: [{ app_id: shop, app_key: key-of-the-shop-0001, strict_bridge_state: false }]\n';
    const { rig, call } = await connected({ projects, config: 'numbers: [{ number: "1000" }]\n' });
    expect((await rig.request('PUT', `/voice/v1/call/${call}/recording`, {})).status).toBe(200);
    await rig.pass(100);
    expect(rig.eventNames()).toEqual(['started']);
  });

  it('PUT /recording: returns 409 for a name that exists in the same project', async () => {
    const { rig, call } = await recorded({ recording_name: 'once' });
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/recording`, { recording_name: 'once' });
    expect([status, body['result'], body['msg']]).toEqual([409, 409, 'another recording has this name']);
    expect((await rig.request('PUT', `/voice/v1/call/${call}/recording`, { recording_name: 'twice' })).status).toBe(
      200,
    );
  });

  it('PUT /recording: returns 500/6119 if it cannot be started', async () => {
    const { rig, call } = await bridged();
    rig.store.recordings.add = () => {
      throw new Error('the disk is full');
    };
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/recording`, {});
    expect([status, body['result']]).toEqual([500, 6119]);
    const complaints = rig.logLines.filter(({ level }) => level === 'error');
    expect(complaints.map(({ message }) => message)).toEqual(['recording.not_kept']);
    rig.logLines.splice(0);
  });

  it('PUT /recording: returns 500/6119 if its file cannot be opened, and frees its name', async () => {
    const { rig, call } = await bridged();
    const folder = join(rig.directory, 'data', 'recordings');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(dirname(folder), { recursive: true });
    writeFileSync(folder, 'no folder');
    const order = { start: true, recording_name: 'talk' };
    const refused = await rig.request('PUT', `/voice/v1/call/${call}/recording`, order);
    expect([refused.status, refused.body['result'], refused.body['state']]).toEqual([500, 6119, 'failed']);
    expect(rig.logLines.splice(0).filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'recording.not_opened' },
    ]);
    await rig.pass(100);
    expect(rig.received).toEqual([]);
    rmSync(folder);
    const started = await rig.request('PUT', `/voice/v1/call/${call}/recording`, order);
    expect(started.status).toBe(200);
    const file = join(folder, `${started.body['recording_id']}.wav`);
    expect(readFileSync(file).subarray(0, 4).toString()).toBe('RIFF');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each<[string, object, number]>([
    ['stopping what is not recorded', { stop: true }, 409],
    ['start and stop', { start: true, stop: true }, 400],
    ['neither', { start: false, stop: false }, 400],
    ['a name with a slash', { recording_name: '../../etc/passwd' }, 400],
    ['a start that is none', { start: 'perhaps' }, 400],
  ])('PUT /recording: %s is refused', async (_what, body, status) => {
    const { rig, call } = await bridged();
    expect((await rig.request('PUT', `/voice/v1/call/${call}/recording`, body)).status).toBe(status);
    await rig.pass(100);
    expect(rig.received).toEqual([]);
  });
});

describe('auto_record', () => {
  it('auto_record: records the call from the answer on, bridged or not, whatever it does', async () => {
    const rig = await openRig();
    const call = await rig.dial({ auto_record: true, action_on_connect: { play: { text: 'Hello there' } } });
    await rig.pass(4000);
    await rig.request('DELETE', `/voice/v1/call/${call}`);
    await rig.pass(1000);
    expect(rig.eventNames()).toEqual(['ringing', 'connected', 'started', 'playfinished', 'completed', 'disconnected']);
    expect(rig.events().at(-1)).toMatchObject({ recording_duration: 3, recording_url: expect.any(String) });
  });

  it('auto_record: records nothing of a call that is not answered', async () => {
    const rig = await openRig({ callee: { does: 'busy' } });
    await rig.dial({ auto_record: true });
    await rig.pass(4000);
    expect(rig.eventNames()).toEqual(['disconnected']);
  });
});

describe('GET /voice/v1/recording/{recording_id}', () => {
  it.each([PATH, `${PATH}/shop`])('GET %s/{recording_id}: returns the audio file', async (path) => {
    const { rig, id } = await recorded({ recording_name: 'my talk' });
    const { status, headers, text } = await rig.request('GET', `${path}/${id}`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('audio/wav');
    expect(headers.get('content-length')).toBe('1000');
    expect(headers.get('content-disposition')).toBe('attachment; filename="my talk.wav"');
    expect(headers.get('accept-ranges')).toBe('bytes');
    expect(headers.get('etag')).toMatch(/".+"/);
    expect(text).toHaveLength(SOUND.toString().length);
  });

  it('GET /recording: returns a range of it', async () => {
    const { rig, id } = await recorded();
    const part = await rig.request('GET', `${PATH}/${id}`, undefined, { headers: { range: 'bytes=10-19' } });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe('bytes 10-19/1000');
    expect(Buffer.from(part.text, 'latin1')).toEqual(SOUND.subarray(10, 20));
    const beyond = await rig.request('GET', `${PATH}/${id}`, undefined, { headers: { range: 'bytes=2000-' } });
    expect(beyond.status).toBe(416);
    expect(beyond.body).toMatchObject({ result: 416, state: 'failed' });
  });

  it('GET /recording: returns 304 if it has not changed', async () => {
    const { rig, id } = await recorded();
    const etag = (await rig.request('GET', `${PATH}/${id}`)).headers.get('etag')!;
    // `fetch` would ask for a fresh one.
    const headers = { 'if-none-match': etag, 'cache-control': 'max-age=0' };
    expect((await rig.request('GET', `${PATH}/${id}`, undefined, { headers })).status).toBe(304);
  });

  it('HEAD /recording: returns the length of the file', async () => {
    const { rig, id } = await recorded();
    const { status, headers } = await rig.request('HEAD', `${PATH}/${id}`);
    expect([status, headers.get('content-length')]).toEqual([200, '1000']);
  });

  it('GET /recording: returns 404/404 for another project, as for an unknown recording', async () => {
    const { rig, id } = await recorded();
    const theirs = await rig.request('GET', `${PATH}/${id}`, undefined, { as: OTHER });
    const nobodys = await rig.request('GET', `${PATH}/no-such-recording`, undefined, { as: OTHER });
    expect([theirs.status, theirs.body['result'], theirs.body['msg']]).toEqual([
      404,
      404,
      'there is no such recording',
    ]);
    expect(theirs.body).toEqual(nobodys.body);
    expect((await rig.request('GET', `${PATH}/${id}`, undefined, { as: false })).status).toBe(401);
  });

  it('GET /recording: returns 404/404 during the recording, and if its file is missing', async () => {
    const { rig, call, id, file } = await recorded();
    const { body } = await rig.request('PUT', `/voice/v1/call/${call}/recording`, {});
    expect((await rig.request('GET', `${PATH}/${body['recording_id']}`)).status).toBe(404);
    rmSync(file);
    const gone = await rig.request('GET', `${PATH}/${id}`);
    expect([gone.status, gone.body['result']]).toEqual([404, 404]);
    expect(gone.headers.get('content-disposition')).toBeNull();
  });

  it.each(['..%2f..%2fcallweave.yaml', '%2e%2e', 'x%00.wav', '%2fetc%2fpasswd'])(
    'GET /recording: refuses the path traversal %s',
    async (id) => {
      const { rig } = await connected();
      expect((await rig.request('GET', `${PATH}/${id}`)).status).toBe(404);
    },
  );

  it('http.public_url: is the base of recording URLs', async () => {
    const config = 'numbers: [{ number: "1000" }]\n';
    const { rig, call } = await bridged({ config, http: 'public_url: "https://voice.example/api/"' });
    const { body } = await rig.request('PUT', `/voice/v1/call/${call}/recording`, {});
    await rig.pass(1000);
    await rig.request('DELETE', `/voice/v1/call/${call}`);
    await rig.pass(1000);
    const url = `https://voice.example/api${PATH}/${body['recording_id']}`;
    expect(rig.events().at(-1)).toMatchObject({ state: 'disconnected', recording_url: url });
    const list = await rig.request('GET', '/voice/v1/call');
    expect(list.body['calls']).toMatchObject([{ recordings: [{ recording_url: url }] }]);
  });
});
