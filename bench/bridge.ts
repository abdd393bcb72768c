/**
 * CPU seconds for 1000 bridged calls (caller, callee, four seconds of audio in both directions) at 20 calls per second,
 * in pairs with a peer: see `paired-cost.ts` for the options. sipp is both parties.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../test/e2e/service.ts';
import { measurePairs } from './paired-cost.ts';
import { CALLEE_SIP, CALLER_ROUTE, startCallee, talk } from './talk.ts';

const TALK_MS = 4000;
const FLOW = `
flow: connect
start: connect
defaults: { exits: { error: bye, failed: bye } }
steps:
  connect: { bridge: { to: "\${ call.to }", ring_timeout: 20s }, exits: { completed: bye } }
  bye: { hangup: normal }
`;

const callee = startCallee();
try {
  await measurePairs({
    name: 'bridge',
    unit: 'CPU-s per 1000 bridged calls',
    rates: [20],
    warmingCalls: 200,
    service: (address, checkout) =>
      startService({
        directory: mkdtempSync(join(tmpdir(), 'callweave-bench-')),
        ...{ address, checkout },
        sip: { rtp_ports: [20000, 29999], routes: [{ prefix: '', uri: `sip:${CALLEE_SIP}` }, CALLER_ROUTE] },
        numbers: [{ number: '7001', flow: 'connect' }],
        flows: { 'connect.flow.yaml': FLOW },
      }),
    place: (calls) => talk({ ...calls, number: '7001', talkMs: TALK_MS }),
  });
} finally {
  callee.stop();
}
