/**
 * Makes the pictures of the documentation from the real thing: a started service, a real call, a real browser.
 * `npm run pictures`; needs Chromium and sipp.
 */
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStudio, type Studio } from '../e2e/browser.ts';
import { type Service, startService } from '../e2e/service.ts';
import { sipp } from '../e2e/sipp.ts';

const ROOT = join(import.meta.dirname, '../..');
const OUT = join(ROOT, 'docs/pictures');
const ADDRESS = '127.0.0.62';
const SIPP_ADDRESS = '127.0.0.63';
const WIDTH = 1440;
const HEIGHT = 860;

const info = (digit: string): string => `
  <send><![CDATA[
    INFO sip:[service]@[remote_ip]:[remote_port] SIP/2.0
    Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
    From: <sip:+33612345678@[local_ip]:[local_port]>;tag=[pid]
    To: <sip:[service]@[remote_ip]:[remote_port]>[peer_tag_param]
    Call-ID: [call_id]
    CSeq: [cseq] INFO
    Max-Forwards: 70
    Content-Type: application/dtmf-relay
    Content-Length: [len]

    Signal=${digit}
    Duration=160
  ]]></send>
  <recv response="200"/>`;

const CALLER = `<?xml version="1.0" encoding="ISO-8859-1"?>
<scenario name="caller">
  <send retrans="500"><![CDATA[
    INVITE sip:[service]@[remote_ip]:[remote_port] SIP/2.0
    Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
    From: <sip:+33612345678@[local_ip]:[local_port]>;tag=[pid]
    To: <sip:[service]@[remote_ip]:[remote_port]>
    Call-ID: [call_id]
    CSeq: 1 INVITE
    Contact: <sip:caller@[local_ip]:[local_port]>
    Max-Forwards: 70
    Content-Type: application/sdp
    Content-Length: [len]

    v=0
    o=caller 1 1 IN IP[local_ip_type] [local_ip]
    s=-
    c=IN IP[media_ip_type] [media_ip]
    t=0 0
    m=audio [media_port] RTP/AVP 8
    a=rtpmap:8 PCMA/8000
  ]]></send>
  <recv response="100" optional="true"/>
  <recv response="180" optional="true"/>
  <recv response="200" rrs="true"/>
  <send><![CDATA[
    ACK sip:[service]@[remote_ip]:[remote_port] SIP/2.0
    Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
    From: <sip:+33612345678@[local_ip]:[local_port]>;tag=[pid]
    To: <sip:[service]@[remote_ip]:[remote_port]>[peer_tag_param]
    Call-ID: [call_id]
    CSeq: 1 ACK
    Max-Forwards: 70
    Content-Length: 0
  ]]></send>
  <pause milliseconds="4000"/>${info('9')}
  <pause milliseconds="6000"/>${info('2')}
  <recv request="BYE" timeout="40000"/>
  <send><![CDATA[
    SIP/2.0 200 OK
    [last_Via:]
    [last_From:]
    [last_To:]
    [last_Call-ID:]
    [last_CSeq:]
    Content-Length: 0
  ]]></send>
</scenario>
`;

interface Picture {
  name: string;
  path: string | (() => Promise<string>);
  colorScheme?: 'light' | 'dark';
  /** What to do before it is taken. */
  prepare?(studio: Studio): Promise<void>;
}

const directory = mkdtempSync(join(tmpdir(), 'callweave-pictures-'));
const flows = join(directory, 'shipped');
mkdirSync(flows);
for (const folder of ['flows', 'examples/09-call-centre']) cpSync(join(ROOT, folder), flows, { recursive: true });

const service = await startService({
  directory,
  address: ADDRESS,
  numbers: [
    { number: '1000', flow: 'welcome-menu' },
    { number: '2000', flow: 'order-status' },
  ],
  flows,
});
const studio = await openStudio(service, { width: WIDTH, height: HEIGHT, column: 'form' });

