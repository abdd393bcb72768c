/**
 * Browser phones under the contract of all engines: they can do what calling telephones can. Two further cases are not
 * in the contract: the death of the process that carries the calls, and telephones in the same mix.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EngineDriver, join, LONG_SOUND, near, play, record } from '../contracts/engine/engine-case.ts';
import { runEngineContract } from '../contracts/engine/engine-contract.ts';
import { BrowserPhones } from './browser-phones.ts';

let phones: BrowserPhones;

beforeAll(async () => {
  phones = await BrowserPhones.open('127.0.31');
});
afterAll(() => phones.close());

runEngineContract(() => phones.harness(), { concurrent: true });

async function withDriver(run: (driver: EngineDriver) => Promise<void>): Promise<void> {
  const harness = await phones.harness();
  const driver = new EngineDriver(harness);
  await harness.engine.start(driver.host);
  try {
    await run(driver);
    await driver.checkInvariants();
  } finally {
    await harness.engine.stop();
    await harness.close();
  }
}

describe('calls from browsers', () => {
  // A browser that vanishes is noticed after half a minute: browser-leg.test.ts has that, in virtual time.
  it('ends with a network cause, after every answer, when the process dies; the next call works', () =>
    withDriver(async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(play('p', LONG_SOUND), record('r'), join('m'));
      phones.killGateway();
      expect(await leg.waitFor('ended')).toMatchObject({ by: 'network', cause: { code: 41 } });
      expect(leg.types.slice(0, -1).sort()).toEqual(['answered', 'play_ended', 'record_ended']);
      await phones.startProcesses();
      await driver.connectedLeg();
    }));

  it('exchanges audio with a telephone in the same mix', () =>
    withDriver(async (driver) => {
      const [browser, telephone] = [await driver.connectedLeg(), await driver.dial({ does: 'answer' })];
      await telephone.waitFor('answered');
      for (const leg of [browser, telephone]) leg.send(join('m'));
      telephone.party.speak(300);
      await driver.harness.elapse(700);
      expect(browser.party.heardMs).toEqual(near(driver, 300));
    }));
});
