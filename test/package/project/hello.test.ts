/** A project's own tests: a flow by the test kit, an adapter by the contracts. */
import { synthesizerContract } from 'callweave/contracts';
import { runScenarioFile, VirtualClock } from 'callweave/testkit';
import { expect, test } from 'vitest';

test('callers hear a greeting', () => runScenarioFile('flows/hello.test.yaml'));

test('includes the contracts and the clock', () => {
  expect(synthesizerContract.length).toBeGreaterThan(0);
  expect(new VirtualClock().now()).toBeTypeOf('number');
});
