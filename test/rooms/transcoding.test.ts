/** Transcoding of recorded sessions to video files: position and time of each video, and the output of ffmpeg. */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { programFolders } from '../../src/config.ts';
import type { Archive, ArchivedFile } from '../../src/media/rooms/archive/archive.ts';
import { CANVAS, layOut, type Shown } from '../../src/media/rooms/archive/layout.ts';
import { Transcoder } from '../../src/media/rooms/archive/transcoder.ts';
import { type Ffmpeg, findFfmpeg } from '../../src/media/rooms/ffmpeg.ts';
import { PHONES } from '../../src/media/rooms/sfu.ts';
import { goertzelCoefficient, goertzelPower } from '../../src/media/toolbox/audio/goertzel.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { program } from '../programs.ts';
import { colorAt, durationOf, make, outputOf, textWidthAt } from './video-files.ts';

const encoder = program('ffmpeg');

const picture = (beginsMs: number, ...pictures: [number, number][]): Shown => ({
  ...{ kind: 'camera', beginsMs, durationMs: 10_000, pictures },
});

describe('the grid', () => {
  it('gives one picture the whole, two a half each, and a screen the first place', () => {
    const screen: Shown = { ...picture(4000, [0, 2000]), kind: 'screen' };
    const [camera, shared] = layOut([picture(0, [0, 10_000]), screen]);
    const whole = { isPicture: true, x: 0, y: 0, width: CANVAS.width, height: CANVAS.height };
    const half = { isPicture: true, y: 0, width: CANVAS.width / 2, height: CANVAS.height };
    expect(camera).toEqual([
      { fromMs: 0, toMs: 4000, ...whole },
      { fromMs: 4000, toMs: 6000, ...half, x: CANVAS.width / 2 },
      { fromMs: 6000, toMs: 10_000, ...whole },
    ]);
    expect(shared).toEqual([{ fromMs: 4000, toMs: 6000, ...half, x: 0 }]);
  });

  it('has no place for a camera while it is muted, and does not mind what is gone for a moment', () => {
    const [tiles] = layOut([picture(0, [0, 1000], [1100, 2000], [5000, 6000])]);
    expect(tiles!.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
      [0, 2000],
      [5000, 6000],
    ]);
  });

  it('has a tile with the name for a participant without a picture', () => {
    const [tiles] = layOut([{ ...picture(2000, [0, 1000], [5000, 6200]), tile: 'color' }]);
    expect(tiles!.map(({ fromMs, toMs, isPicture }) => [fromMs, toMs, isPicture])).toEqual([
      [2000, 3000, true],
      [3000, 7000, false],
      [7000, 8500, true],
      [8500, 12_000, false],
    ]);
  });

  it('keeps all in sight: nine are three by three, inside the canvas', () => {
    const tiles = layOut(Array.from({ length: 9 }, () => picture(0, [0, 1000]))).map(([only]) => only!);
    expect(new Set(tiles.map(({ x, y }) => `${x} ${y}`)).size).toBe(9);
    for (const { x, y, width, height } of tiles) {
      expect(x + width).toBeLessThanOrEqual(CANVAS.width);
      expect(y + height).toBeLessThanOrEqual(CANVAS.height);
    }
  });

  it('takes changes together where there are too many', () => {
    const blinking = Array.from({ length: 2000 }, (_, index): [number, number] => [index * 2000, index * 2000 + 500]);
    expect(layOut([picture(0, ...blinking)])[0]!.length).toBeLessThanOrEqual(300);
  });
});

