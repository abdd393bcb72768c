/** Notifications to systemd, and start by something else. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createServiceManager } from '../../src/cli/service-manager.ts';
import { serviceManagerOf } from '../../src/config.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { folderOf, ROOT, startProcess } from './command.ts';

function managed(watch: { watchdogMs?: number } | undefined, error?: Error) {
  const clock = new VirtualClock();
  const [reports, warnings]: [string[], unknown[]] = [[], []];
  const manager = createServiceManager(watch, {
    clock,
    log: { warn: (message, fields) => void warnings.push([message, fields]) },
    send(state, failed) {
      reports.push(state);
      if (error) failed(error);
    },
  });
  return { clock, reports, warnings, manager };
}

describe('service manager', () => {
  it.each([
    [{}, undefined],
    [{ NOTIFY_SOCKET: '' }, undefined],
    [{ NOTIFY_SOCKET: '/run/systemd/notify' }, {}],
    [{ NOTIFY_SOCKET: '@notify', WATCHDOG_USEC: '60000000' }, { watchdogMs: 60_000 }],
    [{ NOTIFY_SOCKET: '@notify', WATCHDOG_USEC: 'soon' }, {}],
  ])('reads %j as %j', (environment, found) => {
    expect(serviceManagerOf(environment)).toEqual(found);
  });

  it('reports ready once, alive twice in each period of the watchdog, also while it stops, and nothing after the end', async () => {
    const { clock, reports, manager } = managed({ watchdogMs: 60_000 });
    await clock.advance(120_000);
    expect(reports).toEqual([]);
    manager.ready();
    await clock.advance(60_000);
    manager.stopping();
    await clock.advance(30_000);
    manager.end();
    await clock.advance(600_000);
    expect(reports).toEqual(['READY=1', 'WATCHDOG=1', 'WATCHDOG=1', 'STOPPING=1', 'WATCHDOG=1']);
  });

  it('reports no life without a watchdog, and nothing at all without systemd', async () => {
    const [plain, none] = [managed({}), managed(undefined)];
    for (const { clock, manager } of [plain, none]) {
      manager.ready();
      await clock.advance(600_000);
      manager.stopping();
      manager.end();
    }
    expect([plain.reports, none.reports]).toEqual([['READY=1', 'STOPPING=1'], []]);
  });

  it('logs once that systemd cannot be reached', () => {
    const { warnings, manager } = managed({}, new Error('spawn systemd-notify ENOENT'));
    manager.ready();
    manager.stopping();
    expect(warnings).toEqual([['service.not_reported', { to: 'systemd', why: 'spawn systemd-notify ENOENT' }]]);
  });
});

it('reports to systemd when it takes calls, and when it stops', async () => {
  const config =
    'http: { port: 0 }\nsip: { host: 127.0.0.195, port: 0 }\nnumbers: [{ number: "1", webhook: "http://127.0.0.1:9/" }]\n';
  using folder = folderOf({
    'callweave.yaml': config,
    'bin/systemd-notify': '#!/bin/sh\necho "$1" >> "$NOTIFY_SOCKET"\n',
    reports: '',
  });
  const command = `chmod +x bin/systemd-notify; PATH=$PWD/bin:$PATH NOTIFY_SOCKET=$PWD/reports exec ${process.execPath} ${ROOT}/src/cli/main.ts start`;
  const service = startProcess('sh', ['-c', command], { cwd: folder.path });
  await service.until(/is running/);
  await expect.poll(() => readFileSync(join(folder.path, 'reports'), 'utf8'), { timeout: 30_000 }).toBe('READY=1\n');
  service.child.kill('SIGTERM');
  expect(await service.ended).toEqual([0, null]);
  await expect
    .poll(() => readFileSync(join(folder.path, 'reports'), 'utf8'), { timeout: 30_000 })
    .toBe('READY=1\nSTOPPING=1\n');
});
