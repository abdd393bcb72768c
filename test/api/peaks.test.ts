/** Waveform of recordings: of one channel and of two, and of files larger than one read. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { wavHeader } from '../../src/base/core/wav-header.ts';
import { type ApiRig, OTHER } from './rig.ts';
import { bridged } from './rigs.ts';

/** A recording of a call whose file has these samples; of two channels one after the other. */
async function recorded(samples: Int16Array, channels: 1 | 2 = 1): Promise<{ rig: ApiRig; path: string; id: string }> {
  const { rig, call } = await bridged();
  await rig.request('PUT', `/voice/v1/call/${call}/recording`, { start: true });
  await rig.pass(1000);
  await rig.request('PUT', `/voice/v1/call/${call}/recording`, { stop: true });
  await rig.pass(1000);
  const [record] = (await rig.request('GET', '/voice/v1/call')).body['calls'] as [
    { recordings: [{ recording_id: string }] },
  ];
  const id = record.recordings[0].recording_id;
  const bytes = Buffer.from(samples.buffer);
  writeFileSync(
    join(rig.directory, 'data', 'recordings', `${id}.wav`),
    Buffer.concat([wavHeader(bytes.length, 8000, channels), bytes]),
  );
  return { rig, id, path: `/voice/v1/recording/${id}/peaks` };
}

it('returns the minimum and the maximum of each interval', async () => {
  const samples = new Int16Array(8000);
  samples[10] = 16_384;
  samples[799] = -32_768;
  samples[4000] = 8192;
  const { rig, path } = await recorded(samples);
  const { body } = await rig.request('GET', `${path}?per_second=10`);
  const expected = Array.from({ length: 20 }, () => 0);
  expected[0] = -1;
  expected[1] = 0.5;
  expected[11] = 0.25;
  expect(body).toMatchObject({ per_second: 10, channels: [expected] });
});

it('keeps two channels apart, in a file of several minutes', async () => {
  const seconds = 180;
  const samples = new Int16Array(seconds * 8000 * 2);
  for (let frame = 0; frame < seconds * 8000; frame++) {
    const second = Math.floor(frame / 8000);
    samples[frame * 2] = frame % 2 === 0 ? second * 100 : -second * 100;
    samples[frame * 2 + 1] = 32_000 - second;
  }
  const { rig, path } = await recorded(samples, 2);
  const { channels } = (await rig.request('GET', `${path}?per_second=1`)).body as { channels: number[][] };
  const scaled = (value: number) => Math.round((value / 32_768) * 1000) / 1000 + 0;
  const at = (second: number) => channels.map((peaks) => peaks.slice(second * 2, second * 2 + 2));
  expect(channels.map(({ length }) => length)).toEqual([seconds * 2, seconds * 2]);
  for (const second of [1, 2, 77, 179]) {
    const loud = scaled(32_000 - second);
    expect(at(second)).toEqual([
      [scaled(-second * 100), scaled(second * 100)],
      [loud, loud],
    ]);
  }
});

it('lowers the resolution for very long files, and reports it', async () => {
  const { rig, path } = await recorded(new Int16Array(8000 * 400));
  const { body } = await rig.request('GET', `${path}?per_second=100`);
  expect(body).toMatchObject({ per_second: 50 });
  expect((body['channels'] as number[][])[0]!.length).toBe(40_000);
});

it('returns 404 to other projects and for a deleted file, and refuses an invalid resolution', async () => {
  const { rig, path, id } = await recorded(new Int16Array(80));
  expect((await rig.request('GET', path, undefined, { as: OTHER })).status).toBe(404);
  expect((await rig.request('GET', path, undefined, { as: false })).status).toBe(401);
  expect((await rig.request('GET', path.replace(id, 'none'))).status).toBe(404);
  expect((await rig.request('GET', `${path}?per_second=101`)).status).toBe(400);
  const { rmSync } = await import('node:fs');
  rmSync(join(rig.directory, 'data', 'recordings', `${id}.wav`));
  expect((await rig.request('GET', path)).status).toBe(404);
});
