/**
 * Where a module is that runs as a thread or a process of its own: TypeScript in a clone, JavaScript in the installed
 * package. The compiler rewrites imports only.
 */
import { extname } from 'node:path';

/** `from` is the `import.meta.url` of a module in the same folder, `name` has no extension. */
export const moduleBeside = (from: string, name: string): URL => new URL(`./${name}${extname(from)}`, from);
