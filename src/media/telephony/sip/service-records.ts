/** Order of SRV records (RFC 2782). */
export interface ServiceRecord {
  priority: number;
  weight: number;
  port: number;
  /** Host name; empty or `.`: the service does not exist. */
  name: string;
}

/** Lowest priority first; records of equal priority are drawn at random, in proportion to their weights. */
export function inOrder<T extends ServiceRecord>(records: readonly T[], random: () => number): T[] {
  const ordered: T[] = [];
  for (const priority of [...new Set(records.map((record) => record.priority))].sort((a, b) => a - b)) {
    // Records of weight 0 come first, so that they keep a small chance.
    const left = records.filter((record) => record.priority === priority).sort((a, b) => a.weight - b.weight);
    while (left.length > 0) {
      let drawn = Math.floor(random() * (left.reduce((sum, { weight }) => sum + weight, 0) + 1));
      const index = left.findIndex(({ weight }) => {
        drawn -= weight;
        return drawn <= 0;
      });
      ordered.push(...left.splice(index, 1));
    }
  }
  return ordered;
}