const PICTURES: readonly Picture[] = [
  { name: 'editor', path: '/flows/order-status?step=look_up' },
  { name: 'editor-dark', path: '/flows/welcome-menu', colorScheme: 'dark' },
  { name: 'form', path: '/flows/welcome-menu?step=menu' },
  { name: 'picker', path: '/flows/welcome-menu?step=hours', prepare: addStep },
  { name: 'simulator', path: '/flows/welcome-menu/simulate', prepare: pressKeys },
  { name: 'tests', path: '/flows/order-status/tests', prepare: (at) => settle(at, 4000) },
  { name: 'time-travel', path: () => callWithKeys(service), prepare: halfWay },
  { name: 'schedule', path: '/settings/schedules?new=1' },
  { name: 'gallery', path: '/flows', prepare: openGallery },
  { name: 'several', path: '/flows/business-hours', prepare: selectAll },
  { name: 'try-request', path: '/flows/order-status?step=look_up', prepare: tryRequest },
  { name: 'arabic', path: '/flows/welcome-menu?step=menu', prepare: readInArabic, colorScheme: 'dark' },
];

mkdirSync(OUT, { recursive: true });
try {
  for (const { name, path, colorScheme = 'light', prepare } of PICTURES) {
    await studio.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await studio.open(typeof path === 'string' ? path : await path());
    await settle(studio, 1500);
    await prepare?.(studio);
    writeFileSync(join(OUT, `${name}.png`), await studio.page.screenshot());
    process.stdout.write(`docs/pictures/${name}.png\n`);
  }
  for (const problem of studio.problems) process.stdout.write(`${problem}\n`);
} finally {
  await studio.close();
  await service.stop();
}

/** The pictures of a page that loads: nothing says when the last drawing is done. */
async function settle({ page }: Studio, ms: number): Promise<void> {
  await page.waitForTimeout(ms);
}

async function addStep(at: Studio): Promise<void> {
  await at.page.getByRole('button', { name: 'Add step' }).first().click();
  await settle(at, 500);
}

async function pressKeys(at: Studio): Promise<void> {
  for (const key of ['2', '1']) {
    await at.page.keyboard.press(key);
    await settle(at, 800);
  }
}

async function halfWay(at: Studio): Promise<void> {
  await at.page.keyboard.press('Home');
  for (let step = 0; step < 3; step++) await at.page.keyboard.press('Shift+ArrowRight');
  await settle(at, 500);
}

/** A caller who presses a key that leads nowhere, then 2. Answers the address of the call's page. */
async function callWithKeys({ url, sip, api }: Service): Promise<string> {
  const scenario = join(directory, 'caller.xml');
  writeFileSync(scenario, CALLER);
  await sipp({ scenario, target: sip, address: SIPP_ADDRESS, number: '1000', calls: 1, rate: 1 });
  const { body } = await api('GET', '/voice/v1/call');
  const [call] = body['calls'] as { voice_id: string }[];
  if (call === undefined) throw new Error(`the call did not come to ${url}`);
  return `/calls/${call.voice_id}`;
}

async function openGallery(at: Studio): Promise<void> {
  await at.page
    .getByRole('button', { name: /^New flow/ })
    .first()
    .click();
  await settle(at, 2500);
}

async function selectAll(at: Studio): Promise<void> {
  await at.page
    .locator('.card')
    .first()
    .click({ position: { x: 40, y: 12 } });
  await at.page.keyboard.press('Control+a');
  await settle(at, 500);
}

async function tryRequest(at: Studio): Promise<void> {
  await at.page.getByRole('button', { name: /^Try it/ }).click();
  await settle(at, 2000);
}

async function readInArabic(at: Studio): Promise<void> {
  await at.page.evaluate(() => localStorage.setItem('callweave-language', 'ar'));
  await at.page.reload();
  await settle(at, 2500);
  await at.page.evaluate(() => localStorage.removeItem('callweave-language'));
}
