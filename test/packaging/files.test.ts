/** The files with which Callweave is run elsewhere: the unit of systemd, the image, and the licences that go with them. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { systemClock } from '../../src/base/core/clock.ts';
import { readConfigText } from '../../src/config.ts';
import { openDataDirectory } from '../../src/service/store/sqlite/open-data-directory.ts';
import { folderOf } from '../cli/command.ts';
import { program } from '../programs.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const UNIT = 'packaging/callweave.service';
const TEMPLATE = 'packaging/callweave@.service';
const BACKUP = 'packaging/callweave-backup.service';
/** Of 10, as `systemd-analyze` counts, times ten. */
const MAX_EXPOSURE = 25;
const systemdAnalyze = program('systemd-analyze');

describe('the units of systemd', () => {
  test.skipIf(systemdAnalyze.missing).each([UNIT, TEMPLATE, BACKUP])(
    `has a low exposure level: %s${systemdAnalyze.why}`,
    (unit) => {
      const args = ['security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, join(ROOT, unit)];
      const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
      expect(stdout + stderr).toMatch(/Overall exposure level/);
      expect(status, stdout).toBe(0);
    },
  );

  test.each([UNIT, TEMPLATE, BACKUP])(
    'allows few system calls, and no core dump that could contain keys: %s',
    (unit) => {
      const filters = [...read(unit).matchAll(/^SystemCallFilter=(.*)$/gm)].map(([, filter]) => filter);
      expect(filters).toEqual([
        '@system-service',
        '~@setuid @keyring io_uring_setup io_uring_enter io_uring_register process_vm_readv process_vm_writev kcmp',
      ]);
      expect(read(unit)).toMatch(/^SystemCallErrorNumber=EPERM$/m);
      expect(read(unit)).toMatch(/^LimitCORE=0$/m);
    },
  );

  test('has a template equal to the unit, with the name of the instance in its places', () => {
    const settings = (text: string): string[] => text.split('\n').filter((line) => /^\w+=/.test(line));
    const ofInstance = (line: string): string =>
      line
        .replace('callweave/callweave.yaml', 'callweave/%i.yaml')
        .replace('/etc/callweave/environment', '/etc/callweave/%i.environment')
        .replace(/(\/var\/lib\/callweave|^StateDirectory=callweave)(?=$|\/)/, '$1-%i')
        .replace(/^Description=.*/, '$&, %i');
    expect(settings(read(TEMPLATE))).toEqual(settings(read(UNIT)).map(ofInstance));
  });

  test('fails a failed reload in systemd, does not retry a wrong configuration, and allows enough time to stop', () => {
    const unit = read(UNIT);
    expect(unit).toMatch(/^ExecReload=.*callweave\.js reload --config \/etc\/callweave\/callweave\.yaml$/m);
    expect(unit).toMatch(/^RestartPreventExitStatus=2$/m);
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(unit)!;
    expect(Number(seconds)).toBeGreaterThan(30);
  });
});

test('makes one backup of today, with the files of the last one, and keeps fourteen', () => {
  using folder = folderOf({ 'callweave.yaml': 'data_directory: data\n', 'data/models/voice': 'a voice' });
  openDataDirectory({ dataDirectory: join(folder.path, 'data') }, systemClock).close();
  const lines = read('packaging/callweave-backup.service')
    .replaceAll('\\\n', '')
    .replaceAll('$$', '$')
    .replaceAll('%%', '%');
  const scripts = [...lines.matchAll(/^ExecStart(?:Post)?=\/bin\/sh -ec '(.*)'$/gm)].map(([, script]) =>
    script!
      .replace('/usr/bin/node /opt/callweave/node_modules/callweave', `${process.execPath} ${ROOT}`)
      .replace('/etc/callweave/callweave.yaml', '../callweave.yaml'),
  );
  const backups = join(folder.path, 'backups');
  mkdirSync(backups);
  const run = (): void => {
    for (const script of scripts)
      expect(spawnSync('sh', ['-ec', script], { cwd: backups, encoding: 'utf8' })).toMatchObject({ status: 0 });
  };
  run();
  const [today] = readdirSync(backups);
  renameSync(join(backups, today!), join(backups, '2020-01-20'));
  for (let day = 1; day < 20; day++) mkdirSync(join(backups, `2020-01-${String(day).padStart(2, '0')}`));
  mkdirSync(join(backups, '2020-01-05.partial'));
  run();
  expect(readdirSync(backups)).toEqual([
    ...Array.from({ length: 13 }, (_, index) => `2020-01-${String(index + 8).padStart(2, '0')}`),
    today,
  ]);
  const inode = (file: string): number => statSync(join(folder.path, file)).ino;
  expect(inode(`backups/${today}/models/voice`)).toBe(inode('data/models/voice'));
});

describe('the image', () => {
  const dockerfile = read('packaging/Dockerfile');
  const { services } = parse(read('packaging/compose.yaml')) as {
    services: { callweave: { volumes: string[]; build: { dockerfile: string } } };
  };

  test('exposes the ports that the configuration has by default', () => {
    const { sip, http, video } = readConfigText('', 'callweave.yaml').config!;
    const [, exposed] = /^EXPOSE (.*)$/m.exec(dockerfile)!;
    const [first, last] = sip.rtpPorts;
    expect(exposed!.split(' ')).toEqual([
      ...[`${sip.port}/udp`, `${sip.port}/tcp`, `${sip.port + 1}/tcp`, `${http.port}/tcp`],
      ...[`${first}-${last}/udp`, `${video.port}-${video.port + video.engineProcesses - 1}/udp`],
    ]);
  });

  test('starts with the configuration that compose puts there', () => {
    const [, file] = /"--config", "(.+?)"/.exec(dockerfile)!;
    expect(services.callweave.volumes).toContain(`./callweave.yaml:${file}:ro`);
    expect(services.callweave.build.dockerfile).toBe('packaging/Dockerfile');
  });
});

describe('THIRD_PARTY_NOTICES', () => {
  const notices = read('THIRD_PARTY_NOTICES');

  test('has each dependency, and the acknowledgement that the voices ask for', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
    for (const [name, version] of Object.entries(dependencies)) expect(notices).toContain(`\n${name} ${version} (`);
    expect(notices).toContain('This product includes software developed by the Language Technologies Institute');
  });
});
