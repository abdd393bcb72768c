/** Recordings of rooms: the contents of the files under all events during the recording. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, statSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MediaSession } from '../../../src/media/rooms/embedded/media-session.ts';
import { libopus } from '../../../src/media/rooms/embedded/opus.ts';
import { type EngineEvent, PHONES } from '../../../src/media/rooms/sfu.ts';
import { FRAME_SAMPLES } from '../../../src/media/toolbox/audio/sample-rate.ts';
import { VirtualClock } from '../../../src/proof/testkit/virtual-clock.ts';
import { program } from '../../programs.ts';
import { longestGap, readWebm } from './read-webm.ts';
import { recordingRig } from './recording-rig.ts';

const ffprobe = program('ffprobe');
const PACKET = 'packet=stream_index,pts_time';
interface Probed {
  format: { duration: string };
  streams: object[];
  packets: { stream_index: number; pts_time: string }[];
}

describe('a recording', () => {
  it('has microphone and camera in one file of their full duration, and the screen in its own', async () => {
    const { clock, recorder, publish, record, of, pathOf } = recordingRig();
    const sources = [publish('ada', 'audio'), publish('ada', 'video'), publish('ada', 'screen')];
    record({ ada: ['audio', 'video', 'screen'] });
    const beganMs = clock.now();
    await clock.advance(9990);
    for (const source of sources) source.stop();
    await clock.advance(1000);
    await recorder.stop();
    const files = of('recorded');
    expect(files.map(({ kind }) => kind).sort()).toEqual(['camera', 'screen']);
    const { tracks, durationMs } = readWebm(pathOf(files.find(({ kind }) => kind === 'camera')!.file));
    expect(tracks).toMatchObject({ audio: { codec: 'A_OPUS' }, video: { codec: 'V_VP8' } });
    expect(tracks['audio']!.timesMs.length).toBe(500);
    expect(tracks['video']!.timesMs.length).toBe(250);
    expect(Math.abs(durationMs! - 10_000)).toBeLessThan(60);
    const screen = readWebm(pathOf(files.find(({ kind }) => kind === 'screen')!.file));
    expect(Object.keys(screen.tracks)).toEqual(['video']);
    const began = of('recording_began').map(({ startedAtMs }) => startedAtMs - beganMs);
    for (const ms of began) expect(ms).toBeLessThan(30);
  });

  it('is readable for its owner only', async () => {
    const { clock, recorder, publish, record, directory } = recordingRig();
    publish('ada', 'audio');
    record({ ada: ['audio'] });
    await clock.advance(2000);
    await recorder.stop();
    const [file] = readdirSync(directory);
    expect(statSync(`${directory}/${file}`).mode & 0o777).toBe(0o600);
  });

  it('synchronises lips by the clock of the sender, however late video arrives', async () => {
    const { clock, recorder, publish, record, of, pathOf } = recordingRig();
    const audio = publish('ada', 'audio');
    const video = publish('ada', 'video');
    video.delayMs = 97;
    await clock.advance(200);
    audio.report();
    video.report();
    record({ ada: ['audio', 'video'] });
    await clock.advance(5000);
    await recorder.stop();
    const { tracks } = readWebm(pathOf(of('recorded')[0]!.file));
    // Sound is made every 20 ms, a picture every 40, at the same moments.
    const apart = tracks['video']!.timesMs.map((ms) => (((ms - tracks['audio']!.timesMs[0]!) % 20) + 20) % 20);
    for (const ms of apart.slice(1)) expect(Math.min(ms, 20 - ms)).toBeLessThanOrEqual(2);
  });

  it('has a gap of the same length for muted media, while the rest continues', async () => {
    const { clock, recorder, publish, record, of, pathOf } = recordingRig();
    publish('ada', 'audio');
    const video = publish('ada', 'video');
    record({ ada: ['audio', 'video'] });
    await clock.advance(3000);
    video.source.setMuted(true);
    await clock.advance(2000);
    const asked = video.keysAsked;
    video.source.setMuted(false);
    await clock.advance(3000);
    expect(video.keysAsked).toBeGreaterThan(asked);
    await recorder.stop();
    const [recorded] = of('recorded');
    const { tracks } = readWebm(pathOf(recorded!.file));
    expect(longestGap(tracks['audio']!)).toBeLessThan(30);
    expect(Math.abs(longestGap(tracks['video']!) - 2000)).toBeLessThan(150);
    expect(recorded!.pictures.length).toBe(2);
    expect(recorded!.pictures[1]![0] - recorded!.pictures[0]![1]).toBeGreaterThan(1900);
    const firstAfter = tracks['video']!.timesMs.findIndex((ms) => ms > 4000);
    expect(tracks['video']!.isKey[firstAfter]).toBe(true);
  });

  it('begins with audio if the camera is muted, and adds the camera later', async () => {
    const { clock, recorder, publish, record, of, pathOf } = recordingRig();
    publish('ada', 'audio');
    const video = publish('ada', 'video');
    video.source.setMuted(true);
    record({ ada: ['audio', 'video'] });
    await clock.advance(3000);
    video.source.setMuted(false);
    await clock.advance(2000);
    await recorder.stop();
    const { tracks } = readWebm(pathOf(of('recorded')[0]!.file));
    expect(tracks['audio']!.timesMs[0]).toBe(0);
    expect(tracks['video']!.timesMs[0]).toBeGreaterThan(2900);
  });

  it('has no file for a participant who is muted from beginning to end', async () => {
    const { clock, recorder, publish, record, directory, events } = recordingRig();
    publish('ada', 'audio').source.setMuted(true);
    record({ ada: ['audio'] });
    await clock.advance(3000);
    await recorder.stop();
    expect([readdirSync(directory), events]).toEqual([[], []]);
  });

  it('skips frames after a loss until the next key frame, and requests one', async () => {
    const { clock, recorder, publish, record, of, pathOf } = recordingRig();
    const video = publish('ada', 'video');
    for (const number of [50, 51]) video.lost.add(number);
    record({ ada: ['video'] });
    await clock.advance(6000);
    await recorder.stop();
    const { tracks } = readWebm(pathOf(of('recorded')[0]!.file));
    const { timesMs, isKey } = tracks['video']!;
    const hole = timesMs.findIndex((ms, index) => ms - timesMs[index - 1]! > 100);
    expect(isKey[hole]).toBe(true);
    expect(timesMs[hole - 1]).toBe(49 * 40);
    expect(longestGap(tracks['video']!)).toBeGreaterThan(400);
    expect(longestGap(tracks['video']!)).toBeLessThan(1600);
  });

  it('contains only media that the role may publish', async () => {
    const { clock, recorder, publish, record, of, pathOf } = recordingRig();
    for (const owner of ['ada', 'ben', 'eve']) for (const name of ['audio', 'video'] as const) publish(owner, name);
    record({ ada: ['audio', 'video', 'screen'], ben: ['audio'] });
    await clock.advance(3000);
    await recorder.stop();
    const files = of('recorded');
    const tracks = files.map(({ participant, file }) => [participant, Object.keys(readWebm(pathOf(file)).tracks)]);
    expect(Object.fromEntries(tracks)).toEqual({ ada: ['audio', 'video'], ben: ['audio'] });
  });

  it('starts the next file when a camera joins a microphone', async () => {
    const { clock, recorder, publish, record, of, pathOf } = recordingRig();
    publish('ada', 'audio');
    record({ ada: ['audio', 'video'] });
    await clock.advance(3000);
    publish('ada', 'video');
    await clock.advance(3000);
    await recorder.stop();
    const files = of('recorded').map(({ file }) => readWebm(pathOf(file)));
    expect(files.map(({ tracks }) => Object.keys(tracks))).toEqual([['audio'], ['audio', 'video']]);
    const [first, second] = of('recording_began');
    expect(second!.startedAtMs - first!.startedAtMs).toBeGreaterThan(2900);
    expect(second!.startedAtMs - first!.startedAtMs).toBeLessThan(3100);
  });

  it('continues in the same file when a camera stops and returns', async () => {
    const { clock, recorder, publish, record, of, pathOf } = recordingRig();
    publish('ada', 'audio');
    const video = publish('ada', 'video');
    record({ ada: ['audio', 'video'] });
    await clock.advance(3000);
    video.stop();
    recorder.unpublished(video.source);
    await clock.advance(2000);
    publish('ada', 'video');
    await clock.advance(3000);
    await recorder.stop();
    const files = of('recorded');
    expect(files.length).toBe(1);
    expect(files[0]!.pictures.length).toBe(2);
    const { tracks } = readWebm(pathOf(files[0]!.file));
    expect(longestGap(tracks['audio']!)).toBeLessThan(30);
    expect(Math.abs(longestGap(tracks['video']!) - 2000)).toBeLessThan(200);
  });

  it('stops and starts again while a participant joins', async () => {
    const { clock, recorder, publish, record, of, pathOf } = recordingRig();
    publish('ada', 'audio');
    record({ ada: ['audio'] });
    await clock.advance(2000);
    publish('ben', 'audio');
    recorder.set({ on: false, sources: { ada: ['audio'], ben: ['audio'] } });
    await clock.advance(1000);
    record({ ada: ['audio'], ben: ['audio'] });
    await clock.advance(2000);
    await recorder.stop();
    expect(
      of('recorded')
        .map(({ participant }) => participant)
        .sort(),
    ).toEqual(['ada', 'ada', 'ben']);
    for (const { file } of of('recorded')) {
      expect(Math.abs(readWebm(pathOf(file)).durationMs! - 2000)).toBeLessThan(60);
    }
  });

  it('is readable up to the last second after truncation', async () => {
    const { clock, publish, record, of, pathOf, recorder } = recordingRig();
    const audio = publish('ada', 'audio');
    const video = publish('ada', 'video');
    record({ ada: ['audio', 'video'] });
    // Most of it while the camera is muted.
    await clock.advance(2000);
    video.source.setMuted(true);
    await clock.advance(6000);
    const cut = pathOf('cut.webm');
    await expect.poll(() => of('recording_began').length).toBe(1);
    // Data passed to the disk must be in the file.
    const path = pathOf(of('recording_began')[0]!.file);
    await expect
      .poll(() => {
        copyFileSync(path, cut);
        return readWebm(cut).tracks['audio']?.timesMs.at(-1) ?? 0;
      })
      .toBeGreaterThan(7000);
    // In the middle of a cluster, too.
    truncateSync(cut, statSync(cut).size - 50);
    expect(readWebm(cut).tracks['audio']!.timesMs.at(-1)).toBeGreaterThan(6400);
    audio.stop();
    await recorder.stop();
  });

  it('ends on a full disk with one report; others continue', async () => {
    let isFull = false;
    const { clock, recorder, publish, record, of } = recordingRig(async (path) => {
      const file = await open(path, 'wx', 0o600);
      const write = file.write.bind(file) as (...order: unknown[]) => unknown;
      file.write = ((...order: unknown[]) => {
        if (isFull && path.includes('ada')) throw new Error('ENOSPC: no space left on device');
        return write(...order);
      }) as typeof file.write;
      return file;
    });
    publish('ada', 'audio');
    publish('ben', 'audio');
    record({ ada: ['audio'], ben: ['audio'] });
    await clock.advance(2000);
    isFull = true;
    await clock.advance(2000);
    await expect.poll(() => of('recording_failed')).toMatchObject([{ participant: 'ada', why: /ENOSPC/ }]);
    // No further attempt until the recording is started again.
    record({ ada: ['audio'], ben: ['audio'] });
    await clock.advance(2000);
    await recorder.stop();
    expect(of('recorded').map(({ participant }) => participant)).toEqual(['ben']);
    expect(of('recording_failed').length).toBe(1);
  });

  it('has the audio of telephones in its own file, with a gap while all are silent', async () => {
    const clock = new VirtualClock();
    const recordings = mkdtempSync(join(tmpdir(), 'callweave-phones-'));
    const events: EngineEvent[] = [];
    let say: (pcm: Int16Array) => void = () => undefined;
    const session = new MediaSession(
      { confNum: '1', quality: 'HD', recordings },
      {
        ...{ clock, opus: libopus, open: () => expect.fail('nobody has a browser') },
        link(_at, heard) {
          say = heard;
          return { send: () => undefined, close: () => undefined };
        },
        report: (event) => void events.push(event),
        warn: (message, error) => expect.fail(`${message}: ${error}`),
      },
    );
    session.command({ type: 'attach_phones', at: { port: 9, key: '00' } });
    session.command({ type: 'record', on: true, sources: { [PHONES]: ['audio'] } });
    // That of the session is there before this one.
    (await libopus.encoder()).free();
    const talk = async (frames: number, value: number) => {
      for (let frame = 0; frame < frames; frame++) {
        if (value !== 0) say(new Int16Array(FRAME_SAMPLES).fill(value));
        await clock.advance(20);
      }
    };
    await talk(50, 3000);
    await talk(100, 0);
    await talk(50, 3000);
    await session.close();
    const [recorded] = events.filter((event) => event.type === 'recorded');
    expect(recorded).toMatchObject({ participant: PHONES, kind: 'camera' });
    const { audio } = readWebm(join(recordings, recorded!.file)).tracks;
    expect(longestGap(audio!)).toBeGreaterThan(1000);
    expect(audio!.timesMs.at(-1)).toBeGreaterThan(3500);
  });

  it.skipIf(ffprobe.missing)(`passes ffprobe without a complaint${ffprobe.why}`, async () => {
    const { clock, recorder, publish, record, of, pathOf } = recordingRig();
    publish('ada', 'audio');
    publish('ada', 'video');
    record({ ada: ['audio', 'video'] });
    await clock.advance(4000);
    await recorder.stop();
    const path = pathOf(of('recorded')[0]!.file);
    const { stdout, stderr } = spawnSync(
      'ffprobe',
      [
        '-v',
        'warning',
        '-show_entries',
        `format=duration:stream=codec_name,width,height:${PACKET}`,
        '-of',
        'json',
        path,
      ],
      { encoding: 'utf8' },
    );
    expect(stderr).toBe('');
    const { format, streams, packets } = JSON.parse(stdout) as Probed;
    const { tracks } = readWebm(path);
    const times = (index: number) =>
      packets.filter(({ stream_index: of }) => of === index).map(({ pts_time: s }) => Math.round(Number(s) * 1000));
    expect([times(0), times(1)]).toEqual([tracks['audio']!.timesMs, tracks['video']!.timesMs]);
    expect(Math.abs(Number(format.duration) - 4)).toBeLessThan(0.1);
    expect(streams).toMatchObject([{ codec_name: 'opus' }, { codec_name: 'vp8', width: 640, height: 360 }]);
  });
});