describe.skipIf(encoder.missing)(`ffmpeg${encoder.why}`, () => {
  let ffmpeg: Ffmpeg;
  beforeAll(async () => {
    ffmpeg = (await findFfmpeg(programFolders()))!;
  });

  /** A colour and a tone. */
  function record(
    folder: string,
    name: string,
    { color, tone, seconds, size = '160x120' }: Record<string, string | number>,
  ): void {
    make(folder, [
      ...['-f', 'lavfi', '-i', `color=c=${color}:size=${size}:rate=10:duration=${seconds}`],
      ...['-f', 'lavfi', '-i', `sine=frequency=${tone}:sample_rate=48000:duration=${seconds}`],
      ...['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-c:a', 'libopus', name],
    ]);
  }

  const recorded = (file: string, startedAtMs: number, durationMs: number): ArchivedFile => ({
    ...{ file, participant: file, kind: 'camera', sources: ['audio', 'video'], startedAtMs, durationMs },
    pictures: [[0, durationMs]],
  });

  function recordSound(folder: string, name: string, seconds: number): void {
    const tone = `sine=frequency=1000:sample_rate=48000:duration=${seconds}`;
    make(folder, ['-f', 'lavfi', '-i', tone, '-c:a', 'libopus', name]);
  }

  const soundOf = (file: string, startedAtMs: number, durationMs: number): ArchivedFile => ({
    ...{ ...recorded(file, startedAtMs, durationMs), sources: ['audio'], pictures: [] },
    participant: file === 'phones.webm' ? PHONES : file,
  });

  const archiveOf = (recordings: ArchivedFile[], more: Partial<Archive> = {}): Archive => ({
    ...{ archiveId: 'a', projectId: 'shop', roomId: 'daily', confNum: 's1', beganMs: 0, atMs: 0, state: 'work' },
    ...{ room: { name: 'Daily', ownerRef: 'acme' }, recordings, isSingleFile: false, transcoded: [] },
    transcoding: { state: 'queued' },
    ...more,
  });

  function transcoderOf(folder: string, withFfmpeg: Ffmpeg | undefined = ffmpeg) {
    const written: Archive[] = [];
    const transcoder = new Transcoder({
      ...{ store: { put: (archive) => void written.push(archive) }, clock: new VirtualClock(), log: silentLog },
      ...{ folderOf: () => folder, slots: 1, transcoded: () => undefined },
    });
    transcoder.use(withFfmpeg);
    return { transcoder, written };
  }

  const untilDone = (written: Archive[]) => expect.poll(() => written.at(-1)?.state, { timeout: 30_000 }).toBe('done');

  it('creates an MP4 of a session, with the participants of each moment side by side and their sound', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'callweave-composite-'));
    // Cameras change the size of their pictures as they go.
    record(folder, 'small.webm', { color: 'red', tone: 440, seconds: 3 });
    record(folder, 'large.webm', { color: 'red', tone: 440, seconds: 1, size: '320x240' });
    writeFileSync(join(folder, 'list'), "file 'small.webm'\nfile 'large.webm'\n");
    make(folder, ['-f', 'concat', '-i', 'list', '-c', 'copy', 'red.webm']);
    for (const name of ['list', 'small.webm', 'large.webm']) rmSync(join(folder, name));
    record(folder, 'blue.webm', { color: 'blue', tone: 1000, seconds: 2 });
    const { transcoder, written } = transcoderOf(folder);
    // The blue video starts one second after the red one and ends before it.
    transcoder.add(archiveOf([recorded('red.webm', 10_000, 4000), recorded('blue.webm', 11_000, 2000)]));
    await untilDone(written);
    expect(written.at(-1)).toMatchObject({ transcoded: ['session.mp4'], transcoding: { state: 'done' } });
    expect(readdirSync(folder).sort()).toEqual(['blue.webm', 'red.webm', 'session.mp4']);
    const path = join(folder, 'session.mp4');
    expect(Math.abs(durationOf(path) - 4)).toBeLessThan(0.2);
    const [left, middle, right] = [0.25, 0.5, 0.75].map((share) => share * CANVAS.width);
    expect(colorAt(path, 0.5, middle!)).toBe('red');
    expect([colorAt(path, 2, left!), colorAt(path, 2, right!)]).toEqual(['red', 'blue']);
    expect(colorAt(path, 3.6, middle!)).toBe('red');
    expect(tonesAt(path, 0.2)).toEqual([440]);
    expect(tonesAt(path, 1.7)).toEqual([440, 1000]);
    expect(tonesAt(path, 3.3)).toEqual([440]);
  }, 60_000);

  it('shows the names of people who are heard and not seen: telephones, and those whose camera is off', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'callweave-names-'));
    record(folder, 'red.webm', { color: 'red', tone: 440, seconds: 2 });
    recordSound(folder, 'phones.webm', 2);
    const { transcoder, written } = transcoderOf(folder);
    const camera: ArchivedFile = { ...recorded('red.webm', 10_000, 2000), name: 'Ada', pictures: [[0, 1000]] };
    const phones = [
      // Of which only the end would be there if ffmpeg took it for more than text.
      { participant: 'p1', name: `%{metadata:none}':\\"`, fromMs: 0 },
      { participant: 'p2', name: 'gone before', fromMs: 0, toMs: 9000 },
    ];
    transcoder.add(archiveOf([camera, soundOf('phones.webm', 10_000, 2000)], { phones }));
    await untilDone(written);
    expect(written.at(-1)!.transcoding).toEqual({ state: 'done' });
    const path = join(folder, 'session.mp4');
    const [left, right] = [0.02, 0.52].map((share) => share * CANVAS.width);
    expect([colorAt(path, 0.5, left!), colorAt(path, 0.5, right!)]).toEqual(['red', 'tile']);
    expect([colorAt(path, 1.5, left!), colorAt(path, 1.5, right!)]).toEqual(['tile', 'tile']);
    const [ada, phone] = (['left', 'right'] as const).map((half) => textWidthAt(path, 1.5, half));
    expect(ada).toBeGreaterThan(0.05);
    expect(ada).toBeLessThan(0.3);
    expect(phone).toBeGreaterThan(0.5);
  }, 60_000);

  it('writes names on videos, in the corner of their tiles, and none on a shared screen', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'callweave-labels-'));
    record(folder, 'red.webm', { color: 'red', tone: 440, seconds: 2 });
    record(folder, 'blue.webm', { color: 'blue', tone: 1000, seconds: 2 });
    const { transcoder, written } = transcoderOf(folder);
    const screen: ArchivedFile = {
      ...recorded('blue.webm', 0, 2000),
      name: 'Ada',
      kind: 'screen',
      sources: ['screen'],
    };
    transcoder.add(archiveOf([{ ...recorded('red.webm', 0, 2000), name: 'Ada Lovelace' }, screen]));
    await untilDone(written);
    expect(written.at(-1)!.transcoding).toEqual({ state: 'done' });
    const path = join(folder, 'session.mp4');
    // The screen is on the left.
    const [shared, camera] = (['left', 'right'] as const).map((half) => textWidthAt(path, 1, half));
    expect(shared).toBe(0);
    expect(camera).toBeGreaterThan(0.1);
    expect(camera).toBeLessThan(0.4);
    expect([colorAt(path, 1, CANVAS.width / 4), colorAt(path, 1, 0.75 * CANVAS.width)]).toEqual(['blue', 'red']);
  }, 60_000);

  it('fills three quarters of the canvas with two cameras, and cuts off their sides only', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'callweave-two-'));
    record(folder, 'red.webm', { color: 'red', tone: 440, seconds: 3, size: '320x180' });
    record(folder, 'blue.webm', { color: 'blue', tone: 1000, seconds: 2, size: '320x180' });
    const { transcoder, written } = transcoderOf(folder);
    transcoder.add(archiveOf([recorded('red.webm', 0, 3000), recorded('blue.webm', 0, 2000)]));
    await untilDone(written);
    expect(written.at(-1)!.transcoding).toEqual({ state: 'done' });
    const path = join(folder, 'session.mp4');
    const rows = [0.05, 0.15, 0.5, 0.85, 0.95];
    const columnsAt = (x: number): string[] => rows.map((y) => colorAt(path, 1, x, y));
    for (const x of [4, 0.25 * CANVAS.width, 0.5 * CANVAS.width - 16])
      expect(columnsAt(x)).toEqual(['black', 'red', 'red', 'red', 'black']);
    for (const x of [0.5 * CANVAS.width + 8, CANVAS.width - 16])
      expect(columnsAt(x)).toEqual(['black', 'blue', 'blue', 'blue', 'black']);
    // Alone, the whole canvas.
    expect(rows.map((y) => colorAt(path, 2.6, CANVAS.width - 16, y))).toEqual(rows.map(() => 'red'));
  }, 60_000);

  it('shows plain tiles where ffmpeg cannot write', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'callweave-plain-'));
    recordSound(folder, 'b.webm', 1);
    const { transcoder, written } = transcoderOf(folder, {
      run: (...[at, args, ...more]) =>
        ffmpeg.run(at, args.join().includes('drawtext') ? ['-i', 'missing'] : args, ...more),
    });
    transcoder.add(archiveOf([{ ...soundOf('b.webm', 0, 1000), name: 'Ada' }]));
    await untilDone(written);
    const path = join(folder, 'session.mp4');
    expect([colorAt(path, 0.5, 600), textWidthAt(path, 0.5, 'right')]).toEqual(['tile', 0]);
  }, 60_000);

  it('makes one WebM of a session in place of it, whose only picture is as it was sent', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'callweave-single-'));
    record(folder, 'red.webm', { color: 'red', tone: 440, seconds: 2 });
    recordSound(folder, 'b.webm', 2);
    // File of a transcoding that was interrupted by the end of the service.
    writeFileSync(join(folder, 'work.1.webm'), 'half');
    const { transcoder, written } = transcoderOf(folder);
    const recordings = [recorded('red.webm', 0, 2000), soundOf('b.webm', 500, 2000)];
    transcoder.add(archiveOf(recordings, { isSingleFile: true }));
    await untilDone(written);
    expect(written.at(-1)!.transcoded).toEqual(['session.webm']);
    const path = join(folder, 'session.webm');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).sort()).toEqual(['b.webm', 'red.webm', 'session.webm']);
    expect(colorAt(path, 1, 80)).toBe('red');
    expect([tonesAt(path, 0.1), tonesAt(path, 1)]).toEqual([[440], [440, 1000]]);
  }, 60_000);

  it('measures a file that was cut off, and leaves out one that cannot be read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'callweave-cut-'));
    record(folder, 'red.webm', { color: 'red', tone: 440, seconds: 2 });
    writeFileSync(join(folder, 'broken.webm'), 'not a WebM');
    const { transcoder, written } = transcoderOf(folder);
    const cut = ({ file, ...more }: ArchivedFile): ArchivedFile => {
      const { durationMs: _, pictures: __, ...kept } = more;
      return { ...kept, file };
    };
    const recordings = [recorded('red.webm', 0, 2000), recorded('broken.webm', 0, 2000)].map(cut);
    transcoder.add(archiveOf(recordings, { isSingleFile: true }));
    await untilDone(written);
    expect(written.at(-1)!.transcoding).toEqual({ state: 'done' });
    expect(Math.abs(durationOf(join(folder, 'session.webm')) - 2)).toBeLessThan(0.2);
  }, 60_000);

  it('says why it could not, without where its files are', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'callweave-broken-'));
    writeFileSync(join(folder, 'broken.webm'), 'not a WebM');
    const { transcoder, written } = transcoderOf(folder);
    transcoder.add(archiveOf([recorded('broken.webm', 0, 2000)]));
    await untilDone(written);
    const { transcoding } = written.at(-1)!;
    expect(transcoding).toMatchObject({ state: 'failed', why: expect.stringMatching(/Invalid data/) });
    expect(JSON.stringify(transcoding)).not.toContain(tmpdir());
    expect(readdirSync(folder)).toEqual(['broken.webm']);
  }, 60_000);

  it('ends when its archive is removed, and nothing is written about it any more', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'callweave-removed-'));
    record(folder, 'red.webm', { color: 'red', tone: 440, seconds: 2 });
    const { transcoder, written } = transcoderOf(folder);
    transcoder.add(archiveOf([recorded('red.webm', 0, 3_600_000)]));
    transcoder.add(archiveOf([recorded('red.webm', 0, 2000)], { confNum: 's2' }));
    await expect
      .poll(() => readdirSync(folder).some((name) => name.startsWith('work.')), { timeout: 10_000 })
      .toBe(true);
    await transcoder.cancel('s2');
    await transcoder.cancel('s1');
    expect(written.filter(({ state }) => state === 'done')).toEqual([]);
    expect(readdirSync(folder)).toEqual(['red.webm']);
    await transcoder.close();
  }, 60_000);

  it('is not needed: without it the archive says so, and keeps its recordings', () => {
    const { transcoder, written } = transcoderOf('', undefined);
    transcoder.use(undefined);
    transcoder.add(archiveOf([recorded('red.webm', 0, 2000)]));
    expect(written).toMatchObject([{ state: 'done', transcoding: { state: 'unavailable' }, recordings: [{}] }]);
    expect(transcoder.work).toEqual({ state: 'unavailable' });
  });
});

/** Which of the two tones there are, in 200 ms. */
function tonesAt(path: string, second: number): number[] {
  const raw = ['-ac', '1', '-ar', '8000', '-f', 's16le', '-'];
  const bytes = outputOf('ffmpeg', ['-v', 'error', '-i', path, '-ss', String(second), '-t', '0.2', ...raw]);
  const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return [440, 1000].filter((hertz) => {
    return Math.sqrt(goertzelPower(samples, goertzelCoefficient(hertz))) / samples.length > 300;
  });
}
