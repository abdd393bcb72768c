/**
 * Number of runs of tests with random input. The default is low, so that all tests together take minutes;
 * `TEST_ROUNDS=10 npm test` runs ten times as many, for example before a release.
 */
const TIMES = Number(process.env['TEST_ROUNDS'] ?? 1);

export const rounds = (usual: number): number => Math.ceil(usual * TIMES);
