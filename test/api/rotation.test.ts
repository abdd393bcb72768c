/** Rotation of keys and webhook secrets: old and new are valid at the same time for a limited period. */
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { type Administrator, administered } from './admin-client.ts';
import { type ApiRig, SHOP } from './rig.ts';

const HOUR_MS = 3_600_000;
const OLD_SECRET = `whsec_${Buffer.from('the secret of before, 24 or more').toString('base64')}`;
const NEW_SECRET = `whsec_${Buffer.from('the secret of today, 24 or more').toString('base64')}`;
const PROJECTS = `projects: [{ app_id: ${SHOP.id}, app_key: ${SHOP.key}, webhook_secret: ${OLD_SECRET} }, { app_id: other, app_key: key-of-another-one-2 }]\n`;
/** After SIGHUP, or another reload. */
const ROTATED = `projects: [{ app_id: ${SHOP.id}, app_key: the-new-key-of-the-shop, webhook_secret: ${NEW_SECRET}, previous: { app_key: ${SHOP.key}, webhook_secret: ${OLD_SECRET}, valid_until: "2026-03-02T09:30:00Z" } }, { app_id: other, app_key: key-of-another-one-2 }]\n`;

const statusWith = async (rig: ApiRig, id: string, key: string): Promise<number> =>
  (await rig.request('GET', '/voice/v1/call', undefined, { as: { id, key } })).status;

/** The secrets among these that the latest event is signed with. */
function signers(rig: ApiRig, secrets: readonly string[]): string[] {
  const { headers, body } = rig.received.at(-1)!;
  // The clock of the test is not that of the library: the signatures alone are looked at.
  const at = new Date(Number(headers['webhook-timestamp']) * 1000);
  const signed = (secret: string): string => new Webhook(secret).sign(headers['webhook-id']!, at, JSON.stringify(body));
  return secrets.filter((secret) => headers['webhook-signature']!.split(' ').includes(signed(secret)));
}

async function bakery(admin: Administrator): Promise<{ key: string; secret: string }> {
  const { body } = await admin('POST', '/projects', { name: 'Bakery', app_id: 'bakery' });
  return { key: String(body['app_key']), secret: String(body['webhook_secret']) };
}

describe('a key of a project of the admin API', () => {
  it('is valid next to the new one for the requested time, and ends at once otherwise', async () => {
    const { rig, admin } = await administered();
    const { key: first } = await bakery(admin);
    const renewed = await admin('POST', '/projects/bakery/key', { old_valid_for: '1h' });
    const second = String(renewed.body['app_key']);
    expect([await statusWith(rig, 'bakery', first), await statusWith(rig, 'bakery', second)]).toEqual([200, 200]);
    expect((await admin('GET', '/projects/bakery')).body['previous_key_until']).toBe('2026-03-02T09:30:00.000Z');
    await rig.pass(HOUR_MS);
    // It was remembered as a right one.
    expect([await statusWith(rig, 'bakery', first), await statusWith(rig, 'bakery', second)]).toEqual([401, 200]);
    expect((await admin('GET', '/projects/bakery')).body['previous_key_until']).toBeUndefined();
    await admin('POST', '/projects/bakery/key');
    expect(await statusWith(rig, 'bakery', second)).toBe(401);
  });

  it('is revoked before its time', async () => {
    const { rig, admin } = await administered();
    const { key } = await bakery(admin);
    await admin('POST', '/projects/bakery/key', { old_valid_for: '24h' });
    expect(await statusWith(rig, 'bakery', key)).toBe(200);
    expect((await admin('DELETE', '/projects/bakery/previous')).status).toBe(200);
    expect(await statusWith(rig, 'bakery', key)).toBe(401);
  });

  it.each([{ old_valid_for: '2161h' }, { old_valid_for: 'soon' }, { for: '1h' }])(
    'refuses the invalid body %j',
    async (body) => {
      const { admin } = await administered();
      await bakery(admin);
      expect((await admin('POST', '/projects/bakery/key', body)).status).toBe(400);
    },
  );
});

describe('a webhook secret', () => {
  it('signs next to the new one for the requested time, by the admin API', async () => {
    const { rig, admin } = await administered();
    const { key, secret: first } = await bakery(admin);
    const as = { id: 'bakery', key };
    await admin('PUT', '/numbers/7000', { project: 'bakery' });
    const event = async (): Promise<void> => {
      await rig.request('POST', '/voice/v1/call', { from: '7000', to: '2000', event_url: rig.webhookUrl }, { as });
      await rig.pass(500);
    };
    await event();
    const { body } = await admin('POST', '/projects/bakery/webhook-secret', { old_valid_for: '1h' });
    const secrets = [first, String(body['webhook_secret'])];
    expect(signers(rig, secrets)).toEqual([first]);
    await event();
    expect(signers(rig, secrets)).toEqual(secrets);
    await rig.pass(HOUR_MS);
    await event();
    expect(signers(rig, secrets)).toEqual([secrets[1]]);
  });
});

describe('a project of the file', () => {
  it('changes by a reload: requests with both keys, events with both signatures, until the given time', async () => {
    const { rig, admin } = await administered({ projects: PROJECTS });
    await rig.dial();
    await rig.pass(500);
    expect(signers(rig, [OLD_SECRET, NEW_SECRET])).toEqual([OLD_SECRET]);
    rig.rewrite((text) => text.replace(PROJECTS, ROTATED));
    expect((await admin('POST', '/reload')).body['changed']).toEqual(['projects']);
    const statuses = async () => [
      await statusWith(rig, SHOP.id, SHOP.key),
      await statusWith(rig, SHOP.id, 'the-new-key-of-the-shop'),
    ];
    expect(await statuses()).toEqual([200, 200]);
    await rig.pass(2000);
    // The call was there before.
    expect(signers(rig, [OLD_SECRET, NEW_SECRET])).toEqual([OLD_SECRET, NEW_SECRET]);
    await rig.pass(HOUR_MS);
    expect(await statuses()).toEqual([401, 200]);
  });

  it.each([
    ['a moment that is none', 'valid_until: "2026-13-45T09:30:00Z"', 'wrong-value'],
    ['nothing that was valid', 'valid_until: "2026-03-02T09:30:00Z"', 'wrong-keys'],
  ])('is refused with %s', async (_what, until, code) => {
    const { rig, admin } = await administered({ projects: PROJECTS });
    const previous = code === 'wrong-keys' ? until : `app_key: an-old-key-of-the-shop, ${until}`;
    rig.rewrite((text) => text.replace(`app_key: ${SHOP.key},`, `app_key: ${SHOP.key}, previous: { ${previous} },`));
    const { status, body } = await admin('POST', '/reload');
    expect([status, (body['diagnostics'] as { code: string }[])[0]?.code]).toEqual([422, code]);
  });
});
