/** An authority for certificates, made by openssl in a directory of its own, and whom it vouches for. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
  cert: Buffer;
  key: Buffer;
  files: { cert: string; key: string };
}

export class Authority {
  readonly directory = mkdtempSync(join(tmpdir(), 'callweave-authority-'));
  readonly #own: Certificate;
  #count = 0;

  constructor(name = 'An authority') {
    this.#own = this.#make(['-subj', `/CN=${name}`]);
  }

  /** Who believes in it. */
  get pem(): Buffer {
    return this.#own.cert;
  }

  get file(): string {
    return this.#own.files.cert;
  }

  /** `names` as openssl writes them: `DNS:a.test,URI:sip:b.test`; none: the common name alone. */
  certificate(names: string, commonName = 'somebody'): Certificate {
    const { cert, key } = this.#own.files;
    const extensions = names === '' ? [] : ['-addext', `subjectAltName=${names}`];
    return this.#make(['-CA', cert, '-CAkey', key, '-subj', `/CN=${commonName}`, ...extensions]);
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true });
  }

  #make(words: string[]): Certificate {
    const [cert, key] = ['pem', 'key'].map((ending) => join(this.directory, `${this.#count}.${ending}`));
    this.#count++;
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc', '-days', '2'];
    execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', key!, '-out', cert!, ...words], { stdio: 'pipe' });
    return { cert: readFileSync(cert!), key: readFileSync(key!), files: { cert: cert!, key: key! } };
  }
}
