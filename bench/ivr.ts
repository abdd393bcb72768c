/**
 * CPU seconds for 1000 short IVR calls (answer, prompt, digit by RFC 4733, prompt, hangup) at 30 and at 80 calls per
 * second, in pairs with a peer: see `paired-cost.ts` for the options. sipp places the calls. `live.ts` measures the
 * effect of open studios on these calls.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../test/e2e/service.ts';
import { IVR_NUMBER, ivrFlows, placeIvrCalls, requireSipp } from './ivr-calls.ts';
import { measurePairs } from './paired-cost.ts';
import { CALLER, CALLER_ROUTE } from './talk.ts';

requireSipp();
const flows = ivrFlows();
await measurePairs({
  name: 'ivr',
  unit: 'CPU-s per 1000 calls',
  rates: [30, 80],
  warmingCalls: 500,
  service: (address, checkout) =>
    startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-bench-')),
      ...{ address, checkout, flows },
      sip: { routes: [CALLER_ROUTE] },
      numbers: [IVR_NUMBER],
    }),
  place: (calls) => placeIvrCalls({ ...calls, address: CALLER }),
});
