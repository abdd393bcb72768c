/**
 * Milliseconds of processor time that this process has used. For tests that something does not blow up: the clock on
 * the wall also counts whatever else the machine is doing.
 */
export function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
