/** Archives of sessions: when one is created, its contents, and what happens to it when the service ends. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import type { Archive } from '../../src/media/rooms/archive/archive.ts';
import { Archives } from '../../src/media/rooms/archive/archives.ts';
import { enterByPhone } from '../../src/media/rooms/phones.ts';
import { type EngineEvent, PHONES } from '../../src/media/rooms/sfu.ts';
import { roomRig } from './room-fixtures.ts';

const DAY_MS = 86_400_000;

function archiveRig() {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-archives-'));
  const reported: { type: string; archive: Archive }[] = [];
  const removed: string[] = [];
  const closed: Archive[] = [];
  const make = (
    parts: Pick<ConstructorParameters<typeof Archives>[0], 'clock' | 'ids'> & { store: { archives: object } },
  ) =>
    new Archives({
      ...{ clock: parts.clock, ids: parts.ids, log: silentLog, directory },
      store: parts.store.archives as ConstructorParameters<typeof Archives>[0]['store'],
      report: (archive, { type }) => void reported.push({ type, archive }),
      work: () => ({ state: 'queued' }),
      closed: (archive) => void closed.push(archive),
      removed: async (confNum) => void removed.push(confNum),
    });
  let archives!: Archives;
  let again!: () => Archives;
  const rig = roomRig({
    archivesOf(parts) {
      again = () => make(parts);
      archives = again();
      return archives;
    },
  });
  const list = () => archives.list({ projectId: 'shop', limit: 10 }).archives;
  return {
    ...rig,
    ...{ directory, reported, removed, closed, archives, again, list },
    confNum: () => rig.told.at(-1)!.confNum,
    engineSays: (event: EngineEvent) => rig.engine.report(rig.told.at(-1)!.confNum, event),
    untilClosed: async () => expect.poll(() => list().length).toBeGreaterThan(0),
    read: (confNum: string, file: string) =>
      JSON.parse(readFileSync(join(directory, confNum, file), 'utf8')) as Record<string, JsonObject[]>,
    /** As the engine does. */
    write(confNum: string, file: string) {
      mkdirSync(join(directory, confNum), { recursive: true });
      writeFileSync(join(directory, confNum, file), 'webm');
    },
  };
}

const file = (participant: string, name = `${participant}.webm`) => ({
  participant,
  kind: 'camera' as const,
  file: name,
});

