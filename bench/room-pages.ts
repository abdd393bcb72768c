/** A service for rooms, and Chromium pages that join them from another site. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCrowd } from '../test/e2e/rooms-page.ts';
import { startService } from '../test/e2e/service.ts';

export async function openPages(address: string, sitePort: number, engine = 'embedded') {
  const service = await startService({
    directory: mkdtempSync(join(tmpdir(), 'callweave-bench-')),
    address,
    http: { cors_origins: [`http://${address}:${sitePort}`] },
    numbers: [],
    flows: {},
    more: { video: { engine } },
  });
  const crowd = await startCrowd(service, address, sitePort);
  return {
    service,
    crowd,
    async close(): Promise<void> {
      await crowd.close();
      await service.stop();
    },
  };
}
