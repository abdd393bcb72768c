/**
 * How often a test with random input tries. Usually seldom, so that all tests together take minutes; `TEST_ROUNDS=10 npm test`
 * tries ten times as often: before a release, and where random input may find what nobody thought of.
 */
const TIMES = Number(process.env['TEST_ROUNDS'] ?? 1);

export const rounds = (usual: number): number => Math.ceil(usual * TIMES);
