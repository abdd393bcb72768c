/**
 * The service is killed during a hundred calls. Events that were committed before reach the application after the
 * restart, in order for each call, and every call has its final event.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { deliveriesOf } from '../../src/service/observers/webhooks/events.ts';
import type { CallRecord, JournalEntry } from '../../src/service/runtime/journal.ts';
import { type Service, startService } from '../e2e/service.ts';
import { type SippRun, startSipp } from '../e2e/sipp.ts';
import { writeTone } from '../e2e/sound.ts';
import { type Receiver, startReceiver } from '../e2e/webhook-receiver.ts';
import { program } from '../programs.ts';

const sippProgram = program('sipp');
const ADDRESS = '127.0.0.74';
const SIPP_ADDRESS = '127.0.0.75';

const FLOW = `
flow: menu
start: ask
defaults: { exits: { error: bye } }
steps:
  ask:
    menu:
      prompt: question
      choices: { one: { dtmf: "1" } }
      attempts: 1
      start_timeout: 5s
      no_input: [question]
      no_match: [question]
    exits: { one: tell, exhausted: bye }
  tell: { notify: { event: choice, body: "\${ steps.ask.choice }" }, next: again }
  again: { play: question, next: bye }
  bye: { hangup: normal }
`;

/** Events that the application must receive, by call: derived from the journals of the killed service. */
function committed(file: string): Map<string, string[]> {
  const database = new DatabaseSync(file);
  const expected = new Map<string, string[]>();
  for (const row of database.prepare('SELECT call_no, record FROM calls').all()) {
    const record = JSON.parse(String(row['record'])) as CallRecord;
    const journal = database
      .prepare('SELECT entries FROM journal WHERE call_no = ? ORDER BY first_seq')
      .all(row['call_no']!);
    const told = journal
      .flatMap(({ entries }) => JSON.parse(String(entries)) as JournalEntry[])
      .flatMap((entry) => deliveriesOf(entry, record, { nextId: () => '', recordingUrl: (id) => id }))
      .map(({ payload }) => wordOf(payload));
    expected.set(record.callId, told);
  }
  database.close();
  return expected;
}

const wordOf = (payload: Record<string, unknown>): string =>
  String(payload['state'] ?? payload['playstate'] ?? payload['event']);

async function untilLogged(service: Service, word: string): Promise<void> {
  for (let attempt = 0; !service.log().includes(word); attempt++) {
    if (attempt > 200) throw new Error(`never logged: ${word}\n${service.log()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('kill -9 in the middle of 100 calls', () => {
  let receiver: Receiver;
  let service: Service;
  let calls: SippRun | undefined;

  afterEach(async () => {
    calls?.stop();
    await calls?.ended;
    await service?.stop();
    await receiver?.stop();
  });

  it.skipIf(sippProgram.missing).each([
    { when: 'once', again: false },
    { when: 'and again, while the receiver is down', again: true },
  ])(
    `loses no event and ends every call: $when${sippProgram.why}`,
    async ({ again }) => {
      const directory = mkdtempSync(join(tmpdir(), 'callweave-crash-'));
      const flows = join(directory, 'given');
      mkdirSync(join(flows, 'prompts'), { recursive: true });
      writeTone(join(flows, 'prompts/question.wav'), 440, 2);
      writeFileSync(join(flows, 'menu.flow.yaml'), FLOW);
      receiver = await startReceiver(ADDRESS, 9074);
      const options = {
        directory,
        address: ADDRESS,
        flows,
        numbers: [{ number: '1000', flow: 'menu', webhook: receiver.url }],
      };
      service = await startService(options);
      const scenario = join(import.meta.dirname, '../../bench/scenarios/ivr.xml');
      calls = await startSipp({
        scenario,
        target: service.sip,
        address: SIPP_ADDRESS,
        number: '1000',
        calls: 100,
        rate: 30,
      });
      // Some calls have ended, some are active, some have not begun.
      await receiver.until(
        (events) => events.filter(({ body }) => body['state'] === 'disconnected').length >= 10,
        '10 ends',
      );
      await service.kill();

      const expected = committed(join(directory, 'data', 'callweave.db'));
      const live = [...expected.values()].filter((told) => !told.includes('disconnected'));
      expect(live.length).toBeGreaterThan(10);
      for (const told of live) told.push('disconnected');

      const before = receiver.events;
      if (again) {
        await receiver.stop();
        service = await startService(options);
        // It has stored the ends, and failed to deliver them.
        await untilLogged(service, 'delivery.attempted');
        await service.kill();
        receiver = await startReceiver(ADDRESS, 9074);
      }
      service = await startService(options);
      const received = () => {
        const ids = new Set<string>();
        const told = new Map<string, string[]>();
        for (const { id, body } of again ? [...before, ...receiver.events] : receiver.events) {
          const voiceId = String(body['voice_id']);
          if (ids.has(id) || !expected.has(voiceId)) continue;
          ids.add(id);
          told.set(voiceId, [...(told.get(voiceId) ?? []), wordOf(body)]);
        }
        return told;
      };
      const total = [...expected.values()].flat().length;
      await receiver.until(() => [...received().values()].flat().length >= total, `${total} events`, 30_000);
      expect(Object.fromEntries(received())).toEqual(Object.fromEntries(expected));
    },
    90_000,
  );
});
