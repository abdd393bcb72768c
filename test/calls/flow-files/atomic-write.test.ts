/** Partial files that a crash leaves next to flows, and files with similar names. */
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { partOf, removeParts, replaceFile } from '../../../src/service/calls/flow-files/atomic-write.ts';

it('removes partial files of a crash, also in subfolders, and no other file', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-parts-'));
  const write = (name: string): void => writeFileSync(join(directory, name), 'flow: half');
  for (const folder of ['shop', '.git', 'a.yaml.0123456789ab.part', '.dir.yaml.0123456789ab.part'])
    mkdirSync(join(directory, folder));
  const leftovers = [
    '.hello.flow.yaml.0123456789ab.part',
    '.a.test.yml.ffffffffffff.part',
    'shop/.menu.json.00aa11bb22cc.part',
  ];
  const others = [
    'hello.flow.yaml',
    '.hello.flow.yaml.part',
    '.hello.flow.yaml.0123456789AB.part',
    '.hello.flow.yaml.0123456789abc.part',
    'hello.flow.yaml.0123456789ab.part',
    '.film.mkv.0123456789ab.part',
    '.hello.flow.yaml.0123456789ab.part.keep',
    '.git/.hello.flow.yaml.0123456789ab.part',
  ];
  for (const name of [...leftovers, ...others]) write(name);
  symlinkSync(join(directory, 'hello.flow.yaml'), join(directory, '.link.yaml.0123456789ab.part'));
  const removed = await removeParts(directory);
  expect(removed.sort()).toEqual(leftovers.map((name) => join(directory, name)).sort());
  const left = readdirSync(directory, { recursive: true }) as string[];
  expect(left.filter((name) => !lstatSync(join(directory, name)).isDirectory()).sort()).toEqual(
    [...others, '.link.yaml.0123456789ab.part'].sort(),
  );
  expect(await removeParts(join(directory, 'nowhere'))).toEqual([]);
});

it.each(['hello.flow.yaml', 'a b.test.yml', 'menu.json'])(
  'recognises its own partial file next to %s',
  async (name) => {
    const directory = mkdtempSync(join(tmpdir(), 'callweave-parts-'));
    const part = partOf(join(directory, name));
    writeFileSync(part, 'half');
    await replaceFile(join(directory, name), Buffer.from('whole'), 0o644, true);
    expect(await removeParts(directory)).toEqual([part]);
    expect(readdirSync(directory)).toEqual([name]);
  },
);
