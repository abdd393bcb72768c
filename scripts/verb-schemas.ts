/** Copies the schemas of verbs into the compiled program of a package. */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** Their references lead to `schemas` of the package, one folder further up than in the sources. */
export function copyVerbSchemas(dist: string): void {
  for (const file of globSync('src/verbs/*/schema.json', { cwd: ROOT })) {
    mkdirSync(dirname(join(dist, file)), { recursive: true });
    const text = readFileSync(join(ROOT, file), 'utf8');
    writeFileSync(join(dist, file), text.replaceAll('"../../../schemas/', '"../../../../schemas/'));
  }
}
