/** The contract of `Outbox`. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Delivery } from '../../../src/base/core/delivery.ts';
import { receiverOf } from '../../../src/base/core/receiver.ts';
import type { QueuedDelivery, RequeueQuery } from '../../../src/service/observers/webhooks/outbox.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { deliveryOf, T0, writeOf } from './call-fixtures.ts';
import { type MakeStoreHarness, openForEach } from './each-store.ts';

const ids = (deliveries: readonly QueuedDelivery[]): string[] => deliveries.map(({ id }) => id);

const LONG_AFTER_MS = T0 + 86_400_000;

export function runOutboxContract(make: MakeStoreHarness): void {
  describe('outbox contract', () => {
    let store: Store;
    const lastSeq = new Map<string, number>();

    /** Commits the deliveries with the next decision of their call. */
    const put = (...deliveries: Delivery[]): Promise<void> => {
      const callId = deliveries[0]!.orderKey;
      const seq = (lastSeq.get(callId) ?? 0) + 1;
      lastSeq.set(callId, seq);
      return store.calls.commit(writeOf(callId, [seq], { deliveries }));
    };

    /** All that may be sent, to whomever, by the time at which it is due. */
    const sendable = async (): Promise<QueuedDelivery[]> => {
      const found: QueuedDelivery[] = [];
      for (const receiver of await store.outbox.receivers())
        found.push(...(await store.outbox.due(receiver, { nowMs: LONG_AFTER_MS, limit: 99 })));
      return found.sort((a, b) => a.dueMs - b.dueMs);
    };

    beforeEach(() => lastSeq.clear());
    const reopen = openForEach(make, (opened) => {
      store = opened;
    });

    it('puts in line what no call reports, and emits it', async () => {
      const arrived: string[] = [];
      const stop = store.outbox.subscribe((deliveries) => arrived.push(...deliveries.map(({ id }) => id)));
      await store.outbox.add([deliveryOf('a1', 'a'), deliveryOf('a2', 'a')]);
      await store.outbox.add([deliveryOf('a3', 'a')]);
      stop();
      expect(arrived).toEqual(['a1', 'a2', 'a3']);
      expect(ids(await store.outbox.headOfLine('a', 9))).toEqual(['a1', 'a2', 'a3']);
      expect(ids(await sendable())).toEqual(['a1']);
    });

    it('puts deliveries in line in the order of their commits', async () => {
      await Promise.all([
        put(deliveryOf('a1', 'a'), deliveryOf('a2', 'a')),
        put(deliveryOf('b1', 'b')),
        put(deliveryOf('a3', 'a')),
      ]);
      expect(ids(await store.outbox.headOfLine('a', 9))).toEqual(['a1', 'a2', 'a3']);
      expect(ids(await store.outbox.headOfLine('a', 2))).toEqual(['a1', 'a2']);
      expect(ids(await store.outbox.headOfLine('b', 9))).toEqual(['b1']);
      expect(await store.outbox.headOfLine('c', 9)).toEqual([]);
    });

    it('tells what a delivery is and where it stands', async () => {
      await put(deliveryOf('a1', 'a', { url: 'https://x.example/y?z=1', payload: { é: [1, null, 'x'] } }));
      expect(await store.outbox.headOfLine('a', 1)).toEqual([
        {
          id: 'a1',
          projectId: 'project-1',
          orderKey: 'a',
          url: 'https://x.example/y?z=1',
          receiver: 'project-1 https://x.example',
          createdMs: T0,
          attempts: 0,
          dueMs: T0,
          inLine: true,
          body: '{"é":[1,null,"x"]}',
        },
      ]);
      expect(await store.outbox.find('a1')).toEqual((await store.outbox.headOfLine('a', 1))[0]);
      expect(await sendable()).toEqual(await store.outbox.headOfLine('a', 1));
      expect(await store.outbox.find('a2')).toBeUndefined();
    });

    it('tells whether anything of its line was before it, and what was written whatever became of the payload', async () => {
      const told: string[] = [];
      store.outbox.subscribe((arrived) => {
        for (const { id, isSendable, body } of arrived) told.push(`${id} ${isSendable} ${body}`);
      });
      const payload = { n: 1 };
      const written = put(deliveryOf('a1', 'a', { payload }), deliveryOf('a2', 'a', { payload: {} }));
      payload.n = 2;
      await written;
      await store.outbox.delivered('a1');
      await put(deliveryOf('a3', 'a', { payload: {} }));
      await store.outbox.delivered('a2');
      await store.outbox.leaveLine('a3');
      await put(deliveryOf('a4', 'a', { payload: {} }));
      expect(told).toEqual(['a1 true {"n":1}', 'a2 false {}', 'a3 false {}', 'a4 true {}']);
    });

    it('tells its listeners after each commit what came in, in order, and no more when they leave', async () => {
      const told: Promise<string>[] = [];
      const seenThen = async (id: string): Promise<string> => ((await store.outbox.find(id)) ? id : `${id} unknown`);
      const leave = store.outbox.subscribe((committed) => {
        // Told when it can be read, not before.
        for (const { id } of committed) told.push(seenThen(id));
      });
      await Promise.all([put(deliveryOf('a1', 'a'), deliveryOf('a2', 'a')), put(deliveryOf('b1', 'b'))]);
      expect(await Promise.all(told)).toEqual(['a1', 'a2', 'b1']);
      await expect(store.calls.commit(writeOf('a', [7], { deliveries: [deliveryOf('a7', 'a')] }))).rejects.toThrow();
      leave();
      await put(deliveryOf('b2', 'b'));
      expect(await Promise.all(told)).toEqual(['a1', 'a2', 'b1']);
    });

    it('forgets what was delivered, and the next in line comes up', async () => {
      await put(deliveryOf('a1', 'a'), deliveryOf('a2', 'a'));
      await store.outbox.delivered('a1');
      expect(await store.outbox.find('a1')).toBeUndefined();
      expect(ids(await store.outbox.headOfLine('a', 9))).toEqual(['a2']);
      await store.outbox.delivered('a1');
      await store.outbox.delivered('a2');
      expect(await sendable()).toEqual([]);
    });

    it('keeps attempts and due time of a delivery, and its place', async () => {
      await put(deliveryOf('a1', 'a'), deliveryOf('a2', 'a'));
      await store.outbox.postpone('a1', { attempts: 3, dueMs: T0 + 500 });
      expect(await store.outbox.headOfLine('a', 1)).toMatchObject([
        { id: 'a1', attempts: 3, dueMs: T0 + 500, inLine: true },
      ]);
    });

    it('allows the first of each line and the deliveries outside of lines', async () => {
      await put(deliveryOf('a1', 'a'), deliveryOf('a2', 'a'), deliveryOf('a3', 'a'));
      await put(deliveryOf('b1', 'b'), deliveryOf('b2', 'b'));
      await store.outbox.leaveLine('a1');
      expect(ids(await sendable())).toEqual(['a1', 'a2', 'b1']);
      expect(await store.outbox.find('a1')).toMatchObject({ inLine: false });
      expect(ids(await store.outbox.headOfLine('a', 9))).toEqual(['a2', 'a3']);
      await store.outbox.delivered('a1');
      expect(ids(await sendable())).toEqual(['a2', 'b1']);
    });

    it('buries: out of the line, not to be sent, kept for its project', async () => {
      await put(deliveryOf('a1', 'a'), deliveryOf('a2', 'a'));
      await put(deliveryOf('b1', 'b', { projectId: 'project-2' }));
      await store.outbox.deadLetter('a1', { deadMs: T0 + 1, deathCause: 'exhausted' });
      await store.outbox.deadLetter('b1', { deadMs: T0 + 1, deathCause: 'gone' });
      await store.outbox.deadLetter('a2', { deadMs: T0 + 2, deathCause: 'refused' });
      expect(await sendable()).toEqual([]);
      expect(await store.outbox.find('a1')).toBeUndefined();
      expect(ids(await store.outbox.deadLetters('project-1', 9))).toEqual(['a2', 'a1']);
      expect(ids(await store.outbox.deadLetters('project-1', 1))).toEqual(['a2']);
      expect(await store.outbox.findDeadLetter('b1')).toMatchObject({
        projectId: 'project-2',
        deathCause: 'gone',
        deadMs: T0 + 1,
      });
      expect((await store.outbox.findDeadLetter('b1'))!.body).toContain('"voice_id":"b"');
    });

    it('does not deliver, postpone or bury dead deliveries again', async () => {
      await put(deliveryOf('a1', 'a'));
      await store.outbox.deadLetter('a1', { deadMs: T0 + 1, deathCause: 'exhausted' });
      await store.outbox.delivered('a1');
      await store.outbox.postpone('a1', { attempts: 9, dueMs: 0 });
      await store.outbox.leaveLine('a1');
      await store.outbox.deadLetter('a1', { deadMs: T0 + 9, deathCause: 'gone' });
      expect(await store.outbox.findDeadLetter('a1')).toMatchObject({
        attempts: 0,
        deadMs: T0 + 1,
        deathCause: 'exhausted',
      });
    });

    it('revives the dead, beside the line and as new', async () => {
      await put(deliveryOf('a1', 'a'), deliveryOf('a2', 'a'));
      await store.outbox.postpone('a1', { attempts: 9, dueMs: T0 + 9 });
      expect(await store.outbox.requeue('a1', T0)).toBe(false);
      await store.outbox.deadLetter('a1', { deadMs: T0 + 1, deathCause: 'exhausted' });
      expect(await store.outbox.requeue('a1', T0 + 77)).toBe(true);
      expect(await store.outbox.requeue('a1', T0 + 78)).toBe(false);
      expect(await store.outbox.find('a1')).toMatchObject({ attempts: 0, dueMs: T0 + 77, inLine: false });
      expect(await store.outbox.findDeadLetter('a1')).toBeUndefined();
      expect(ids(await sendable())).toEqual(['a2', 'a1']);
    });

    describe('the end of a whole', () => {
      const part = (id: string, orderKey: string, changes: Partial<Delivery> = {}): Delivery =>
        deliveryOf(id, orderKey, { partOf: 'whole', ...changes });
      const end = (changes: Partial<Delivery> = {}): Delivery =>
        deliveryOf('end', 'whole/end', { afterPartsOf: 'whole', ...changes });
      const isSendable = async (): Promise<boolean> => ids(await sendable()).includes('end');
      const told = (): string[] => {
        const arrived: string[] = [];
        store.outbox.subscribe((news) => {
          for (const { id, isSendable: isFirst } of news) if (id === 'end') arrived.push(`${id} ${isFirst}`);
        });
        return arrived;
      };

      it('is sent after all parts in their lines, and told of again then', async () => {
        const arrived = told();
        await put(part('a1', 'a'), part('a2', 'a'));
        await put(part('b1', 'b'));
        await put(end());
        expect(arrived).toEqual(['end false']);
        await store.outbox.delivered('a1');
        await store.outbox.delivered('b1');
        await store.outbox.postpone('a2', { attempts: 3, dueMs: T0 + 5 });
        expect(ids(await sendable())).toEqual(['a2']);
        await store.outbox.delivered('a2');
        expect(ids(await sendable())).toEqual(['end']);
        expect(arrived).toEqual(['end false', 'end true']);
        await store.outbox.delivered('end');
        expect((await store.outbox.counts()).waiting).toBe(0);
      });

      it('waits for none where all parts are gone', async () => {
        const arrived = told();
        await put(part('a1', 'a'));
        await store.outbox.delivered('a1');
        await put(end());
        expect([await isSendable(), arrived]).toEqual([true, ['end true']]);
      });

      it('waits for no parts of other wholes, and for none that other URLs are told', async () => {
        await put(part('a1', 'a', { partOf: 'another' }));
        await put(part('b1', 'b', { url: 'http://127.0.0.1:9/others' }));
        await put(deliveryOf('c1', 'c'));
        await put(end());
        expect(await isSendable()).toBe(true);
      });

      it.each<[string, () => Promise<unknown>]>([
        ['given up', () => store.outbox.deadLetter('a1', { deadMs: T0 + 1, deathCause: 'gone' })],
        ['retried beside its line', () => store.outbox.leaveLine('a1')],
        [
          'given up with others',
          () =>
            store.outbox.deadLetterOverdue(receiverOf('project-1', deliveryOf('a1', 'a').url), {
              dueByMs: [T0 + 9],
              deadMs: T0 + 9,
              deathCause: 'exhausted',
              limit: 9,
            }),
        ],
      ])('waits for no part that is %s', async (_, leave) => {
        const arrived = told();
        await put(part('a1', 'a'));
        await put(end());
        expect(await isSendable()).toBe(false);
        await leave();
        expect([await isSendable(), arrived]).toEqual([true, ['end false', 'end true']]);
      });

      it('is sent again without waiting after it was dead-lettered', async () => {
        await put(part('a1', 'a'));
        await put(end());
        await store.outbox.deadLetter('end', { deadMs: T0 + 1, deathCause: 'gone' });
        expect(await store.outbox.requeue('end', T0)).toBe(true);
        expect(await isSendable()).toBe(true);
        await store.outbox.delivered('end');
        await store.outbox.delivered('a1');
        expect(await sendable()).toEqual([]);
      });

      it('waits in the next life of the process too', async ({ skip }) => {
        await put(part('a1', 'a'));
        await put(end());
        await reopen(skip);
        expect(await isSendable()).toBe(false);
        await store.outbox.delivered('a1');
        expect(await isSendable()).toBe(true);
      });
    });

    it('counts what is still to be sent and what is dead', async () => {
      expect(await store.outbox.counts()).toEqual({ waiting: 0, dead: 0 });
      await put(deliveryOf('a1', 'a'), deliveryOf('a2', 'a'), deliveryOf('b1', 'b'));
      await store.outbox.leaveLine('a1');
      await store.outbox.deadLetter('b1', { deadMs: T0, deathCause: 'gone' });
      expect(await store.outbox.counts()).toEqual({ waiting: 2, dead: 1 });
      await store.outbox.delivered('a1');
      expect(await store.outbox.counts()).toEqual({ waiting: 1, dead: 1 });
    });

    describe('receivers', () => {
      const one = receiverOf('project-1', 'http://one.example');
      const two = receiverOf('project-1', 'http://two.example');
      const toOne = (id: string, orderKey: string, createdMs = T0) =>
        deliveryOf(id, orderKey, { url: `http://one.example/${id}?x=1`, createdMs });
      const toTwo = (id: string, orderKey: string) => deliveryOf(id, orderKey, { url: 'http://two.example/' });
      const due = async (receiver: string, nowMs: number, limit = 9): Promise<string[]> =>
        ids(await store.outbox.due(receiver, { nowMs, limit }));

      it('are those of projects and origins for which anything waits', async () => {
        expect(await store.outbox.receivers()).toEqual([]);
        await put(toOne('a1', 'a'), toTwo('a2', 'a'));
        await put(toOne('b1', 'b'));
        await put(deliveryOf('c1', 'c', { projectId: 'project-2', url: 'http://ONE.example:80/z' }));
        expect(await store.outbox.receivers()).toEqual([one, two, 'project-2 http://one.example']);
        expect(await Promise.all([one, two, 'project-3 x'].map(store.outbox.waitingFor))).toEqual([2, 1, 0]);
        await store.outbox.delivered('c1');
        expect(await store.outbox.receivers()).toEqual([one, two]);
      });

      it('are each sent the firsts of lines that are theirs, and what stands beside', async () => {
        await put(toOne('a1', 'a'), toTwo('a2', 'a'), toOne('a3', 'a'));
        await put(toOne('b1', 'b'), toOne('b2', 'b'));
        expect([await due(one, T0), await due(two, T0)]).toEqual([['a1', 'b1'], []]);
        await store.outbox.leaveLine('a1');
        expect([await due(one, T0), await due(two, T0)]).toEqual([['a1', 'b1'], ['a2']]);
        await store.outbox.deadLetter('a2', { deadMs: T0, deathCause: 'refused' });
        expect([await due(one, T0), await due(two, T0)]).toEqual([['a1', 'a3', 'b1'], []]);
      });

      it('are sent nothing before it is due, but what was never tried', async () => {
        await put(toOne('a1', 'a', T0 + 100));
        await put(toOne('b1', 'b', T0 + 10));
        await put(toOne('c1', 'c'));
        await put(toOne('d1', 'd'));
        await store.outbox.postpone('b1', { attempts: 1, dueMs: T0 + 50 });
        await store.outbox.postpone('c1', { attempts: 9, dueMs: T0 + 20 });
        expect(await due(one, T0)).toEqual(['d1', 'a1']);
        expect(await due(one, T0 + 20)).toEqual(['d1', 'c1', 'a1']);
        expect(await due(one, T0 + 50)).toEqual(['d1', 'c1', 'b1', 'a1']);
        expect(await due(one, T0 + 50, 2)).toEqual(['d1', 'c1']);
        const mostTried = { nowMs: T0 + 50, mostTriedFirst: true };
        expect(ids(await store.outbox.due(one, { ...mostTried, limit: 3 }))).toEqual(['c1', 'b1', 'd1']);
        expect(ids(await store.outbox.due(one, { ...mostTried, limit: 1 }))).toEqual(['c1']);
        const nextAfter = (afterMs: number) => store.outbox.nextDueMs(one, afterMs);
        expect(await Promise.all([T0, T0 + 20, T0 + 50].map(nextAfter))).toEqual([T0 + 20, T0 + 50, undefined]);
      });

      it('are believed to be dead: what was due too long ago is buried, so many at a time, and successors come up', async () => {
        await put(toOne('a1', 'a'), toOne('a2', 'a', T0 + 5), toTwo('a3', 'a'));
        await put(toOne('b1', 'b'));
        await put(toOne('c1', 'c', T0 + 5));
        await put(toTwo('d1', 'd'));
        await store.outbox.postpone('b1', { attempts: 1, dueMs: T0 + 3 });
        const bury = (dueByMs: number[], limit = 9) =>
          store.outbox.deadLetterOverdue(one, { dueByMs, deadMs: T0 + 9, deathCause: 'exhausted', limit });
        expect(await bury([-1, T0 + 2])).toEqual({ count: 0, receivers: new Set() });
        expect(await bury([T0, T0 + 3], 1)).toEqual({ count: 1, receivers: new Set([one]) });
        expect(await bury([T0, T0 + 3])).toEqual({ count: 1, receivers: new Set() });
        expect(
          (await store.outbox.deadLetters('project-1', 9)).map(({ id, deadMs, deathCause }) => [
            id,
            deadMs,
            deathCause,
          ]),
        ).toEqual([
          ['b1', T0 + 9, 'exhausted'],
          ['a1', T0 + 9, 'exhausted'],
        ]);
        expect([await due(one, T0), await due(two, T0)]).toEqual([['a2', 'c1'], ['d1']]);
        expect(await bury([T0 + 5, -1])).toEqual({ count: 2, receivers: new Set([two]) });
        expect([await due(one, T0), await due(two, T0)]).toEqual([[], ['a3', 'd1']]);
      });

      it('returns their dead deliveries in order, a batch at a time, with their URLs', async () => {
        await put(toOne('a1', 'a'), toOne('a2', 'a'), toOne('a3', 'a'));
        await put(toTwo('b1', 'b'));
        await put(toOne('c1', 'c'));
        await put(deliveryOf('d1', 'd', { projectId: 'project-2', url: 'http://one.example/' }));
        for (const [n, id] of ['a1', 'b1', 'a2', 'c1', 'd1', 'a3'].entries()) {
          await store.outbox.postpone(id, { attempts: 9, dueMs: T0 + 9 });
          await store.outbox.deadLetter(id, { deadMs: T0 + n, deathCause: 'exhausted' });
        }
        await put(toOne('a4', 'a'));
        await store.outbox.disableUrl('project-1', 'http://one.example/a1?x=1', T0);
        await store.outbox.disableUrl('project-1', 'http://one.example/other', T0);
        const revival: RequeueQuery = {
          projectId: 'project-1',
          urlPrefix: 'http://one.example/',
          deadByMs: T0 + 4,
          limit: 2,
          dueMs: T0 + 77,
        };
        const first = await store.outbox.requeueAll(revival);
        expect(first).toMatchObject({ count: 1, receivers: new Set([one]) });
        expect(await store.outbox.isDisabled('project-1', 'http://one.example/a1?x=1')).toBe(false);
        expect(await store.outbox.isDisabled('project-1', 'http://one.example/other')).toBe(true);
        const second = await store.outbox.requeueAll({ ...revival, after: first.next! });
        expect(second).toMatchObject({ count: 2 });
        expect(second.next && (await store.outbox.requeueAll({ ...revival, after: second.next }))).toMatchObject({
          count: 0,
          next: undefined,
        });
        expect(ids(await store.outbox.headOfLine('a', 9))).toEqual(['a4', 'a1', 'a2']);
        expect(await store.outbox.headOfLine('c', 9)).toMatchObject([
          { id: 'c1', attempts: 0, dueMs: T0 + 77, inLine: true },
        ]);
        expect(await due(one, T0)).toEqual(['a4', 'c1']);
        expect(ids(await store.outbox.deadLetters('project-1', 9))).toEqual(['a3', 'b1']);
        expect(await store.outbox.requeueAll({ ...revival, urlPrefix: '', deadByMs: T0 + 9, limit: 9 })).toMatchObject({
          count: 2,
          receivers: new Set([one, two]),
        });
        expect(ids(await store.outbox.headOfLine('a', 9))).toEqual(['a4', 'a1', 'a2', 'a3']);
        expect(await store.outbox.counts()).toEqual({ waiting: 6, dead: 1 });
      });

      it('tells since when the first of all waits', async () => {
        expect(await store.outbox.oldestCreatedMs()).toBeUndefined();
        await put(toOne('a1', 'a', T0 + 1));
        await put(toTwo('b1', 'b'), toOne('b2', 'b', T0 + 2));
        expect(await store.outbox.oldestCreatedMs()).toBe(T0 + 1);
        await store.outbox.delivered('a1');
        await store.outbox.deadLetter('b1', { deadMs: T0 + 9, deathCause: 'gone' });
        expect(await store.outbox.oldestCreatedMs()).toBe(T0 + 2);
      });
    });

    it('refuses an id that its line knows already', async () => {
      await put(deliveryOf('a1', 'a'));
      await expect(store.calls.commit(writeOf('a', [2], { deliveries: [deliveryOf('a1', 'a')] }))).rejects.toThrow();
      expect(ids(await sendable())).toEqual(['a1']);
    });

    it('remembers disabled URLs, each for its project', async () => {
      await store.outbox.disableUrl('project-1', 'http://x/a', T0);
      await store.outbox.disableUrl('project-1', 'http://x/a', T0 + 1);
      expect(await store.outbox.isDisabled('project-1', 'http://x/a')).toBe(true);
      expect(await store.outbox.isDisabled('project-1', 'http://x/b')).toBe(false);
      expect(await store.outbox.isDisabled('project-2', 'http://x/a')).toBe(false);
      await store.outbox.disableUrl('project-1', 'http://x/z', T0 + 2);
      await store.outbox.disableUrl('project-11', 'http://x/a', T0);
      expect(await store.outbox.disabledUrls('project-1')).toEqual([
        { url: 'http://x/z', disabledMs: T0 + 2 },
        { url: 'http://x/a', disabledMs: T0 + 1 },
      ]);
      await store.outbox.enableUrl('project-1', 'http://x/a');
      expect(await store.outbox.isDisabled('project-1', 'http://x/a')).toBe(false);
    });

    it('forgets old dead deliveries and old disabled URLs, and nothing that is still to be sent', async () => {
      await put(deliveryOf('a1', 'a'), deliveryOf('a2', 'a'), deliveryOf('a3', 'a'));
      await store.outbox.deadLetter('a1', { deadMs: T0, deathCause: 'exhausted' });
      await store.outbox.deadLetter('a2', { deadMs: T0 + 10, deathCause: 'exhausted' });
      await store.outbox.disableUrl('project-1', 'http://x/a', T0);
      await store.outbox.disableUrl('project-1', 'http://x/b', T0 + 10);
      const forgotten = await store.prune({ callsEndedBeforeMs: 0, deadBeforeMs: T0 + 10 });
      expect(forgotten).toMatchObject({ calls: 0, deliveries: 1, urls: 1 });
      expect(ids(await store.outbox.deadLetters('project-1', 9))).toEqual(['a2']);
      expect(ids(await sendable())).toEqual(['a3']);
      expect(await store.outbox.isDisabled('project-1', 'http://x/b')).toBe(true);
    });

    it('still has lines, dead and disabled after it was closed and opened again', async ({ skip }) => {
      await put(deliveryOf('a1', 'a'), deliveryOf('a2', 'a'), deliveryOf('a3', 'a'));
      await put(deliveryOf('b1', 'b'));
      await store.outbox.postpone('a1', { attempts: 2, dueMs: T0 + 9 });
      await store.outbox.leaveLine('a1');
      await store.outbox.deadLetter('b1', { deadMs: T0, deathCause: 'gone' });
      await store.outbox.disableUrl('project-1', 'http://x/a', T0);
      await reopen(skip);
      expect(await sendable()).toMatchObject([
        { id: 'a2', inLine: true },
        { id: 'a1', attempts: 2, dueMs: T0 + 9, inLine: false },
      ]);
      expect(ids(await store.outbox.headOfLine('a', 9))).toEqual(['a2', 'a3']);
      expect(ids(await store.outbox.deadLetters('project-1', 9))).toEqual(['b1']);
      expect(await store.outbox.isDisabled('project-1', 'http://x/a')).toBe(true);
    });
  });
}