describe('an archive', () => {
  it('has the captions that the room keeps, in its timeline', async () => {
    const rig = archiveRig();
    const room = rig.room();
    const ada = rig.join(room, 'moderator', 'Ada');
    const session = rig.sessions.find('shop', room.roomId)!;
    const participant = session.find(ada.id)!;
    rig.archives.record(session, { type: 'caption', participant, text: 'good morning', atMs: rig.clock.now() });
    ada.say({ type: 'leave' });
    await rig.clock.advance(5000);
    await rig.untilClosed();
    const { events } = rig.read(session.confNum, 'metadata.json');
    expect(events).toContainEqual(expect.objectContaining({ type: 'caption', name: 'Ada', text: 'good morning' }));
  });

  it('is found by its chat while its files are completed', async () => {
    const { archives, directory } = archiveRig();
    const folder = join(directory, 's1');
    mkdirSync(folder);
    writeFileSync(join(folder, 'session.jsonl'), '{"type":"chat","text":"hello"}\n');
    const complete = (text: string): boolean => {
      writeFileSync(join(folder, 'chat.json'), '{"chat":[{"text":"hello"}]}');
      rmSync(join(folder, 'session.jsonl'), { force: true });
      return text.includes('hello');
    };
    expect(await archives.says('s1', complete)).toBe(true);
    expect(await archives.says('s1', (text) => text.includes('hello'))).toBe(true);
    expect(await archives.says('s1', (text) => text.includes('bye'))).toBe(false);
  });

  it('is not created without a recording or a public chat message', async () => {
    const rig = archiveRig();
    const place = rig.room();
    const [ada, ben] = [rig.join(place, 'moderator'), rig.join(place)];
    ada.say({ type: 'chat', text: 'only for you', to: ben.id });
    for (const one of [ada, ben]) one.say({ type: 'leave' });
    await rig.clock.advance(10_000);
    expect([rig.list(), readdirSync(rig.directory)]).toEqual([[], []]);
  });

  it('has recordings, chat and timeline of its session, for its own project only', async () => {
    const rig = archiveRig();
    const place = rig.room();
    const ada = rig.join(place, 'moderator', 'Ada');
    const confNum = rig.confNum();
    const ben = rig.join(place, 'participant', 'Ben');
    ada.say({ type: 'chat', text: 'hello <b>all</b>' });
    ben.say({ type: 'chat', text: 'private', to: ada.id });
    ada.say({ type: 'record', on: true });
    rig.engineSays({ type: 'published', participant: ada.id, source: 'screen', on: true });
    const began = { startedAtMs: rig.clock.now(), sources: ['audio', 'video'] as const };
    rig.engineSays({ type: 'recording_began', ...file(ada.id), ...began });
    rig.engineSays({ type: 'talking', participant: ada.id, on: true });
    rig.engineSays({ type: 'talking', participant: ada.id, on: false });
    await rig.clock.advance(5000);
    ada.say({ type: 'record', on: false });
    rig.engineSays({ type: 'recorded', ...file(ada.id), durationMs: 5000, pictures: [[0, 5000]] });
    expect(rig.list()).toEqual([]);
    ada.say({ type: 'end' });
    await rig.untilClosed();
    const [archive] = rig.list();
    expect(archive).toMatchObject({
      ...{ confNum, roomId: place.roomId, projectId: 'shop', state: 'work', chat: 'chat.json' },
      recordings: [{ file: `${ada.id}.webm`, durationMs: 5000, pictures: [[0, 5000]] }],
      transcoding: { state: 'queued' },
    });
    const chat = rig.read(confNum, 'chat.json')['chat'];
    expect(chat).toEqual([expect.objectContaining({ name: 'Ada', text: 'hello <b>all</b>', participant: ada.id })]);
    const events = rig.read(confNum, 'metadata.json')['events']!;
    expect(events.map(({ type }) => type)).toEqual([
      ...['joined', 'joined', 'recording', 'published', 'talking', 'talking', 'recording', 'left', 'left'],
    ]);
    expect(events[0]).toMatchObject({ name: 'Ada', role: 'moderator', phone: false });
    expect(readdirSync(join(rig.directory, confNum)).sort()).toEqual(['chat.json', 'metadata.json']);
    for (const name of ['chat.json', 'metadata.json']) {
      expect(statSync(join(rig.directory, confNum, name)).mode & 0o777).toBe(0o600);
    }
    expect(rig.reported.map(({ type }) => type)).toEqual(['recorded']);
  });

  it('lists the names of recorded participants, and the times of telephones', async () => {
    const rig = archiveRig();
    const place = rig.room();
    const ada = rig.join(place, 'moderator', 'Ada');
    ada.say({ type: 'record', on: true });
    const startedAtMs = rig.clock.now();
    const phone = { projectId: 'shop', roomId: place.roomId, name: '+33612345678', callId: 'call-7', legId: 'leg-7' };
    const ignore = () => undefined;
    const heard = {
      waits: ignore,
      isIn: ignore,
      counts: ignore,
      isMuted: ignore,
      hasHand: ignore,
      isRefused: ignore,
      isOut: ignore,
    };
    const [gone] = [enterByPhone(rig.sessions, phone, heard), enterByPhone(rig.sessions, phone, heard)];
    for (const each of [ada.id, PHONES]) {
      rig.engineSays({ type: 'recording_began', ...file(each), startedAtMs, sources: ['audio'] });
    }
    await rig.clock.advance(2000);
    gone.leave();
    for (const each of [ada.id, PHONES]) {
      rig.engineSays({ type: 'recorded', ...file(each), durationMs: 2000, pictures: [] });
    }
    await rig.clock.advance(1000);
    ada.say({ type: 'end' });
    await rig.untilClosed();
    const [{ recordings, phones } = expect.fail('there is none')] = rig.list();
    expect(recordings.map(({ participant, name }) => [participant, name])).toEqual([
      [ada.id, 'Ada'],
      [PHONES, undefined],
    ]);
    const times = phones!.map(({ name, fromMs, toMs }) => [name, fromMs - startedAtMs, toMs! - startedAtMs]);
    expect(times).toEqual([
      ['+33612345678', 0, 2000],
      ['+33612345678', 0, 3000],
    ]);
  });

  it('waits a limited time for unfinished files when the session ends', async () => {
    const rig = archiveRig();
    const ada = rig.join(rig.room(), 'moderator');
    ada.say({ type: 'record', on: true });
    for (const name of ['a', 'b'])
      rig.engineSays({ type: 'recording_began', ...file(name), startedAtMs: 1, sources: ['audio'] });
    ada.say({ type: 'end' });
    rig.engineSays({ type: 'recorded', ...file('a'), durationMs: 700, pictures: [] });
    await rig.clock.advance(4000);
    expect(rig.list()).toEqual([]);
    await rig.clock.advance(2000);
    await rig.untilClosed();
    expect(rig.list()[0]!.recordings.map(({ durationMs }) => durationMs)).toEqual([700, undefined]);
  });

  it('skips unfinished files of an engine that died, and continues the recording in new files', async () => {
    const rig = archiveRig();
    const ada = rig.join(rig.room(), 'moderator');
    ada.say({ type: 'record', on: true });
    for (const name of ['a', 'whole'])
      rig.engineSays({ type: 'recording_began', ...file(name), startedAtMs: 1, sources: ['audio'] });
    rig.engine.die();
    rig.engineSays({ type: 'recorded', ...file('whole'), durationMs: 300, pictures: [] });
    expect(rig.engine.commands.at(-1)!.command).toMatchObject({ type: 'record', on: true });
    rig.engineSays({ type: 'recording_began', ...file('b'), startedAtMs: 2, sources: ['audio'] });
    ada.say({ type: 'end' });
    rig.engineSays({ type: 'recorded', ...file('b'), durationMs: 700, pictures: [] });
    await rig.untilClosed();
    expect(rig.list()[0]!.recordings.map(({ durationMs, problem }) => durationMs ?? problem)).toEqual([
      ...['it was cut off', 300, 700],
    ]);
    expect(rig.list()[0]!.recordings[1]).not.toHaveProperty('problem');
  });

  it('resumes unfinished work after a restart', async () => {
    const rig = archiveRig();
    const ada = rig.join(rig.room(), 'moderator');
    ada.say({ type: 'record', on: true });
    rig.engineSays({ type: 'recording_began', ...file('a'), startedAtMs: 1, sources: ['audio'] });
    rig.engineSays({ type: 'recorded', ...file('a'), durationMs: 700, pictures: [] });
    ada.say({ type: 'end' });
    await rig.untilClosed();
    expect(rig.closed.map(({ state }) => state)).toEqual(['work']);
    await rig.again().recover();
    expect(rig.closed.map(({ state }) => state)).toEqual(['work', 'work']);
  });

  it('is not created if the engine cannot record, and moderators receive the reason', () => {
    const rig = archiveRig();
    rig.engine.capabilities.recording = false;
    const place = rig.room({ auto_recording: true });
    const ada = rig.join(place, 'moderator');
    rig.engineSays({ type: 'published', participant: ada.id, source: 'audio', on: true });
    ada.say({ type: 'record', on: true });
    expect(ada.last('error')).toEqual({ type: 'error', code: 'not_available', about: 'record' });
    expect(ada.of('recording')).toEqual([]);
  });

  it('is closed at once if a participant joins while the recording stops, and the session continues without it', async () => {
    const rig = archiveRig();
    const place = rig.room({ auto_recording: true });
    const ada = rig.join(place, 'moderator');
    rig.engineSays({ type: 'published', participant: ada.id, source: 'audio', on: true });
    rig.engineSays({ type: 'recording_began', ...file(ada.id), startedAtMs: 1, sources: ['audio'] });
    ada.say({ type: 'record', on: false });
    const ben = rig.join(place);
    rig.engineSays({ type: 'recorded', ...file(ada.id), durationMs: 100, pictures: [] });
    rig.engineSays({ type: 'published', participant: ben.id, source: 'audio', on: true });
    const recording = rig.engine.commands.flatMap(({ command }) => (command.type === 'record' ? [command.on] : []));
    expect(recording.at(-1)).toBe(false);
    ada.say({ type: 'end' });
    await rig.untilClosed();
    expect(rig.list()[0]!.recordings.length).toBe(1);
  });

  it('reports the failed recording once, and the session continues', async () => {
    const rig = archiveRig();
    const ada = rig.join(rig.room(), 'moderator');
    rig.engineSays({ type: 'talking', participant: ada.id, on: true });
    ada.say({ type: 'record', on: true });
    rig.engineSays({ type: 'recording_began', ...file(ada.id), startedAtMs: 1, sources: ['audio'] });
    rig.engineSays({ type: 'recording_failed', ...file(ada.id), why: 'ENOSPC' });
    expect(rig.reported.map(({ type }) => type)).toEqual(['recording_failed']);
    expect(ada.isClosed).toBe(false);
    ada.say({ type: 'end' });
    await rig.untilClosed();
    const [{ confNum, recordings }] = rig.list() as [Archive];
    expect(recordings).toMatchObject([{ problem: 'ENOSPC' }]);
    // The timeline includes participants who were talking when the recording began.
    const types = rig.read(confNum, 'metadata.json')['events']!.map(({ type }) => type);
    expect(types).toEqual(['joined', 'recording', 'talking', 'recording_failed', 'recording', 'left']);
  });

  it('is closed with what was written at the start after a crash', async () => {
    const rig = archiveRig();
    const ada = rig.join(rig.room(), 'moderator', 'Ada');
    const confNum = rig.confNum();
    ada.say({ type: 'chat', text: 'hello' });
    rig.engineSays({ type: 'recording_began', ...file(ada.id), startedAtMs: 1, sources: ['audio'] });
    const draft = join(rig.directory, confNum, 'session.jsonl');
    await expect.poll(() => existsSync(draft) && readFileSync(draft, 'utf8')).toContain('hello');
    writeFileSync(draft, `${readFileSync(draft, 'utf8')}{"type":"left","at`);
    const after = rig.again();
    await after.recover();
    expect(rig.list()).toMatchObject([
      { confNum, state: 'work', chat: 'chat.json', recordings: [{ participant: ada.id }] },
    ]);
    expect(rig.read(confNum, 'metadata.json')['events']!.map(({ type }) => type)).toEqual(['joined']);
    await after.recover();
    expect(rig.list().length).toBe(1);
  });

  it('is deleted with its files, and nothing else, after its retention time', async () => {
    const rig = archiveRig();
    const ada = rig.join(rig.room(), 'moderator');
    const confNum = rig.confNum();
    ada.say({ type: 'chat', text: 'hello' }).say({ type: 'end' });
    await rig.untilClosed();
    const closedMs = rig.list()[0]!.atMs;
    rig.write('another', 'kept.webm');
    expect(await rig.archives.forget(closedMs)).toBe(0);
    expect(await rig.archives.forget(closedMs + DAY_MS)).toBe(1);
    expect([rig.list(), readdirSync(rig.directory), rig.removed]).toEqual([[], ['another'], [confNum]]);
  });

  it('serves its own files to its project, and follows no links', async () => {
    const rig = archiveRig();
    const ada = rig.join(rig.room(), 'moderator');
    const confNum = rig.confNum();
    ada.say({ type: 'record', on: true });
    for (const name of ['a', 'linked'])
      rig.engineSays({ type: 'recording_began', ...file(name), startedAtMs: 1, sources: ['audio'] });
    rig.write(confNum, 'a.webm');
    rig.write(confNum, 'unnamed.webm');
    symlinkSync('/etc/hostname', join(rig.directory, confNum, 'linked.webm'));
    await expect(rig.archives.pathOf('shop', confNum, 'a.webm')).rejects.toThrow('no such file');
    ada.say({ type: 'end' });
    await rig.clock.advance(6000);
    await rig.untilClosed();
    expect(await rig.archives.pathOf('shop', confNum, 'a.webm')).toBe(join(rig.directory, confNum, 'a.webm'));
    for (const [project, name] of [
      ['other', 'a.webm'],
      ['shop', 'unnamed.webm'],
      ['shop', 'linked.webm'],
      ['shop', '../another/kept.webm'],
      ['shop', ''],
    ] as const) {
      await expect(rig.archives.pathOf(project, confNum, name)).rejects.toThrow('no such file');
    }
  });
});
