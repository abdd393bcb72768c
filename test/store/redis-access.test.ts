/** Rights of a node in Redis, and the certificates for mutual authentication. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { ACCESS_RULES } from '../../src/service/store/redis/connection/access.ts';
import { lookAtRedis } from '../../src/service/store/redis/connection/redis-connection.ts';
import { redisHint } from '../../src/service/store/redis/connection/start-errors.ts';
import { connectTo, freePort, redisProgram, startRedis } from '../redis-server.ts';
import { Authority } from '../sip/authority.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('rights of a node in Redis', () => {
  it('are a line of the documentation', () => {
    const page = readFileSync(join(ROOT, 'docs/cluster.md'), 'utf8');
    expect(page).toContain(`\nuser callweave on >PASSWORD ${ACCESS_RULES.join(' ')}\n`);
  });

  it('are sufficient for each command of the functions', () => {
    const called = globSync('src/service/store/redis/scripts/*.lua', { cwd: ROOT }).flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\bcall\('([A-Z]+)'/g)].map(([, name]) =>
        name!.toLowerCase(),
      ),
    );
    expect(called.length).toBeGreaterThan(50);
    expect([...new Set(called)].filter((name) => !ACCESS_RULES.includes(`+${name}`))).toEqual([]);
  });

  it.skipIf(redisProgram.missing)(`are named at the start and by doctor if missing${redisProgram.why}`, async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const printed = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'log'), vi.spyOn(console, 'error')];
    onTestFinished(() => void vi.restoreAllMocks());
    await server.command('ACL', 'SETUSER', 'poor', 'on', 'nopass', '~cw:*', '&other', '+@all', '-@dangerous', '-time');
    const settings = { url: server.url, username: 'poor', password: 'any', durability: 'memory' } as const;
    const refused: unknown = await connectTo(server, settings).catch((error: unknown) => error);
    expect((refused as Error).message).toMatch(
      /^Redis at 127\.0\.0\.1:\d+: the user poor of Redis lacks rights: .*\+info.*\+time/,
    );
    expect((refused as Error).message).toContain('channels &cw:*');
    expect(redisHint(refused)).toMatch(/docs\/cluster\.md/);
    await expect(lookAtRedis(settings, systemClock)).rejects.toThrow(/lacks rights/);
    await server.command('ACL', 'SETUSER', 'poor', '+@all', 'resetkeys', '~other', '&*');
    await expect(connectTo(server, settings)).rejects.toThrow(/lacks rights: keys ~cw:\*$/);
    for (const spy of printed) expect(spy).not.toHaveBeenCalled();
  });

  it.skipIf(redisProgram.missing)(`are checked without changing data${redisProgram.why}`, async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const connection = await connectTo(server);
    onTestFinished(() => connection.close());
    expect(await server.command('DBSIZE')).toBe(0);
    expect(String(await server.command('ACL', 'LOG'))).toBe('');
  });
});

describe.skipIf(redisProgram.missing)(`Redis by TLS${redisProgram.why}`, () => {
  it('is taken by the authority and with the certificate that the configuration names', async () => {
    using authority = new Authority();
    const { files } = authority.certificate('IP:127.0.0.1');
    const port = await freePort();
    const server = await startRedis({
      args: [
        ...['--tls-port', `${port}`, '--tls-cert-file', files.cert, '--tls-key-file', files.key],
        ...['--tls-ca-cert-file', authority.file, '--tls-auth-clients', 'yes'],
      ],
    });
    onTestFinished(() => server.stop());
    const url = `rediss://127.0.0.1:${port}`;
    const unknown: unknown = await connectTo(server, { url }).catch((error: unknown) => error);
    expect(redisHint(unknown)).toMatch(/cluster\.redis\.tls\.ca/);
    const tlsFiles = { ca: authority.file, ...files };
    const connection = await connectTo(server, { url, tlsFiles });
    expect(await connection.client.get('cw:nothing')).toBeNull();
    connection.close();
    await expect(connectTo(server, { url, tlsFiles: { ca: authority.file } })).rejects.toThrow();
  });
});
